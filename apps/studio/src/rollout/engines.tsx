import { useList } from '../api/data.ts'
import type { ReleaseEvent } from '../api/release-events.ts'
import { useIds, useMay } from '../frame/route-scope.ts'
import { useTexts } from '../texts/texts.tsx'
import { enginesOf, readableEvents, type ServerState, spanText } from './progress.ts'
import { useClock, useRolloutTexts } from './rollout-texts.ts'

/** Milliseconds between two reads of heartbeats. */
const POLL_INTERVAL_MS = 5000

interface EnginesProps {
  readonly servers: readonly ServerState[]
  readonly events: readonly ReleaseEvent[]
  /** True while requests are split and engines have both contents. */
  readonly isSplit: boolean
  readonly isRunning: boolean
}

/** The engines of a rollout with their contents, the delivery time and the last heartbeat. */
export function Engines({ servers, events, isSplit, isRunning }: EnginesProps) {
  const texts = useRolloutTexts()
  const { releases } = useTexts()
  const { oid } = useIds()
  const mayRead = useMay('project.read')
  const directory = useList(
    '/api/v1/servers',
    { query: { org_id: oid } },
    { enabled: mayRead, ...(isRunning && { refetchInterval: POLL_INTERVAL_MS }) },
  ).items
  const groups = enginesOf(servers)
  const arrivals = readableEvents(events)
  const clock = useClock(true)
  const arrivalOf = (id: string) => {
    const found = arrivals.find(({ event }) => event.type === 'server_state' && event.server_id === id)
    if (found === undefined) return ''
    return texts.since(clock(found.event.at), found.after === undefined ? undefined : (found.after / 1000).toFixed(1))
  }
  const digests = [...new Set(servers.flatMap(({ digest }) => (digest === null ? [] : [digest])))]
  return (
    <section className="card" aria-label={texts.engines}>
      <header>
        <h2>{texts.engines}</h2>
        <span className="muted">
          {groups
            .map(({ environment, alike, servers: all }) =>
              groups.length === 1
                ? texts.sameContent(alike, all.length)
                : texts.placed(environment, texts.sameContent(alike, all.length)),
            )
            .join(' · ')}
        </span>
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label={`${texts.engines}: ${texts.holds}`}>
        <table className="list dense stacked">
          <thead>
            <tr>
              {[releases.server, texts.holds, texts.hasSince, texts.heardOf].map((title, index) => (
                <th key={title} scope="col" className={index === 3 ? 'num' : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {servers.map((server) => {
              const known = directory?.find(({ id }) => id === server.server_id)
              return (
                <tr key={`${server.environment} ${server.server_id}`}>
                  <td data-title={releases.server}>
                    <b>{server.name}</b>{' '}
                    <span className="muted">
                      {[
                        known?.region,
                        groups.length > 1 ? server.environment : '',
                        server.canary_only ? texts.canaryOnly : '',
                      ]
                        .filter((part) => part !== undefined && part !== '')
                        .join(', ')}
                    </span>
                  </td>
                  <td data-title={texts.holds}>
                    <Holds server={server} isSplit={isSplit} />
                  </td>
                  <td data-title={texts.hasSince} className="tnum">
                    {arrivalOf(server.server_id)}
                  </td>
                  <td data-title={texts.heardOf} className="num muted">
                    {known === undefined || known.last_heartbeat === null
                      ? ''
                      : texts.ago(spanText(Date.now() - Date.parse(known.last_heartbeat), texts.units))}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {digests.length > 0 && (
        <details className="card-details">
          <summary>{texts.details}</summary>
          <p className="muted">
            {texts.digests} {digests.map((digest) => digest.slice(0, 12)).join(', ')}
          </p>
        </details>
      )}
    </section>
  )
}

/** The contents of an engine by colour and word: violet is the candidate, slate the live content. */
function Holds({ server: { status, error }, isSplit }: { readonly server: ServerState; readonly isSplit: boolean }) {
  const texts = useRolloutTexts()
  const hasCandidate = status === 'live'
  const hasLive = !hasCandidate || isSplit
  const words = hasCandidate ? (isSplit ? texts.hasBoth : texts.hasCandidate) : texts.hasState[status]
  return (
    <span className="row wrap">
      {hasCandidate && <span className="content-dot" data-side="candidate" aria-hidden="true" />}
      {hasLive && <span className="content-dot" aria-hidden="true" />}
      <span>
        {words}
        {error !== null && <span className="bad-text"> {error}</span>}
      </span>
    </span>
  )
}
