import { useEffect, useState } from 'react'
import { useNumbers, useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { type CanaryProgress, type Execution, spanText, type Stage, type StageState, stateOf } from './progress.ts'
import { useRolloutTexts } from './rollout-texts.ts'

/** Milliseconds between two updates of the time that is left. */
const TICK_INTERVAL_MS = 1000

/** The stages of a canary in their order, with the time and the requests of each. */
export function Stages({ canary, execution }: { readonly canary: CanaryProgress; readonly execution: Execution }) {
  const texts = useRolloutTexts()
  return (
    <ol className="stages" aria-label={`${texts.stages}: ${canary.environment}`}>
      {canary.stages.map((stage, at) => (
        <StageCard
          key={stage.index}
          stage={stage}
          state={stateOf(stage, canary.environment, execution, canary.stages[at + 1])}
        />
      ))}
    </ol>
  )
}

const TONES: Readonly<Partial<Record<StageState, string>>> = {
  running: 'candidate',
  held: 'warn',
  paused: 'warn',
  passed: 'ok',
}

function StageCard({ stage, state }: { readonly stage: Stage; readonly state: StageState }) {
  const texts = useRolloutTexts()
  const { number } = useNumbers()
  const time = useTime()
  const isOpen = state === 'running' || state === 'held' || state === 'paused'
  const now = useNow(isOpen && state !== 'paused')
  const { percent, begun_at: begun, ends_at: ends, ended_at: ended, min_requests: needed, requests } = stage
  const span = stage.duration_s * 1000
  const remaining = ends === null ? span : Date.parse(ends) - now
  const share = begun === null ? 0 : isOpen ? Math.min(1, Math.max(0, 1 - remaining / Math.max(1, span))) : 1
  return (
    <li className="stage-card" data-state={state} aria-current={isOpen ? 'step' : undefined}>
      <div className="row">
        <b>{texts.share(percent)}</b>
        <span className="grow" />
        <span className="tag" data-tone={TONES[state]}>
          {state === 'passed' && <Icon name="check" size={12} />}
          {texts.begunStates[state]}
        </span>
      </div>
      <span className="stage-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className="tnum">
        {state === 'paused'
          ? texts.stopped
          : isOpen
            ? remaining > 0
              ? texts.left(spanText(remaining, texts.units))
              : texts.overSince(spanText(-remaining, texts.units))
            : begun === null
              ? texts.duration(spanText(span, texts.units))
              : texts.from(time(begun), time(ended ?? ends))}
      </span>
      {begun !== null && (
        <span className="muted tnum">
          {texts.requests(number(requests.canary), needed === 0 ? undefined : number(needed))}
        </span>
      )}
    </li>
  )
}

/** The time, which passes while a stage is open. */
function useNow(runs: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(() => setNow(Date.now()), TICK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [runs])
  return now
}
