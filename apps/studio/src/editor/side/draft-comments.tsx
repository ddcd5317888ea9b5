import { useState } from 'react'
import { useList, useSend } from '../../api/data.ts'
import { CommentForm } from '../../comments/comment-form.tsx'
import { type CommentActions, CommentItem } from '../../comments/comment-item.tsx'
import { useIds } from '../../frame/route-scope.ts'
import { place } from '../../problem-text/pointer-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Pending, Refusal } from '../../ui/states.tsx'
import { useEditor } from '../state/editor-context.ts'
import { selectedPlace } from './selected-place.ts'

const COMMENTS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/comments'
const COMMENT = `${COMMENTS}/{cid}` as const

/** The comments on parts of a draft, and a form for a comment on the selected step or row. */
export function DraftComments() {
  const { side: words, places } = useTexts()
  const state = useEditor()
  const { name, draft, selectPath } = state
  const path = { ...useIds(), name }
  const list = useList(COMMENTS, { path })
  const add = useSend('post', COMMENTS, [COMMENTS])
  const change = useSend('put', COMMENT, [COMMENTS])
  const remove = useSend('delete', COMMENT, [COMMENTS])
  const actions: CommentActions = {
    settle: ({ id, settled }) => change.mutate({ path: { ...path, cid: id }, body: { settled: !settled } }),
    remove: ({ id }) => remove.mutate({ path: { ...path, cid: id } }),
  }
  const [isListing, listSettled] = useState(false)
  const at = selectedPlace(state) ?? ''
  if (list.items === undefined) return <Pending of={list} lines={4} />
  const open = list.items.filter(({ settled }) => !settled)
  const shown = isListing ? list.items : open
  const settled = list.items.length - open.length
  return (
    <div className="details side-list">
      <section aria-label={words.newComment}>
        <CommentForm
          label={place(at, draft, places)}
          add={(text) => add.mutateAsync({ path, body: { place: at, text } })}
        />
      </section>
      <Refusal error={change.error ?? remove.error} />
      {shown.length === 0 && <p className="muted">{words.noComments}</p>}
      <ul className="comments" aria-label={words.tabs.comments}>
        {shown.map((comment) => (
          <CommentItem
            key={comment.id}
            comment={comment}
            actions={actions}
            at={
              <button type="button" className="link" onClick={() => selectPath(comment.place)}>
                {place(comment.place, draft, places)}
              </button>
            }
          />
        ))}
      </ul>
      {settled > 0 && (
        <button
          type="button"
          className="btn"
          data-kind="quiet"
          aria-expanded={isListing}
          onClick={() => listSettled(!isListing)}
        >
          {words.settledCount(settled)}
        </button>
      )}
      {list.hasNextPage && (
        <button type="button" className="btn" data-kind="quiet" onClick={() => void list.fetchNextPage()}>
          {words.older}
        </button>
      )}
    </div>
  )
}
