import { useGet } from '../api/data.ts'
import type { StreamState } from '../api/event-stream.ts'
import type { ReleaseEvent } from '../api/release-events.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Pending } from '../ui/states.tsx'

interface RolloutProps {
  readonly path: { readonly oid: string; readonly pid: string; readonly rid: string }
  readonly stream: { readonly events: readonly ReleaseEvent[]; readonly state: StreamState }
}

const TONES: Readonly<Record<string, string>> = {
  live: 'ok',
  failed: 'bad',
  rolled_back: 'warn',
  skipped: '',
  pending: '',
  delivering: 'accent',
  verifying: 'accent',
}

/** The progress of an execution: engines, stages and events. */
export function Rollout({ path, stream: { events, state } }: RolloutProps) {
  const { releases: texts } = useTexts()
  const time = useTime()
  const found = useGet('/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/execution', { path })
  const { data: execution } = found
  if (execution === undefined) return <Pending of={found} />
  const { status, step, environment, stage, servers, error } = execution
  return (
    <section className="card">
      <header>
        <h2>{texts.execution}</h2>
        <span className="tag">{texts.executions[status]}</span>
        <span className="muted">{[texts.steps[step], environment].filter((one) => one !== null).join(' · ')}</span>
        <span className="grow" />
        {state === 'lost' && (
          <span className="tag" data-tone="warn" role="status">
            <Icon name="alert" size={12} />
            {texts.lost}
          </span>
        )}
      </header>
      <div className="body stack">
        {error !== null && (
          // The reason of a rollback is not a failure.
          <p className="note" data-tone={status === 'failed' ? 'bad' : undefined} role="alert">
            {error}
          </p>
        )}
        {stage !== null && <p>{texts.stage(stage.percent, time(stage.ends_at))}</p>}
        {servers.length > 0 && (
          <table className="list stacked">
            <thead>
              <tr>
                <th scope="col">{texts.server}</th>
                <th scope="col">{texts.environment}</th>
                <th scope="col">{texts.status}</th>
                <th scope="col">{texts.digest}</th>
              </tr>
            </thead>
            <tbody>
              {servers.map(({ server_id: id, name, environment: of, status: now, digest, error: fault }) => (
                <tr key={id + of}>
                  <td data-title={texts.server}>{name}</td>
                  <td data-title={texts.environment}>{of}</td>
                  <td data-title={texts.status}>
                    <span className="tag" data-tone={TONES[now]}>
                      {texts.servers[now]}
                    </span>{' '}
                    {fault}
                  </td>
                  <td data-title={texts.digest}>
                    <code>{digest?.slice(0, 8)}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <ol className="events" tabIndex={0} aria-label={texts.events} aria-live="polite">
          {events.map(({ id, at, type, environment: of }) => (
            <li key={id}>
              <span className="muted tnum">{time(at)}</span> {texts.types[type]} {of}
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}
