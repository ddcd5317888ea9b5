import { Author } from '../frame/author.tsx'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { useAgo } from '../texts/ago.ts'
import type { Release } from './board.ts'
import { useOverviewTexts } from './overview-texts.ts'
import type { ProjectState } from './project-state.ts'

interface Entry {
  readonly key: string
  readonly at: string
  /** Undefined for an automatic change. */
  readonly by?: string
  readonly text: string
  readonly to: string
}

const MAX_ENTRIES = 4

/** The latest saves, release requests and finished releases. */
export function Latest({ state }: { readonly state: ProjectState }) {
  const texts = useOverviewTexts()
  const ago = useAgo()
  const time = useTime()
  const entries = useEntries(state)
  return (
    <section className="card" aria-label={texts.latest}>
      {entries.length === 0 ? (
        <p className="body muted">{texts.noLatest}</p>
      ) : (
        <ul className="latest">
          {entries.map(({ key, at, by, text, to }) => (
            <li key={key}>
              <Icon name={by === undefined ? 'rocket' : 'user'} />
              <span>
                {by !== undefined && (
                  <>
                    <b>
                      <Author id={by} />
                    </b>{' '}
                  </>
                )}
                <Go to={to}>{text}</Go>
              </span>
              <time className="muted" dateTime={at} title={time(at)}>
                {ago(at)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function useEntries({ releases, drafts }: ProjectState): readonly Entry[] {
  const texts = useOverviewTexts()
  const { oid, pid } = useIds()
  const ending = ({ status, number, environments }: Release): string | undefined => {
    if (status === 'completed') return texts.wentLive(number, environments.join(', '))
    if (status === 'rolled_back') return texts.rolledBack(number)
    if (status === 'rejected') return texts.rejected(number)
    return status === 'failed' || status === 'rollback_failed' ? texts.failed(number) : undefined
  }
  const all = [
    ...releases.flatMap((release): readonly Entry[] => {
      const to = paths.release(oid, pid, release.number)
      const ended = ending(release)
      return [
        {
          key: `${release.id} asked`,
          at: release.created_at,
          by: release.created_by,
          text: texts.asked(release.number, release.title),
          to,
        },
        ...(ended === undefined ? [] : [{ key: release.id, at: release.updated_at, text: ended, to }]),
      ]
    }),
    ...drafts.map(({ name, seq, updated_at: at, updated_by: by }) => ({
      key: name,
      at,
      by,
      text: texts.saved(seq, name),
      to: paths.history(oid, pid, name),
    })),
  ]
  return all.toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at)).slice(0, MAX_ENTRIES)
}
