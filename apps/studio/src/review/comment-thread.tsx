import { useState } from 'react'
import { CommentForm } from '../comments/comment-form.tsx'
import { CommentItem } from '../comments/comment-item.tsx'
import { useCommentTexts } from '../comments/comment-texts.ts'
import { Icon } from '../ui/icon.tsx'
import { type CommentTarget, commentsAt, useComments } from './comments.ts'

/** The comments on one part, and a form for a new comment that opens on request. Renders nothing in a preview. */
export function CommentThread({ target, label }: { readonly target: CommentTarget; readonly label: string }) {
  const texts = useCommentTexts()
  const comments = useComments()
  const [isOpen, setOpen] = useState(false)
  if (comments === undefined) return null
  const own = commentsAt(comments, target)
  return (
    <div className="comment-thread">
      {own.length > 0 && (
        <ul className="comments" aria-label={texts.commentsOn(label)}>
          {own.toReversed().map((comment) => (
            <CommentItem key={comment.id} comment={comment} actions={comments} />
          ))}
        </ul>
      )}
      {isOpen ? (
        <CommentForm label={label} add={(text) => comments.add(text, target)} close={() => setOpen(false)} />
      ) : (
        <button
          type="button"
          className="btn"
          data-kind="quiet"
          aria-label={texts.commentOn(label)}
          onClick={() => setOpen(true)}
        >
          <Icon name="comment" size={13} />
          {texts.comment}
        </button>
      )}
    </div>
  )
}
