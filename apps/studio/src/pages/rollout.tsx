import { Fragment } from 'react'
import { useGet } from '../api/data.ts'
import { useTick } from '../first-steps/progress.ts'
import { useReleaseEvents } from '../api/release-events.ts'
import { useEnvironments, useIds, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useNumberInAddress } from '../releases/address.ts'
import { RollBackButton } from '../review/roll-back.tsx'
import { useCodeColours } from '../review/code-colours.ts'
import type { Release, ReleaseDiff } from '../review/release-parts.ts'
import { Engines } from '../rollout/engines.tsx'
import { Events } from '../rollout/events.tsx'
import { type CanaryProgress, type Execution, hasAlarm, isAlarm } from '../rollout/progress.ts'
import { RolloutActions } from '../rollout/rollout-actions.tsx'
import { useClock, useRolloutTexts } from '../rollout/rollout-texts.ts'
import { Stages } from '../rollout/stages.tsx'
import { Tiles } from '../rollout/tiles.tsx'
import '../styles/rollout.css'
import { useTexts } from '../texts/texts.tsx'
import { EnvironmentTag, weightOf } from '../ui/environment-tag.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'

const RELEASE = '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}'
/** Interval in which counts are polled during a stage, when events are rarer. */
const POLL_INTERVAL_MS = 2000

/** The progress of a release through its environments and, after its end, the report. */
export function RolloutPage() {
  const texts = useRolloutTexts()
  const { oid, pid } = useIds()
  const rid = useParameter('rid')
  const path = { oid, pid, rid }
  const found = useGet(RELEASE, { path })
  const release = found.data
  useNumberInAddress(path, release, paths.rollout)
  const executionId = release?.execution_id ?? null
  const executed = useGet(`${RELEASE}/execution`, { path }, { enabled: executionId !== null })
  const execution = executed.data
  const hasEnded = execution !== undefined && execution.status !== 'running' && execution.status !== 'paused'
  const stream = useReleaseEvents(path, executionId, hasEnded)
  const counts = useGet(
    `${RELEASE}/executions/{eid}/canaries`,
    { path: { ...path, eid: executionId ?? '' } },
    { enabled: executionId !== null, ...(!hasEnded && { refetchInterval: POLL_INTERVAL_MS }) },
  )
  useTick('canary', !hasEnded && (counts.data?.items.length ?? 0) > 0)
  const diffs = useGet(`${RELEASE}/diff`, { path }).data?.diffs ?? []
  if (release === undefined || (executionId !== null && execution === undefined))
    return (
      <Page title={texts.title}>
        <Pending of={release === undefined ? found : executed} lines={9} />
      </Page>
    )
  if (execution === undefined)
    return (
      <Page title={release.title} text={texts.notStarted}>
        <Go to={paths.release(oid, pid, rid)} className="btn">
          {texts.toReview}
        </Go>
      </Page>
    )
  const canaries = counts.data?.items ?? []
  const canary = canaries.find((one) => one.environment === execution.environment)
  return (
    <Page
      title={release.title}
      mark={<ExecutionTag execution={execution} />}
      text={<Headline release={release} diffs={diffs} execution={execution} canary={canary} />}
      actions={
        <>
          {!hasEnded && <RolloutActions path={path} allowed={release.allowed} execution={execution} canary={canary} />}
          {isRollback(release, execution) && <RollBackButton release={release} path={path} diffs={diffs} />}
          <Go to={paths.release(oid, pid, rid)} className="btn" data-kind="quiet">
            {texts.toReview}
          </Go>
        </>
      }
      hasFixedActions
    >
      <Progress
        release={release}
        execution={execution}
        canaries={canaries}
        diffs={diffs}
        stream={stream}
        countedAt={counts.dataUpdatedAt}
      />
    </Page>
  )
}

/** While only the first environment has a candidate, the rollout is stopped instead: there is nothing to restore. */
const isRollback = ({ allowed, environments }: Release, { environment }: Execution): boolean =>
  allowed.includes('rollback') && !(allowed.includes('abort') && environment === environments[0])

interface ProgressProps {
  readonly release: Release
  readonly execution: Execution
  readonly canaries: readonly CanaryProgress[]
  readonly diffs: readonly ReleaseDiff[]
  readonly stream: ReturnType<typeof useReleaseEvents>
  /** The time of the counts in epoch milliseconds. */
  readonly countedAt: number
}

