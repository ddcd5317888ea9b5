import {
  type Budget,
  constantOf,
  defined,
  type EvaluationPolicy,
  type Expression,
  foldingBudget,
  FUNCTIONS,
  OPERATORS,
  sizeOf,
  walk,
} from '@engine/expression'
import { indexableConjuncts } from '../dispatch/indexable-conjuncts.ts'
import { cycles, longestPath, predecessors, reachable, stepGraph, type StepGraph } from '../graph.ts'
import type { Action, DecisionStep, Ruleset, Step } from '../model.ts'
import { actionsOf, expressionsOf, expressionsOfAction } from '../step-expressions.ts'

/** The analysis of a ruleset that code generation needs. */
export interface Plan {
  readonly ruleset: Ruleset
  readonly policy: EvaluationPolicy
  readonly graph: StepGraph
  readonly steps: readonly Step[]
  /** Steps with more than one predecessor: jump targets. */
  readonly heads: ReadonlySet<number>
  /** Entered steps are counted: there is a loop, or a path longer than `max_depth`. */
  readonly isCounted: boolean
  /** Units of work of each step, by step number, excluding the charges of its operators and functions. */
  readonly weights: Int32Array
  /** Units of work of all steps together. */
  readonly weight: number
  /**
   * Steps charge their work when entered. Not needed when all steps together are light: apart from the charges of
   * operators and functions such an execution ends within microseconds, and charging would cost more than its rules.
   */
  readonly isCharged: boolean
  /** Pauses are possible between steps: steps are charged, or some take longer for larger values. */
  readonly isLong: boolean
  /** It may wait or run long, so it becomes a generator. */
  readonly isResumable: boolean
  /** Budget for evaluating the constant parts of all its expressions ahead of time. */
  readonly folding: Budget
  /** An expression reads the time, or a called ruleset might. */
  readonly readsClock: boolean
  /** The numbers of the variables that are set. */
  readonly variables: ReadonlyMap<string, number>
  /**
   * So large that generating code would block the thread for too long: it is interpreted, which has no upfront cost.
   */
  readonly isTooLarge: boolean
}

/** Expression nodes that code is generated for, in some 50 ms; an indexed condition counts as one. */
const MAX_NODES = 20_000

export function planOf(ruleset: Ruleset, policy: EvaluationPolicy): Plan {
  const graph = stepGraph(ruleset)
  const steps = [...ruleset.steps.values()]
  const { maxDepth } = ruleset.config
  const longest = longestPath(graph)
  const isCyclic = longest === Infinity
  const isCounted = longest > maxDepth
  const actions = steps.flatMap(actionsOf)
  const weights = Int32Array.from(steps, weightOf)
  const weight = weights.reduce((sum, each) => sum + each, 0)
  const isCharged = isCounted || weight > LIGHT
  const isLong = isCharged || steps.some((step) => expressionsOf(step).some(isUnbounded))
  return {
    ruleset,
    policy,
    graph,
    steps,
    heads: headsOf(graph),
    isCounted,
    weights,
    weight,
    isCharged,
    isLong,
    isResumable: isCyclic || actions.some(waits) || (isLong && actions.some(isTold)),
    folding: foldingBudget(),
    readsClock:
      actions.some(({ action }) => action === 'call_ruleset') ||
      steps.some((step) => expressionsOf(step).some(asksTime)),
    isTooLarge: isTooLarge(steps, weights, policy),
    variables: new Map([...new Set(actions.flatMap(variableOf))].map((name, number) => [name, number])),
  }
}

/** Units of work of all steps below which a ruleset is not charged: some 100 µs. */
const LIGHT = 20_000
/** Units of entering a step, trying a branch or running an action, excluding their expressions. */
const STEP = 4

/** The worst case of a step: every branch is tried. */
function weightOf(step: Step): number {
  const parts = step.type === 'decision' ? step.branches.length : 0
  return expressionsOf(step).reduce((sum, expression) => sum + sizeOf(expression) + STEP, (1 + parts) * STEP)
}

/** Units of work of one step beyond which no index is attempted: the analysis would block the thread for too long. */
const MAX_INDEXED = 250_000

function isTooLarge(steps: readonly Step[], weights: Int32Array, policy: EvaluationPolicy): boolean {
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

/** Below this number of branches an index saves no code. */
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

function waits(action: Action): boolean {
  return action.action === 'call_ruleset' || (action.action === 'external_call' && action.resultVariable !== undefined)
}

/** Actions with an immediate external effect: after one, an execution cannot be restarted. */
function isTold({ action }: Action): boolean {
  return action === 'log' || action === 'metric' || action === 'external_call'
}

function variableOf(action: Action): readonly string[] {
  switch (action.action) {
    case 'set_variable':
      return [action.name]
    case 'call_ruleset':
      return [action.resultVariable]
    case 'external_call':
      return action.resultVariable === undefined ? [] : [action.resultVariable]
    default:
      return []
  }
}

function asksTime(expression: Expression): boolean {
  let found = false
  walk(expression, (node) => {
    found ||= node.kind === 'call' && FUNCTIONS.get(node.name)?.volatile === true
  })
  return found
}

/** Whether the time of an expression depends on the size of its inputs. */
export function isUnbounded(expression: Expression): boolean {
  let found = false
  walk(expression, (node) => {
    found ||=
      (node.kind === 'call' && FUNCTIONS.get(node.name)?.bounded !== true) ||
      (node.kind === 'binary' && OPERATORS[node.operator].bounded !== true && constantOf(node.right) === undefined) ||
      ((node.kind === 'field' || node.kind === 'variable' || node.kind === 'member') &&
        node.path.some(({ kind }) => kind === 'wildcard'))
  })
  return found
}

/** Steps with several predecessors, and one of each loop, so that every cycle passes a head. */
function headsOf(graph: StepGraph): ReadonlySet<number> {
  const reached = reachable(graph)
  const heads = new Set([graph.entry])
  for (const [step, before] of predecessors(graph).entries()) {
    if (before.filter((from) => reached[from] === true).length > 1) heads.add(step)
  }
  for (const loop of cycles(graph.successors)) if (!loop.some((step) => heads.has(step))) heads.add(defined(loop[0]))
  return heads
}
