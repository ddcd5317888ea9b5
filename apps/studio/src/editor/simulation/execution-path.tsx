import type { DraftRuleset } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { useState } from 'react'
import type { LocalStep } from '../../language/tasks.ts'
import { stepAt } from '../../session/open-graph.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Expression } from '../../ui/expression.tsx'
import { Icon } from '../../ui/icon.tsx'
import { pretty } from '../../ui/json-text.ts'
import { ValueList } from '../../ui/value-list.tsx'

interface WayProps {
  readonly draft: DraftRuleset
  readonly steps: readonly LocalStep[]
  /** Number of steps shown as visited; the last one is the current step. */
  readonly shown: number
  /** Indexes of steps that took another exit in the compared version. */
  readonly different?: ReadonlySet<number>
  readonly showStep: (step: LocalStep) => void
}

/** The steps of an execution, with the evaluated branches and the resulting variables. */
export function ExecutionPath({ draft, steps, shown, different, showStep }: WayProps) {
  return steps.map((step, index) => (
    <Visited
      key={index}
      order={index + 1}
      step={step}
      before={steps[index - 1]?.values ?? {}}
      name={nameOf(draft, step)}
      isAhead={index >= shown}
      isLast={index === shown - 1 && shown < steps.length}
      isDifferent={different?.has(index) === true}
      select={() => showStep(step)}
    />
  ))
}

function nameOf(draft: DraftRuleset, { path, id, name }: LocalStep): string {
  const { within } = stepAt(draft, path) ?? {}
  const graph = within === undefined ? draft : draft.subRules?.[within]
  const own = graph?.steps.find((step) => step.id === id)?.name ?? name
  return within === undefined ? own : `${within} › ${own}`
}

/** Number of branches shown for a step at first: the last ones of a long table, which decided. */
const MAX_COUNT = 4

interface VisitedProps {
  readonly order: number
  readonly step: LocalStep
  /** The variables before the step. */
  readonly before: { readonly [name: string]: Value }
  readonly name: string
  readonly isAhead: boolean
  readonly isLast: boolean
  readonly isDifferent: boolean
  readonly select: () => void
}

function Visited({ order, step, before, name, isAhead, isLast, isDifferent, select }: VisitedProps) {
  const { simulator } = useTexts()
  const [isWhole, setWhole] = useState(false)
  const branches = step.branches ?? []
  const tried = isWhole ? branches : branches.slice(-MAX_COUNT)
  return (
    <div
      className="visited"
      data-ahead={isAhead ? '' : undefined}
      data-different={isDifferent ? '' : undefined}
      aria-current={isLast ? 'step' : undefined}
    >
      <button type="button" className="btn" data-kind="quiet" onClick={select}>
        <span className="tag" data-tone={isAhead ? undefined : 'ok'}>
          {order}
        </span>
        {name}
        {isDifferent && (
          <span className="tag" data-tone="warn">
            {simulator.different}
          </span>
        )}
      </button>
      {branches.length > tried.length && (
        <button type="button" className="btn" data-kind="quiet" onClick={() => setWhole(true)}>
          {simulator.allTried(branches.length)}
        </button>
      )}
      {tried.map((branch, index) => (
        <Tried key={index} branch={branch} />
      ))}
      <ValueList values={changed(before, step.values)} />
    </div>
  )
}

function Tried({ branch }: { readonly branch: Exclude<LocalStep['branches'], undefined>[number] }) {
  const { simulator } = useTexts()
  const { condition, taken, fields, error } = branch
  return (
    <div className="tried">
      <span style={{ color: taken ? 'var(--ok)' : 'var(--text-3)' }}>
        <Icon name={taken ? 'check' : 'x'} size={13} />
        <span className="vh">{taken ? simulator.taken : simulator.notTaken}</span>
      </span>
      <code title={condition}>
        <Expression text={condition} />
      </code>
      {error === undefined ? <ValueList values={fields} /> : <span className="bad">{error}</span>}
    </div>
  )
}

/** Variables that a step has set, named as in expressions. */
function changed(
  before: { readonly [name: string]: Value },
  after: { readonly [name: string]: Value },
): { readonly [name: string]: Value } {
  const entries = Object.entries(after).filter(([name, value]) => pretty(before[name]) !== pretty(value))
  return Object.fromEntries(entries.map(([name, value]) => [`$${name}`, value]))
}
