import { type FeelShape, isOfShape } from '../feel/shape.ts'
import { TooLarge } from '../size-error.ts'
import type { Decision, DecisionService, Definitions, DmnReport } from './definitions.ts'
import { dmnLosses } from './losses.ts'

/** The decisions of one ruleset, each preceded by all that it depends on. */
export interface DecisionChain {
  readonly name: string
  /** The decisions whose results the chain returns. */
  readonly tops: readonly Decision[]
  readonly order: readonly Decision[]
  /** Ids of the decisions whose results are inputs, and of the input data of a service. */
  readonly given: ReadonlySet<string>
}

/** Maximum number of decisions in all chains of a document; a decision that several chains require counts in each. */
const MAX_DECISIONS = 20_000

/**
 * The chains of a model in topological order: of the given decision or service, or of each service and each decision that
 * no other requires. Cyclic decisions are excluded. Linear in the decisions of all chains and their requirements. Throws
 * `TooLarge`.
 */
export function chainsOf(
  { decisions, services, types, imported }: Definitions,
  report: DmnReport,
  asked: Decision | DecisionService | undefined,
): readonly DecisionChain[] {
  const required = new Set(Array.from(decisions.values(), requiredIds).flat())
  const cyclic = cyclicIn(decisions)
  for (const decision of cyclic) report.error(decision.element, [decision.id], dmnLosses.cycle())
  for (const decision of decisions.values())
    for (const id of requiredIds(decision))
      if (!decisions.has(id)) report.error(decision.element, [decision.id], dmnLosses.unknownDecision(id))
  let left = MAX_DECISIONS
  const chainOf = (name: string, tops: readonly Decision[], given: ReadonlySet<string>): readonly DecisionChain[] => {
    const order = orderOf(tops, decisions, given)
    left -= order.length
    if (left < 0) throw new TooLarge(`the rulesets of a model have at most ${MAX_DECISIONS} decisions`)
    return order.some((decision) => cyclic.has(decision)) ? [] : [{ name, tops, order, given }]
  }
  const ofDecisions = [...decisions.values()].flatMap((top) => {
    if (imported.has(top.id) || (asked === undefined ? required.has(top.id) : top !== asked)) return []
    return chainOf(top.name, [top], new Set())
  })
  const ofServices = [...services.values()].flatMap((service) => {
    if (imported.has(service.id) || (asked !== undefined && service !== asked)) return []
    const tops = service.outputs.flatMap((id) => {
      const top = decisions.get(id)
      if (top === undefined) report.error(service.element, [service.id], dmnLosses.unknownDecision(id))
      return top ?? []
    })
    if (tops.length > 0 && !hasType(service, tops, types))
      report.error(service.element, [service.id], dmnLosses.resultType(service.type ?? ''))
    return tops.length === 0
      ? []
      : chainOf(service.name, tops, new Set([...service.inputDecisions, ...service.inputData]))
  })
  return [...ofDecisions, ...ofServices]
}

const requiredIds = ({ decisions }: Decision) => decisions.map(({ id }) => id)

/** Whether the results of a service certainly have its declared type: FEEL replaces any other value by null. */
function hasType({ type }: DecisionService, tops: readonly Decision[], types: Definitions['types']): boolean {
  if (type === undefined || /^(?:.*[:}.])?Any$/.test(type.trim())) return true
  const [only] = tops
  const shapes = new Map(tops.map((top) => [top.name, types.shapeOf(top.type)]))
  const names = [...shapes.keys()]
  const found: FeelShape | undefined =
    tops.length === 1 ? types.shapeOf(only?.type) : { kind: 'context', names, member: (name) => shapes.get(name) }
  return isOfShape(found, types.shapeOf(type))
}

/** Decisions on a cycle, found by repeatedly removing those without remaining requirements. */
function cyclicIn(decisions: Definitions['decisions']): ReadonlySet<Decision> {
  const dependents = new Map<string, Decision[]>()
  const waiting = new Map<Decision, number>()
  const ready: Decision[] = []
  for (const decision of decisions.values()) {
    const known = requiredIds(decision).filter((id) => decisions.has(id))
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

/**
 * Decisions, preceded by everything they require that is not given. Uses an explicit stack, since a chain may be long.
 */
function orderOf(
  tops: readonly Decision[],
  decisions: Definitions['decisions'],
  given: ReadonlySet<string>,
): readonly Decision[] {
  const order: Decision[] = []
  const entered = new Set<string>(given)
  const stack = tops.toReversed().map((decision) => ({ decision, isDone: false }))
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { decision, isDone } = entry
    if (isDone) order.push(decision)
    if (isDone || entered.has(decision.id)) continue
    entered.add(decision.id)
    stack.push({ decision, isDone: true })
    for (const id of requiredIds(decision).toReversed()) {
      const required = decisions.get(id)
      if (required !== undefined && !entered.has(id)) stack.push({ decision: required, isDone: false })
    }
  }
  return order
}
