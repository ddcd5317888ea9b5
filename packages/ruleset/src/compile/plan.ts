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
} from '@engine/expression/core'
import { cycles, longestPath, predecessors, reachable, stepGraph, type StepGraph } from '../graph.ts'
import type { Action, Ruleset, Step } from '../model.ts'
import { actionsOf, expressionsOf } from '../step-expressions.ts'

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
}

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
    isResumable: isCyclic || actions.some(waits) || (isLong && actions.some(hasExternalEffect)),
    folding: foldingBudget(),
    readsClock:
      actions.some(({ action }) => action === 'call_ruleset') ||
      steps.some((step) => expressionsOf(step).some(asksTime)),
    variables: new Map([...new Set(actions.flatMap(variableOf))].map((name, number) => [name, number])),
  }
}

/** Whether an execution that should yield starts again, in a form that can (`NEEDS_PAUSE`). */
export const isRestartable = ({ isLong, isResumable }: Plan): boolean => isLong && !isResumable

/** Units of work of all steps below which a ruleset is not charged: some 100 µs. */
const LIGHT = 20_000
/** Units of entering a step, trying a branch or running an action, excluding their expressions. */
const STEP = 4

/** The worst case of a step: every branch is tried. */
function weightOf(step: Step): number {
  const parts = step.type === 'decision' ? step.branches.length : 0
  return expressionsOf(step).reduce((sum, expression) => sum + sizeOf(expression) + STEP, (1 + parts) * STEP)
}

function waits(action: Action): boolean {
  return action.action === 'call_ruleset' || (action.action === 'external_call' && action.resultVariable !== undefined)
}

/** Whether an action has an immediate external effect, after which an execution cannot be restarted. */
function hasExternalEffect({ action }: Action): boolean {
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
