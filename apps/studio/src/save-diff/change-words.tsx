import { escapedKey } from '@engine/expression'
import type { components } from '../api/schema.ts'
import { place } from '../problem-text/pointer-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { ChangedValue, type ChangedDraft } from './changed-value.tsx'

/** The changes between two saves, each with its position in the author's terms. */
export function ChangeWords({
  diff,
  before,
  after,
}: {
  readonly diff: components['schemas']['DraftDiff']
  /** The content of both saves: the names of removed steps are in the first. */
  readonly before: ChangedDraft
  readonly after: ChangedDraft
}) {
  const { history: texts, places } = useTexts()
  const { config, steps_added: added, steps_removed: removed, steps_changed: changed } = diff
  const stepAt = (id: string, path = '') => `/steps/${escapedKey(id)}${path}`
  // The position on the canvas does not affect decisions.
  const steps = changed.filter(({ path }) => !path.startsWith('/position'))
  const all = [
    ...config.map(({ path, ...values }) => ({
      path: path.startsWith('/subRules') ? path : `/config${path}`,
      ...values,
    })),
    ...steps.map(({ id, path, ...values }) => ({ path: stepAt(id, path), ...values })),
  ]
  return (
    <>
      {(added.length > 0 || removed.length > 0) && (
        <p className="row wrap">
          {added.map((id) => (
            <span key={id} className="tag" data-tone="ok">
              + {place(stepAt(id), after, places)}
            </span>
          ))}
          {removed.map((id) => (
            <span key={id} className="tag" data-tone="bad">
              − {place(stepAt(id), before, places)}
            </span>
          ))}
        </p>
      )}
      {all.length === 0 && added.length === 0 && removed.length === 0 && <p className="muted">{texts.none}</p>}
      {all.map(({ path, before: was, after: is }) => {
        const draft = is === null || is === undefined ? before : after
        return (
          <div key={path}>
            <p>
              <b>{place(path, draft, places)}</b>
            </p>
            <ChangedValue path={path} before={was} after={is} draft={draft} absent={texts.absent} />
          </div>
        )
      })}
    </>
  )
}
