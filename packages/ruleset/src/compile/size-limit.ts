import { type EvaluationPolicy, walk } from '@engine/expression/core'
import { indexableConjuncts } from '../dispatch/indexable-conjuncts.ts'
import type { DecisionStep } from '../model.ts'
import { actionsOf, expressionsOf, expressionsOfAction } from '../step-expressions.ts'
import type { Plan } from './plan.ts'

/**
 * Maximum number of expression nodes for code generation, which takes some 50 ms; an indexed condition counts as one.
 */
const MAX_NODES = 20_000

/** Maximum work units of one step for an index: beyond them the analysis would block the thread for too long. */
const MAX_INDEXED = 250_000

/** Whether generating code would block the thread for too long: then a ruleset is interpreted, which has no upfront cost. */
export function isTooLarge({ steps, weights, policy }: Plan): boolean {
  let nodes = 0
  const count = () => {
    nodes++
  }
  for (const [number, step] of steps.entries()) {
    if ((weights[number] ?? 0) > MAX_INDEXED) return true
    if (step.type === 'decision' && hasIndex(step, policy)) {
      nodes += step.branches.length
      for (const action of actionsOf(step))
        for (const expression of expressionsOfAction(action)) walk(expression, count)
    } else for (const expression of expressionsOf(step)) walk(expression, count)
    if (nodes > MAX_NODES) return true
  }
  return false
}

/** Number of branches from which an index saves code. */
const MIN_INDEXED = 12

/** Whether most branches of a decision start with a test of the same path, which an index can answer. */
function hasIndex({ branches }: DecisionStep, policy: EvaluationPolicy): boolean {
  if (branches.length < MIN_INDEXED) return false
  const keys = new Map<string, number>()
  for (const { condition } of branches) {
    const key = indexableConjuncts(condition, policy).tests[0]?.key
    if (key !== undefined) keys.set(key, (keys.get(key) ?? 0) + 1)
  }
  return [...keys.values()].some((count) => count * 2 > branches.length)
}
