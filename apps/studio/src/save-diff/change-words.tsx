import { escapedKey } from '@engine/expression'
import type { components } from '../api/schema.ts'
import { place } from '../problem-text/pointer-text.ts'
import { useTexts } from '../texts/texts.tsx'
import { ChangeSides } from '../ui/change-sides.tsx'

/** The changes between two saves, each with its place as the author named it. */
export function ChangeWords({
  diff,
  before,
  after,
}: {
  readonly diff: components['schemas']['DraftDiff']
  /** The content of both saves: removed steps have their names in the first. */
  readonly before: Parameters<typeof place>[1]
  readonly after: Parameters<typeof place>[1]
}) {
  const { history: texts, places } = useTexts()
  const { config, steps_added: added, steps_removed: removed, steps_changed: changed } = diff
  const stepAt = (id: string, path = '') => `/steps/${escapedKey(id)}${path}`
  // A position on the canvas decides nothing.
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
      {all.map(({ path, before: was, after: is }) => (
        <div key={path}>
          <p>
            <b>{place(path, is === null || is === undefined ? before : after, places)}</b>
          </p>
          <ChangeSides path={path} before={was} after={is} absent={texts.absent} />
        </div>
      ))}
    </>
  )
}
