import { Suspense, useState } from 'react'
import type { LocalRun } from '../../language/tasks.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { short } from '../../ui/json-text.ts'
import { Skeleton } from '../../ui/states.tsx'
import { SteadyButton } from '../../ui/steady-button.tsx'
import { RunComparison } from './lazy-parts.ts'
import { useEditor } from '../state/editor-context.ts'
import { SimulatorInput } from './simulator-input.tsx'
import { WhyNotAnswer } from './why-not.tsx'
import { ExecutionPath } from './execution-path.tsx'

export interface SimulatorProps {
  /** Undefined when the user may not save cases. */
  readonly saveAsTest: (() => void) | undefined
  /** Puts the execution into the URL; undefined if it does not fit. */
  readonly link: (() => void) | undefined
}

/** Input on the left, the path through the rules on the right. */
export function Simulator(props: SimulatorProps) {
  const { simulator } = useTexts()
  const { draft, simulation, selectPath } = useEditor()
  const { run, refusal, shown } = simulation
  const [isComparing, setComparing] = useState(false)
  return (
    <div className="simulator">
      <SimulatorInput />
      <div className="stack" tabIndex={0} role="region" aria-label={simulator.way} aria-live="polite">
        {refusal !== undefined ? (
          <p className="note" data-tone="bad">
            {refusal}
          </p>
        ) : run === undefined ? (
          <p className="muted">{simulator.hint}</p>
        ) : (
          <>
            <Result {...props} run={run} isComparing={isComparing} compare={setComparing} />
            {isComparing ? (
              <Suspense fallback={<Skeleton />}>
                <RunComparison run={run} />
              </Suspense>
            ) : (
              <ExecutionPath draft={draft} steps={run.steps} shown={shown} showStep={({ path }) => selectPath(path)} />
            )}
          </>
        )}
      </div>
    </div>
  )
}

interface ResultProps extends SimulatorProps {
  readonly run: LocalRun
  readonly isComparing: boolean
  readonly compare: (isComparing: boolean) => void
}

/** The result of an execution, with actions. */
function Result({ run, saveAsTest, link, isComparing, compare }: ResultProps) {
  const { simulator } = useTexts()
  const { simulation } = useEditor()
  const [linked, setLinked] = useState<string>()
  return (
    <>
      <div className="row wrap">
        <span className="muted">{simulator.result}</span>
        {run.code === null ? <b>{run.error?.message}</b> : <code className="result">{run.code}</code>}
        <span>{run.message}</span>
        <span className="grow" />
        <Stepper run={run} />
        <button type="button" className="btn" aria-pressed={isComparing} onClick={() => compare(!isComparing)}>
          <Icon name="history" size={13} />
          {simulator.compare}
        </button>
        {saveAsTest !== undefined && (
          <button type="button" className="btn" onClick={saveAsTest}>
            <Icon name="test" size={13} />
            {simulator.saveAsTest}
          </button>
        )}
        {link !== undefined && (
          <button
            type="button"
            className="btn"
            onClick={() => {
              link()
              setLinked(simulation.executed)
            }}
          >
            {simulator.link}
          </button>
        )}
        <span className="muted" role="status">
          {linked === simulation.executed ? simulator.linked : ''}
        </span>
      </div>
      {!isComparing && <WhyNotAnswer run={run} />}
      {run.output !== null && !isComparing && <code>{short(run.output, 300)}</code>}
    </>
  )
}

/** Steps backward and forward through the execution; canvas and table show it up to the current step. */
function Stepper({ run: { steps } }: { readonly run: LocalRun }) {
  const { simulator } = useTexts()
  const { simulation, selectPath } = useEditor()
  const { shown, stepTo } = simulation
  const go = (to: number) => {
    const step = steps[to - 1]
    if (step === undefined) return
    stepTo(to)
    selectPath(step.path)
  }
  return (
    <div className="row" role="group" aria-label={simulator.stepping}>
      <SteadyButton className="btn icon" aria-label={simulator.back} isOff={shown <= 1} onClick={() => go(shown - 1)}>
        <span className="turned">
          <Icon name="right" />
        </span>
      </SteadyButton>
      <span className="tnum">{simulator.stepOf(shown, steps.length)}</span>
      <SteadyButton
        className="btn icon"
        aria-label={simulator.forward}
        isOff={shown >= steps.length}
        onClick={() => go(shown + 1)}
      >
        <Icon name="right" />
      </SteadyButton>
    </div>
  )
}
