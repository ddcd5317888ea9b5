import { CommentForm } from '../comments/comment-form.tsx'
import { CommentItem } from '../comments/comment-item.tsx'
import { place as placeName } from '../problem-text/pointer-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { More } from '../ui/list.tsx'
import { Empty, Pending, Refusal } from '../ui/states.tsx'
import { type ReleaseComment, useComments } from './comments.ts'
import { useSave } from './compared-drafts.ts'
import type { ReviewedParts } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'

/**
 * All comments on a release, unresolved ones first, each with its target, and a form for a comment on the whole
 * release.
 */
export function Discussion({ parts }: { readonly parts: ReviewedParts }) {
  const texts = useReviewTexts()
  const comments = useComments()
  if (comments === undefined) return null
  const { list, error } = comments
  const { items } = list
  return (
    <section className="card" aria-label={texts.tabs.discussion}>
      <header>
        <h2>{texts.tabs.discussion}</h2>
        <span className="muted">{texts.discussionText}</span>
      </header>
      <div className="body stack">
        <Refusal error={error} />
        {items === undefined ? (
          <Pending of={list} lines={4} />
        ) : items.length === 0 ? (
          <Empty picture="people" title={texts.noComments} text={texts.noCommentsText} />
        ) : (
          <ul className="comments">
            {items
              .toSorted((left, right) => Number(left.settled) - Number(right.settled))
              .map((comment) => (
                <CommentItem
                  key={comment.id}
                  comment={comment}
                  actions={comments}
                  at={comment.ruleset !== null && <CommentPlace comment={comment} rulesets={parts.rulesets} />}
                />
              ))}
          </ul>
        )}
        <More list={list} />
        <CommentForm label={texts.wholeRelease} add={(text) => comments.add(text, { ruleset: null, place: '' })} />
      </div>
    </section>
  )
}

/** Describes the target of a comment in the author's terms. */
function CommentPlace({
  comment: { ruleset, place },
  rulesets,
}: {
  readonly comment: ReleaseComment
  readonly rulesets: ReviewedParts['rulesets']
}) {
  const { places } = useTexts()
  const seq = rulesets.find(({ name }) => name === ruleset)?.from_seq ?? null
  const { draft } = useSave(ruleset ?? '', seq)
  const at = draft === undefined || place === '' ? place : placeName(place, draft, places)
  return <span className="tag">{at === '' ? ruleset : `${ruleset ?? ''}${places.comma}${at}`}</span>
}
