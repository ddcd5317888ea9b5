import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { keyOf, useList } from '../../api/data.ts'
import type { components } from '../../api/schema.ts'
import { Author } from '../../frame/author.tsx'
import { useIds } from '../../frame/route-scope.ts'
import { paths } from '../../paths.ts'
import { place } from '../../problem-text/pointer-text.ts'
import { useTexts, useTime } from '../../texts/texts.tsx'
import { Expression } from '../../ui/expression.tsx'
import { short } from '../../ui/json-text.ts'
import { Go } from '../../ui/link.tsx'
import { Pending, Skeleton } from '../../ui/states.tsx'
import { useEditor } from '../state/editor-context.ts'
import { changesAt, type PlaceChange } from './place-changes.ts'
import { selectedPlace } from './selected-place.ts'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'
/** Number of saves whose differences are loaded per click, with one request each. */
const SAVES_PER_CLICK = 12

type Save = components['schemas']['Save']

/** The history of the selected row or step: author, time and previous value of each change, newest first. */
export function PlaceHistory() {
  const { side: words, places } = useTexts()
  const state = useEditor()
  const { name, draft } = state
  const ids = useIds()
  const path = { ...ids, name }
  const saves = useList(`${RULESET}/saves`, { path })
  const [count, setCount] = useState(SAVES_PER_CLICK)
  const at = selectedPlace(state)
  const looked = (saves.items ?? []).filter(({ seq }) => seq > 1).slice(0, count)
  const diffs = useQueries({
    queries: looked.map(({ seq }) => {
      const sent = { path, query: { from: seq - 1, to: seq } }
      return {
        queryKey: keyOf(`${RULESET}/diff`, sent),
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => call('get', `${RULESET}/diff`, sent, signal),
        // The difference between two saves is immutable.
        staleTime: Infinity,
      }
    }),
  })
  if (saves.items === undefined) return <Pending of={saves} lines={4} />
  const found = looked.flatMap((save, index) => {
    const diff = diffs[index]?.data
    return diff === undefined || at === undefined ? [] : changesAt(diff, at).map((change) => ({ save, change }))
  })
  const isPending = diffs.some((one) => one.isPending)
  const isWhole = looked.length >= saves.items.filter(({ seq }) => seq > 1).length && !saves.hasNextPage
  return (
    <div className="details side-list" aria-busy={isPending}>
      <h2>{at === undefined ? words.tabs.history : words.whoChanged(place(at, draft, places))}</h2>
      <ol className="changes-of-place">
        {found.map(({ save, change }) => (
          <ChangeItem key={`${save.seq} ${change.path}`} save={save} change={change} />
        ))}
      </ol>
      {isPending && <Skeleton />}
      {!isPending && found.length === 0 && (
        <p className="muted">{isWhole ? words.neverChanged : words.notChangedIn(looked.length)}</p>
      )}
      <p className="row wrap">
        {!isWhole && (
          <button
            type="button"
            className="btn"
            onClick={() => {
              setCount(count + SAVES_PER_CLICK)
              if (saves.hasNextPage) void saves.fetchNextPage()
            }}
          >
            {words.older}
          </button>
        )}
        <Go to={paths.history(ids.oid, ids.pid, name)} className="btn">
          {words.allSaves}
        </Go>
      </p>
    </div>
  )
}

function ChangeItem({ save, change }: { readonly save: Save; readonly change: PlaceChange }) {
  const { side: words, places, editor } = useTexts()
  const { draft } = useEditor()
  const time = useTime()
  return (
    <li>
      <p className="row wrap">
        <b>
          <Author id={save.by} />
        </b>
        <small className="muted tnum">
          {editor.draft(save.seq)}, {time(save.at)}
        </small>
      </p>
      {change.kind === 'changed' ? (
        <>
          <p>{place(change.path, draft, places)}</p>
          <p className="was-is">
            <del>
              <Part value={change.before} />
            </del>
            <ins>
              <Part value={change.after} />
            </ins>
          </p>
        </>
      ) : (
        <p>{words.changeKinds[change.kind]}</p>
      )}
    </li>
  )
}

/** A value of a draft; strings are expressions. */
function Part({ value }: { readonly value: unknown }) {
  const { side: words } = useTexts()
  if (value === undefined || value === null || value === '') return <span className="muted">{words.empty}</span>
  return <code>{typeof value === 'string' ? <Expression text={value} /> : short(value, 120)}</code>
}
