import { TooLarge } from '../size-error.ts'
import type { Decision, Definitions, DmnReport } from './definitions.ts'
import { dmnLosses } from './losses.ts'

/** A decision that no other requires, preceded by all that it depends on. */
export interface DecisionChain {
  readonly top: Decision
  readonly order: readonly Decision[]
}

/** Decisions of all chains of a document: one required by several counts in each. */
const MAX_DECISIONS = 20_000

/**
 * The chains of a model in topological order: of the given decision, or of each that no other requires. Cyclic decisions
 * are excluded. Linear in the decisions of all chains and their requirements. Throws `TooLarge`.
 */
export function chainsOf(
  { decisions }: Definitions,
  report: DmnReport,
  asked: Decision | undefined,
): readonly DecisionChain[] {
  const required = new Set(Array.from(decisions.values(), (decision) => decision.decisions).flat())
  const cyclic = cyclicIn(decisions)
  for (const decision of cyclic) report.error(decision.element, [decision.id], dmnLosses.cycle(decision.name))
  for (const decision of decisions.values())
    for (const id of decision.decisions)
      if (!decisions.has(id)) report.error(decision.element, [decision.id], dmnLosses.unknownDecision(id))
  let left = MAX_DECISIONS
  return [...decisions.values()].flatMap((top) => {
    if (asked === undefined ? required.has(top.id) : top !== asked) return []
    const order = orderOf(top, decisions)
    left -= order.length
    if (left < 0) throw new TooLarge(`the rulesets of a model have at most ${MAX_DECISIONS} decisions`)
    return order.some((decision) => cyclic.has(decision)) ? [] : [{ top, order }]
  })
}

/** Decisions on a cycle, found by repeatedly removing those without remaining requirements. */
function cyclicIn(decisions: Definitions['decisions']): ReadonlySet<Decision> {
  const dependents = new Map<string, Decision[]>()
  const waiting = new Map<Decision, number>()
  const ready: Decision[] = []
  for (const decision of decisions.values()) {
    const known = decision.decisions.filter((id) => decisions.has(id))
    waiting.set(decision, known.length)
    if (known.length === 0) ready.push(decision)
    for (const id of known) {
      const list = dependents.get(id)
      if (list === undefined) dependents.set(id, [decision])
      else list.push(decision)
    }
  }
  for (const decision of ready) {
    waiting.delete(decision)
    for (const dependent of dependents.get(decision.id) ?? []) {
      const count = (waiting.get(dependent) ?? 0) - 1
      waiting.set(dependent, count)
      if (count === 0) ready.push(dependent)
    }
  }
  return new Set(waiting.keys())
}

/** A decision preceded by everything it requires. Uses its own stack: a chain may be long. */
function orderOf(top: Decision, decisions: Definitions['decisions']): readonly Decision[] {
  const order: Decision[] = []
  const entered = new Set<string>()
  const stack = [{ decision: top, isDone: false }]
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { decision, isDone } = entry
    if (isDone) order.push(decision)
    if (isDone || entered.has(decision.id)) continue
    entered.add(decision.id)
    stack.push({ decision, isDone: true })
    for (const id of decision.decisions.toReversed()) {
      const required = decisions.get(id)
      if (required !== undefined && !entered.has(id)) stack.push({ decision: required, isDone: false })
    }
  }
  return order
}
