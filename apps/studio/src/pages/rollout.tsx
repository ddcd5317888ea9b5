import { useGet } from '../api/data.ts'
import type { StreamState } from '../api/event-stream.ts'
import type { ReleaseEvent } from '../api/release-events.ts'
import { EnginesByContent } from '../rollout/engines.tsx'
import { Events } from '../rollout/events.tsx'
import type { CanaryProgress, Execution } from '../rollout/progress.ts'
import { RolloutActions } from '../rollout/rollout-actions.tsx'
import { useRolloutTexts } from '../rollout/rollout-texts.ts'
import { Stages } from '../rollout/stages.tsx'
import { Tiles } from '../rollout/tiles.tsx'
import '../styles/rollout.css'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Pending } from '../ui/states.tsx'

interface RolloutProps {
  readonly path: { readonly oid: string; readonly pid: string; readonly rid: string }
  readonly stream: { readonly events: readonly ReleaseEvent[]; readonly state: StreamState }
}

const RELEASE = '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}'
/** Milliseconds between two reads of the counts while a stage runs; events alone are rarer. */
const POLL_INTERVAL_MS = 2000

/** The progress of an execution, and after its end its report: stages, measures, engines and events. */
export function Rollout({ path, stream: { events, state } }: RolloutProps) {
  const { releases: texts } = useTexts()
  const words = useRolloutTexts()
  const release = useGet(RELEASE, { path }).data
  const found = useGet(`${RELEASE}/execution`, { path })
  const { data: execution } = found
  const isRunning = execution?.status === 'running' || execution?.status === 'paused'
  const canaries = useGet(
    `${RELEASE}/executions/{eid}/canaries`,
    { path: { ...path, eid: execution?.id ?? '' } },
    { enabled: execution !== undefined, ...(isRunning && { refetchInterval: POLL_INTERVAL_MS }) },
  ).data?.items
  if (execution === undefined) return <Pending of={found} />
  const { status, environment, stage, servers, error } = execution
  const canary = canaries?.find((one) => one.environment === environment)
  const reason = stage?.verdict?.reason
  const hasReason = isRunning && reason !== undefined
  return (
    <section className="card rollout" aria-label={texts.execution}>
      <header>
        <h2>{headlineOf(execution, words)}</h2>
        <span className="tag">{texts.executions[status]}</span>
        <span className="grow" />
        {state === 'lost' && (
          <span className="tag" data-tone="warn" role="status">
            <Icon name="alert" size={12} />
            {texts.lost}
          </span>
        )}
      </header>
      <div className="body stack">
        {hasReason && (
          <p className="note" data-tone={stage?.verdict?.decision === 'hold' ? 'warn' : undefined} role="status">
            {words.reasons[reason] ?? reason}
          </p>
        )}
        {error !== null && (
          // The reason of a rollback is not a failure.
          <p className="note" data-tone={status === 'failed' ? 'bad' : undefined} role="alert">
            {words.reasons[error] ?? error}
          </p>
        )}
        {isRunning && release !== undefined && (
          <RolloutActions path={path} allowed={release.allowed} execution={execution} canary={canary} />
        )}
        {canaries?.map((one) => (
          <Canary key={one.environment} canary={one} execution={execution} />
        ))}
        {servers.length > 0 && <EnginesByContent servers={servers} />}
        <Events events={events} execution={execution} />
      </div>
    </section>
  )
}

function Canary({ canary, execution }: { readonly canary: CanaryProgress; readonly execution: Execution }) {
  const words = useRolloutTexts()
  const begun = canary.stages.filter(({ begun_at: at }) => at !== null).length
  return (
    <section className="stack" aria-label={canary.environment}>
      <h3>{words.stageOf(Math.max(1, begun), canary.stages.length, canary.environment)}</h3>
      <Stages canary={canary} execution={execution} />
      {canary.measures !== null && <Tiles canary={canary} measures={canary.measures} />}
    </section>
  )
}

function headlineOf(
  { status, step, environment, stage, servers }: Execution,
  { headline }: ReturnType<typeof useRolloutTexts>,
): string {
  const name = environment ?? ''
  if (status === 'running') return stage === null ? headline.running[step](name) : headline.split(stage.percent, name)
  if (status === 'paused') return headline.paused(name)
  if (status !== 'completed') return headline[status]
  return headline.completed([...new Set(servers.map((one) => one.environment))].join(', '))
}
