import type { components } from '../api/schema.ts'
import { useTexts } from '../texts/texts.tsx'
import { ChangeSides } from '../ui/change-sides.tsx'
import { CHANGE } from './release-keys.ts'

type Diff = components['schemas']['ReleaseDiff']

interface Change {
  readonly place: string
  readonly before?: unknown
  readonly after?: unknown
}

/** The changes of a release in one ruleset of one environment, before and after side by side. */
export function ReleaseDiff({ diff }: { readonly diff: Diff }) {
  const { releases: texts } = useTexts()
  const { environment, ruleset, base, removed, steps_added: added, steps_removed: gone, contract } = diff
  const changes = changesOf(diff)
  return (
    <section className={`card ${CHANGE}`} tabIndex={-1}>
      <header>
        <h2>{ruleset}</h2>
        <span className="tag">{environment}</span>
        <span className="muted">{base === null ? texts.notLive : texts.against(base.version)}</span>
        {contract?.breaking === true && (
          <span className="tag" data-tone="bad">
            {texts.breaking}
          </span>
        )}
      </header>
      <div className="body stack">
        {removed && <p>{texts.removed}</p>}
        {contract?.breaks.map(({ path, message }) => (
          <p key={path} className="note" data-tone="bad">
            <code>{path}</code> {message}
          </p>
        ))}
        <div className="row wrap">
          {added.map((id) => (
            <span key={id} className="tag" data-tone="ok">
              + {id}
            </span>
          ))}
          {gone.map((id) => (
            <span key={id} className="tag" data-tone="bad">
              − {id}
            </span>
          ))}
        </div>
        {changes.length === 0 && added.length + gone.length === 0 && !removed && <p className="muted">{texts.same}</p>}
        {changes.map(({ place, before, after }) => (
          <div key={place} className={CHANGE} tabIndex={-1}>
            <code className="muted">{place}</code>
            <ChangeSides path={place} before={before} after={after} absent={texts.absent} />
          </div>
        ))}
      </div>
    </section>
  )
}

function changesOf({ config, steps_changed: steps, branches_changed: branches }: Diff): readonly Change[] {
  return [
    ...config.map(({ path, before, after }) => ({ place: path, before, after })),
    ...steps.map(({ id, path, before, after }) => ({ place: id + path, before, after })),
    ...branches.flatMap(({ step, id, change, changes }): Change[] =>
      changes.length === 0
        ? [{ place: `${step}/${id}`, ...(change === 'removed' ? { before: change } : { after: change }) }]
        : changes.map(({ path, before, after }) => ({ place: `${step}/${id}${path}`, before, after })),
    ),
  ]
}