function Progress({ release, execution, canaries, diffs, stream: { events, state }, countedAt }: ProgressProps) {
  const known = useEnvironments().data?.items.toSorted((one, other) => one.order - other.order) ?? []
  const [ruleset] = release.rulesets
  const colours = useCodeColours(ruleset?.name ?? '', ruleset?.from_seq ?? null)
  const versions = versionsOf(release, diffs)
  const hasEnded = execution.status !== 'running' && execution.status !== 'paused'
  const now = hasEnded ? Date.parse(execution.ended_at ?? execution.started_at) : countedAt
  const isSplit = !hasEnded && execution.stage !== null
  return (
    <div className="rollout">
      {release.environments.map((environment) => {
        const canary = canaries.find((one) => one.environment === environment)
        return (
          <Fragment key={environment}>
            <Stages
              environment={environment}
              weight={weightOf(environment, known)}
              isOneOfMany={release.environments.length > 1}
              canary={canary}
              execution={execution}
              events={events}
              versions={versions}
            />
            {canary !== undefined && canary.measures !== null && (
              <Tiles
                canary={canary}
                measures={canary.measures}
                expected={execution.expected.filter(({ environments }) => environments.includes(environment))}
                events={events}
                now={now}
                hasEnded={hasEnded}
                colours={colours}
                versions={versions}
              />
            )}
          </Fragment>
        )
      })}
      <div className="rollout-bottom">
        <Engines servers={execution.servers} events={events} isSplit={isSplit} isRunning={!hasEnded} />
        <Events events={events} execution={execution} stream={state} />
      </div>
    </div>
  )
}

/** The versions of both sides if the release has one ruleset; otherwise generic names. */
function versionsOf({ rulesets }: Release, diffs: readonly ReleaseDiff[]) {
  const [only, second] = rulesets
  if (only === undefined || second !== undefined) return { live: '', candidate: '' }
  const live = diffs.find(({ ruleset, base }) => ruleset === only.name && base !== null)?.base?.version ?? ''
  const candidate = only.version ?? ''
  return live === candidate ? { live: '', candidate: '' } : { live, candidate }
}

const TONES: Readonly<Record<Execution['status'], string>> = {
  running: 'candidate',
  paused: 'warn',
  completed: 'ok',
  failed: 'bad',
  cancelled: '',
  rolled_back: 'warn',
}

function ExecutionTag({ execution: { status, stage } }: { readonly execution: Execution }) {
  const { releases } = useTexts()
  const texts = useRolloutTexts()
  const isHeld = status === 'running' && stage?.verdict?.decision === 'hold'
  return (
    <span className="tag" data-tone={isHeld ? 'warn' : TONES[status]}>
      {status === 'running' && !isHeld && <span className="content-dot" data-side="candidate" aria-hidden="true" />}
      {isHeld
        ? texts.waitsForYou
        : status === 'running' && stage !== null
          ? texts.canaryRuns
          : releases.executions[status]}
    </span>
  )
}

/** The rulesets with both versions, the environments, and the next decision in one sentence. */
function Headline({
  release,
  diffs,
  execution,
  canary,
}: {
  readonly release: Release
  readonly diffs: readonly ReleaseDiff[]
  readonly execution: Execution
  readonly canary: CanaryProgress | undefined
}) {
  const texts = useRolloutTexts()
  const known = useEnvironments().data?.items.toSorted((one, other) => one.order - other.order) ?? []
  return (
    <span className="row wrap">
      {release.rulesets.map(({ name, version }) => {
        const base = diffs.find((one) => one.ruleset === name && one.base !== null)?.base?.version
        return (
          <b key={name}>
            {name} {base !== undefined && base !== version && `${base} → `}
            {version ?? texts.takenOut}
          </b>
        )
      })}
      <span>{texts.to}</span>
      {release.environments.map((name) => (
        <EnvironmentTag key={name} name={name} weight={weightOf(name, known)} />
      ))}
      <Sentence execution={execution} canary={canary} />
    </span>
  )
}

function Sentence({
  execution,
  canary,
}: {
  readonly execution: Execution
  readonly canary: CanaryProgress | undefined
}) {
  const texts = useRolloutTexts()
  const clock = useClock()
  const { status, step, environment, stage, servers, error } = execution
  const name = environment ?? ''
  const reason = error === null ? '' : (texts.reasons[error] ?? error)
  if (status === 'completed') {
    const all = [...new Set(servers.map((one) => one.environment))].join(', ')
    return <strong role="status">{texts.headline.completed(all)}</strong>
  }
  if (status === 'paused') {
    const why = stage?.verdict?.decision === 'rollback' ? (texts.reasons[stage.verdict.reason] ?? '') : ''
    return (
      <strong role="status">
        {texts.headline.paused(name)} {why}
      </strong>
    )
  }
  if (status !== 'running')
    return (
      <span role="status">
        <strong>{texts.headline[status]}</strong> {reason}
      </span>
    )
  if (stage === null) return <strong role="status">{texts.headline.running[step](name)}</strong>
  const verdict = stage.verdict
  if (verdict?.decision === 'hold')
    return (
      <span role="status">
        <Icon name="alert" size={14} /> <strong>{texts.held}</strong> {texts.reasons[verdict.reason] ?? verdict.reason}
      </span>
    )
  const measures = canary?.measures ?? null
  const isShift = measures !== null && isAlarm(measures.codes)
  const next = canary?.stages[stage.index + 1]?.percent
  return (
    <span role="status">
      {measures !== null && hasAlarm(measures) ? '' : `${texts.safe} `}
      <strong>
        {isShift
          ? texts.waitsAt(clock(stage.ends_at))
          : canary?.on_inconclusive === 'promote'
            ? texts.continuesAt(clock(stage.ends_at), next)
            : texts.decidesAt(clock(stage.ends_at))}
      </strong>
    </span>
  )
}
