import type { Case, DraftRuleset, TracedStep } from '@engine/authoring'
import { useId, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { Icon } from '../ui/icon.tsx'
import { pretty, short } from '../ui/pretty.ts'
import { InputForm } from './input-form.tsx'
import type { Simulation } from './simulation.ts'

interface SimulatorProps {
  readonly draft: DraftRuleset
  readonly simulation: Simulation
  readonly cases: readonly Case[]
  readonly select: (id: string) => void
  readonly saveAsTest: (() => void) | undefined
}

/** Input on the left, the way through the rules on the right. */
export function Simulator({ draft, simulation, cases, select, saveAsTest }: SimulatorProps) {
  const { simulator } = useTexts()
  const id = useId()
  const [isForm, setForm] = useState(true)
  const { text, input, fields, run, refusal, write, execute } = simulation
  return (
    <div className="simulator">
      <div className="stack" tabIndex={0} role="region" aria-label={simulator.input}>
        <div className="row">
          <div className="seg" role="group" aria-label={simulator.input}>
            <button type="button" aria-current={isForm ? 'true' : undefined} onClick={() => setForm(true)}>
              {simulator.form}
            </button>
            <button type="button" aria-current={isForm ? undefined : 'true'} onClick={() => setForm(false)}>
              {simulator.json}
            </button>
          </div>
          <span className="grow" />
          {cases.length > 0 && (
            <select
              className="input"
              style={{ width: 170 }}
              aria-label={simulator.savedCase}
              value=""
              onChange={({ target }) => void execute(pretty(cases[Number(target.value)]?.input ?? {}))}
            >
              <option value="">{simulator.savedCase}</option>
              {cases.map(({ name }, index) => (
                <option key={name} value={index}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </div>
        {isForm && input !== undefined ? (
          <InputForm fields={fields} input={input} change={(changed) => write(pretty(changed))} />
        ) : (
          <div className="field grow">
            <label className="vh" htmlFor={id}>
              {simulator.json}
            </label>
            <textarea
              id={id}
              className="input"
              rows={8}
              value={text}
              spellCheck={false}
              onChange={({ target }) => write(target.value)}
            />
          </div>
        )}
      </div>
      <div className="stack" tabIndex={0} role="region" aria-label={simulator.way} aria-live="polite">
        {refusal !== undefined ? (
          <p className="note" data-tone="bad">
            {refusal}
          </p>
        ) : run === undefined ? (
          <p className="muted">{simulator.hint}</p>
        ) : (
          <>
            <div className="row wrap">
              <span className="muted">{simulator.result}</span>
              {run.code === null ? <b>{run.error?.message}</b> : <code className="result">{run.code}</code>}
              <span>{run.message}</span>
              {saveAsTest !== undefined && (
                <button type="button" className="btn" onClick={saveAsTest}>
                  <Icon name="test" size={13} />
                  {simulator.saveAsTest}
                </button>
              )}
            </div>
            {run.output !== null && <code>{short(run.output, 300)}</code>}
            {run.steps.map((step, index) => (
              <Visited
                key={index}
                order={index + 1}
                step={step}
                name={nameOf(draft, step)}
                select={() => select(step.id)}
              />
            ))}
          </>
        )}
      </div>
    </div>
  )
}

const nameOf = ({ steps }: DraftRuleset, { id, name }: TracedStep) => steps.find((step) => step.id === id)?.name ?? name

/** Branches that are shown of a step: of a long table the last ones, which decided. */
const MOST = 4

function Visited({
  order,
  step,
  name,
  select,
}: {
  readonly order: number
  readonly step: TracedStep
  readonly name: string
  readonly select: () => void
}) {
  const { simulator } = useTexts()
  return (
    <div>
      <button type="button" className="btn" data-kind="quiet" onClick={select}>
        <span className="tag" data-tone="ok">
          {order}
        </span>
        {name}
      </button>
      {(step.branches ?? []).slice(-MOST).map(({ condition, taken, fields }, index) => (
        <div key={index} className="tried">
          <span style={{ color: taken ? 'var(--ok)' : 'var(--text-3)' }}>
            <Icon name={taken ? 'check' : 'x'} size={13} />
            <span className="vh">{taken ? simulator.taken : simulator.notTaken}</span>
          </span>
          <code>
            <Expression text={condition} />
          </code>
          <span className="mono muted">
            {Object.entries(fields)
              .slice(0, 3)
              .map(([path, value]) => `${path} = ${short(value)}`)
              .join(', ')}
          </span>
        </div>
      ))}
    </div>
  )
}
