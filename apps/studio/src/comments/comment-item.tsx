import type { ReactNode } from 'react'
import { Author } from '../frame/author.tsx'
import { useMay, useMe } from '../frame/route-scope.ts'
import { useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { useCommentTexts } from './comment-texts.ts'

/** A comment on a draft or a release. */
export interface Comment {
  readonly id: string
  readonly text: string
  readonly settled: boolean
  readonly created_by: string
  readonly created_at: string
}

/** Operations on a comment. */
export interface CommentActions {
  readonly settle: (comment: Comment) => void
  readonly remove: (comment: Comment) => void
}

interface CommentItemProps {
  readonly comment: Comment
  readonly actions: CommentActions
  /** The commented part, in lists with comments on several parts. */
  readonly at?: ReactNode
}

/**
 * One comment with its author. It can be resolved and reopened; its author or a manager of the project can delete it.
 */
export function CommentItem({ comment, actions: { settle, remove }, at }: CommentItemProps) {
  const texts = useCommentTexts()
  const time = useTime()
  const me = useMe().data?.user?.id
  const mayManage = useMay('project.manage')
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
        <button type="button" className="btn" data-kind="quiet" onClick={() => settle(comment)}>
          {settled ? texts.reopen : texts.settle}
        </button>
        {(mayManage || author === me) && (
          <button type="button" className="btn" data-kind="quiet" onClick={() => remove(comment)}>
            {texts.remove}
          </button>
        )}
      </p>
    </li>
  )
}
