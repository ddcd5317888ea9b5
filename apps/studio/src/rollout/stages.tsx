import { type ReactNode, useEffect, useState } from 'react'
import type { ReleaseEvent } from '../api/release-events.ts'
import { useNumbers } from '../texts/texts.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { type EnvironmentWeight, EnvironmentTag } from '../ui/environment-tag.tsx'
import {
  type CanaryProgress,
  environmentState,
  type Execution,
  spanText,
  type Stage,
  type StageState,
  stateOf,
} from './progress.ts'
import { useClock, useRolloutTexts } from './rollout-texts.ts'

/** Interval in which the remaining time is updated. */
const TICK_INTERVAL_MS = 1000

interface StagesProps {
  readonly environment: string
  readonly weight: EnvironmentWeight
  /** Whether the release has several environments, so that names are shown. */
  readonly isOneOfMany: boolean
  /** Undefined if all engines get the release together. */
  readonly canary: CanaryProgress | undefined
  readonly execution: Execution
  readonly events: readonly ReleaseEvent[]
  /** The versions of both sides of the split. */
  readonly versions: { readonly live: string; readonly candidate: string }
}

/** The steps of a release through one environment: check, stages, full traffic, verification. */
export function Stages(props: StagesProps) {
  const { environment, weight, isOneOfMany, canary, execution, events, versions } = props
  const texts = useRolloutTexts()
  const stages = canary?.stages ?? []
  const columns = ['0.8fr', ...stages.map(({ duration_s: seconds }) => `${weightOfSpan(seconds)}fr`), '1.2fr', '0.8fr']
  const begun = stages.findLast(({ begun_at: at }) => at !== null)
  return (
    <section className="card" aria-label={`${texts.stages}: ${environment}`}>
      {isOneOfMany && (
        <header>
          <h2>
            <EnvironmentTag name={environment} weight={weight} />
          </h2>
        </header>
      )}
      <ol className="stages" style={{ '--columns': columns.join(' ') }} aria-label={texts.stages}>
        <Check {...props} />
        {stages.map((stage, at) => (
          <CanaryStage
            key={stage.index}
            stage={stage}
            state={stateOf(stage, environment, execution, stages[at + 1])}
            events={events}
            isOver={environmentState(environment, execution, events) === 'done'}
          />
        ))}
        <Everyone environment={environment} execution={execution} events={events} hasCanary={stages.length > 0} />
        <Verification environment={environment} execution={execution} events={events} />
      </ol>
      {begun !== undefined && begun.requests.canary + begun.requests.stable > 0 && (
        <Split stage={begun} versions={versions} />
      )}
    </section>
  )
}

/** The width of a stage on a logarithmic scale: an hour is not sixty times as wide as a minute. */
const weightOfSpan = (seconds: number) => Math.min(3, Math.max(1.3, Math.log10(Math.max(1, seconds)) - 1.2)).toFixed(2)

const ICONS: Readonly<Record<StageState, IconName>> = {
  coming: 'dashed',
  running: 'terminal',
  held: 'alert',
  paused: 'pause',
  passed: 'ok',
  ended: 'x',
}

/** One step of the rollout. */
function Part({
  state,
  name,
  left,
  note,
  share,
}: {
  readonly state: StageState
  readonly name: string
  /** The remaining time. */
  readonly left?: string | undefined
  readonly note: ReactNode
  /** Progress from 0 to 1. */
  readonly share: number
}) {
  const texts = useRolloutTexts()
  const isOpen = state === 'running' || state === 'held' || state === 'paused'
  return (
    <li className="stage-part" data-state={state} aria-current={isOpen ? 'step' : undefined}>
      <span className="stage-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className="stage-name">
        <Icon name={ICONS[state]} size={14} />
        <b>{name}</b>
        <span className="vh">{texts.begunStates[state]}</span>
        {left !== undefined && <span className="stage-left tnum">{left}</span>}
      </span>
      <small className="tnum">{note}</small>
    </li>
  )
}

function Check({ environment, execution, events }: StagesProps) {
  const texts = useRolloutTexts()
  const clock = useClock()
  const state = environmentState(environment, execution, events)
  const passed = events.find(({ type }) => type === 'preflight_passed')
  const engines = execution.servers.filter((one) => one.environment === environment).length
  const isRunning = state === 'here' && execution.step === 'preflight' && execution.status === 'running'
  const isDone = state !== 'coming' && !isRunning && passed !== undefined
  return (
    <Part
      state={isDone ? 'passed' : isRunning ? 'running' : 'coming'}
      name={texts.check}
      note={isDone ? texts.checked(clock(passed.at), engines) : texts.checks}
      share={isDone ? 1 : 0}
    />
  )
}

