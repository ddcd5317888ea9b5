import { type ReactNode, useState } from 'react'
import { Author } from '../frame/author.tsx'
import { useTime } from '../texts/texts.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { type CommentTarget, commentsAt, type ReleaseComment, useComments } from './comments.ts'
import { useReviewTexts } from './review-texts.ts'

/** The comments on one place, and a form for a new one that opens on request. Nothing in a preview. */
export function CommentThread({ target, label }: { readonly target: CommentTarget; readonly label: string }) {
  const texts = useReviewTexts()
  const comments = useComments()
  const [isOpen, setOpen] = useState(false)
  if (comments === undefined) return null
  const own = commentsAt(comments, target)
  return (
    <div className="comment-thread">
      {own.length > 0 && (
        <ul className="comments" aria-label={texts.commentsOn(label)}>
          {own.toReversed().map((comment) => (
            <CommentItem key={comment.id} comment={comment} />
          ))}
        </ul>
      )}
      {isOpen ? (
        <CommentForm target={target} label={label} close={() => setOpen(false)} />
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

interface CommentFormProps {
  readonly target: CommentTarget
  readonly label: string
  /** Undefined: the form stays open. */
  readonly close?: () => void
}

/** Writes a comment. */
export function CommentForm({ target, label, close }: CommentFormProps) {
  const texts = useReviewTexts()
  const comments = useComments()
  // A sent text leaves an empty form.
  const [sent, setSent] = useState(0)
  if (comments === undefined) return null
  return (
    <Form
      key={sent}
      fields={[{ name: 'text', label: texts.commentOn(label), kind: 'area' }]}
      submit={texts.comment}
      takesFocus={close !== undefined || sent > 0}
      {...(close !== undefined && { cancel: close })}
      send={async ({ text }) => {
        await comments.add(text, target)
        if (close === undefined) setSent(sent + 1)
        else close()
      }}
    />
  )
}

/** One comment, with its author, and its place where the list has several. */
export function CommentItem({ comment, at }: { readonly comment: ReleaseComment; readonly at?: ReactNode }) {
  const texts = useReviewTexts()
  const time = useTime()
  const comments = useComments()
  const { text, settled, created_by: author, created_at: when } = comment
  return (
    <li data-settled={settled ? '' : undefined}>
      <p className="row wrap">
        <b>
          <Author id={author} />
        </b>
        <small className="muted tnum">{time(when)}</small>
        {settled && (
          <span className="tag" data-tone="ok">
            <Icon name="check" size={12} />
            {texts.settled}
          </span>
        )}
        {at}
      </p>
      <p className="comment-text">{text}</p>
      <p className="row wrap">
        <button type="button" className="btn" data-kind="quiet" onClick={() => comments?.settle(comment)}>
          {settled ? texts.reopen : texts.settle}
        </button>
        {comments?.mayRemove(comment) === true && (
          <button type="button" className="btn" data-kind="quiet" onClick={() => comments.remove(comment)}>
            {texts.removeComment}
          </button>
        )}
      </p>
    </li>
  )
}
