import { type Expression, FUNCTIONS, walk } from '@engine/expression'
import { actionsOf, calledRulesets, expressionsOf, type Program, type Ruleset } from '@engine/ruleset'
import type { ExecutionService } from './execution.ts'

/** Properties of a ruleset that follow from its steps alone. */
export interface RulesetTraits {
  /** True if it reads no field of the input and calls nothing: every input has the same result. */
  readonly isStatic: boolean
  /**
   * True if it reads the time, calls something external or records a metric: its result or effect then depends on more
   * than content and input.
   */
  readonly isVolatile: boolean
  /** Names of the rulesets that it calls. */
  readonly calls: readonly string[]
}

const known = new WeakMap<Ruleset, RulesetTraits>()

/** The traits of a ruleset, computed once: linear in its expressions. */
export function traitsOf(ruleset: Ruleset): RulesetTraits {
  return known.getOrInsertComputed(ruleset, computed)
}

const VOLATILE: ReadonlySet<string> = new Set(
  [...FUNCTIONS.values()].filter((one) => one.volatile === true).map(({ name }) => name),
)

function computed(ruleset: Ruleset): RulesetTraits {
  const steps = [...ruleset.steps.values()]
  const actions = steps.flatMap(actionsOf)
  const calls = calledRulesets(ruleset)
  const goesOut = actions.some(({ action }) => action === 'external_call' || action === 'metric')
  let reads = false
  let isTimed = false
  const look = (node: Expression) => {
    if (node.kind === 'field') reads = true
    if (node.kind === 'call' && VOLATILE.has(node.name)) isTimed = true
  }
  for (const step of steps) for (const expression of expressionsOf(step)) walk(expression, look)
  const isVolatile = goesOut || isTimed
  return { isStatic: !reads && !isVolatile && calls.length === 0, isVolatile, calls }
}

/** The programs that a ruleset reaches by `call_ruleset`, including itself; undefined for a name that is not stored. */
export function reachedFrom(execution: ExecutionService, name: string): ReadonlyMap<string, Program | undefined> {
  const reached = new Map<string, Program | undefined>()
  const pending = [name]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (reached.has(next)) continue
    const program = execution.find(next)
    reached.set(next, program)
    if (program !== undefined) pending.push(...traitsOf(program.ruleset).calls)
  }
  return reached
}