function CanaryStage({
  stage,
  state,
  events,
  isOver,
}: {
  readonly stage: Stage
  readonly state: StageState
  readonly events: readonly ReleaseEvent[]
  /** True if the release is live in the environment: a stage that has not begun was then skipped. */
  readonly isOver: boolean
}) {
  const texts = useRolloutTexts()
  const { number } = useNumbers()
  const clock = useClock()
  const isOpen = state === 'running' || state === 'held' || state === 'paused'
  const now = useNow(isOpen && state !== 'paused')
  const { percent, begun_at: begun, ends_at: ends, ended_at: ended, min_requests: needed, requests } = stage
  const span = stage.duration_s * 1000
  const remaining = ends === null ? span : Date.parse(ends) - now
  const share = begun === null ? 0 : isOpen ? Math.min(1, Math.max(0, 1 - remaining / Math.max(1, span))) : 1
  const counted = number(requests.canary)
  const passedAt = ended ?? events.findLast(({ type }) => type === 'execution_completed')?.at ?? ends
  const note =
    begun === null
      ? isOver
        ? texts.stageSkipped
        : texts.stageComing
      : state === 'paused'
        ? texts.stopped
        : isOpen
          ? texts.stageOpen(clock(begun), clock(ends), counted, needed === 0 ? undefined : number(needed))
          : texts.stageEnded[state === 'passed' ? 'passed' : 'ended'](clock(passedAt), counted)
  return (
    <Part
      state={state}
      name={texts.shareFor(percent, spanText(span, texts.units))}
      left={
        !isOpen || state === 'paused'
          ? undefined
          : remaining > 0
            ? texts.left(spanText(remaining, texts.units))
            : texts.overSince(spanText(-remaining, texts.units))
      }
      note={note}
      share={share}
    />
  )
}

interface EndProps {
  readonly environment: string
  readonly execution: Execution
  readonly events: readonly ReleaseEvent[]
}

function Everyone({ environment, execution, events, hasCanary }: EndProps & { readonly hasCanary: boolean }) {
  const texts = useRolloutTexts()
  const state = environmentState(environment, execution, events)
  const { status, step } = execution
  const isLive = state === 'done' || (state === 'here' && (step === 'verify' || step === 'done'))
  const isRunning = state === 'here' && step === 'full' && (status === 'running' || status === 'paused')
  return (
    <Part
      state={isLive ? 'passed' : isRunning ? (status === 'paused' ? 'paused' : 'running') : 'coming'}
      name={texts.everyone}
      note={isLive || isRunning ? texts.everyoneHas : hasCanary ? texts.everyoneLater : texts.everyoneTogether}
      share={isLive ? 1 : isRunning ? 0.5 : 0}
    />
  )
}

function Verification({ environment, execution, events }: EndProps) {
  const texts = useRolloutTexts()
  const clock = useClock()
  const state = environmentState(environment, execution, events)
  const done = events.findLast(
    ({ type, environment: name }) =>
      type === 'execution_completed' || (type === 'environment_completed' && name === environment),
  )
  const isRunning = state === 'here' && execution.step === 'verify' && execution.status === 'running'
  return (
    <Part
      state={state === 'done' ? 'passed' : isRunning ? 'running' : 'coming'}
      name={texts.verify}
      note={state === 'done' ? texts.verified(clock(done?.at ?? execution.ended_at)) : texts.verifies}
      share={state === 'done' ? 1 : isRunning ? 0.5 : 0}
    />
  )
}

/** The configured share, and the measured one. */
function Split({
  stage: { percent, requests },
  versions,
}: {
  readonly stage: Stage
  readonly versions: StagesProps['versions']
}) {
  const texts = useRolloutTexts()
  const { number, percent: percentOf } = useNumbers()
  const actual = requests.canary / (requests.canary + requests.stable)
  const [canary, stable] = [number(requests.canary), number(requests.stable)]
  return (
    <div className="split">
      <p>
        {texts.target(percent)} <b className="cand tnum">{texts.actual(percentOf(actual))}</b>
      </p>
      <div className="split-bar tnum" role="img" aria-label={texts.splitLabel(canary, stable)}>
        <span data-side="candidate" style={{ width: `${actual * 100}%` }} />
        <span className="split-words" aria-hidden="true">
          <span data-on={actual > 0.14 ? 'candidate' : 'live'}>{texts.splitCandidate(versions.candidate, canary)}</span>
          <span data-on={actual > 0.8 ? 'candidate' : 'live'}>{texts.splitLive(versions.live, stable)}</span>
        </span>
      </div>
      <p className="muted">{texts.sticky}</p>
    </div>
  )
}

/** The current time, updated while a stage is running. */
function useNow(runs: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(() => setNow(Date.now()), TICK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [runs])
  return now
}
