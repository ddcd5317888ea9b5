import type { Action, Ruleset, Step } from './model.ts'

/**
 * The steps of a ruleset as a graph of numbers: a step's number is its position in the document. Everything here is
 * iterative, so that a chain of 10,000 steps costs no stack.
 */
export interface StepGraph {
  readonly ids: readonly string[]
  readonly numbers: ReadonlyMap<string, number>
  readonly entry: number
  /** The successors of each step, without duplicates, in branch order. */
  readonly successors: readonly (readonly number[])[]
}

/** The graph of the steps of a decoded ruleset. */
export function stepGraph(ruleset: {
  readonly steps: Ruleset['steps']
  readonly config: Pick<Ruleset['config'], 'entryStep'>
}): StepGraph {
  const ids = [...ruleset.steps.keys()]
  const numbers = new Map(ids.map((id, number) => [id, number]))
  const successors = Array.from(ruleset.steps.values(), (step) => distinctTargets(step, numbers))
  return { ids, numbers, entry: numbers.get(ruleset.config.entryStep) ?? 0, successors }
}

function distinctTargets(step: Step, numbers: ReadonlyMap<string, number>): readonly number[] {
  const targets = new Set<number>()
  for (const id of targetIds(step)) {
    const number = numbers.get(id)
    if (number !== undefined) targets.add(number)
  }
  return [...targets]
}

/** Ids of a step's successors: branches in order, then the default; with duplicates. */
export function targetIds(step: Step): readonly string[] {
  switch (step.type) {
    case 'terminal':
      return []
    case 'action':
      return [step.nextStep]
    case 'decision': {
      const ids = step.branches.map(({ nextStep }) => nextStep)
      if (step.defaultNext !== undefined) ids.push(step.defaultNext)
      return ids
    }
  }
}

/** Whether each step is reachable from the entry step. */
export function reachable(graph: StepGraph): readonly boolean[] {
  const reached = graph.ids.map(() => false)
  const open = [graph.entry]
  reached[graph.entry] = true
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    for (const next of graph.successors[step] ?? []) {
      if (reached[next] === true) continue
      reached[next] = true
      open.push(next)
    }
  }
  return reached
}

/** The predecessors of each step. */
export function predecessors(graph: StepGraph): readonly (readonly number[])[] {
  const before: number[][] = graph.ids.map(() => [])
  for (const [step, nexts] of graph.successors.entries()) for (const next of nexts) before[next]?.push(step)
  return before
}

/**
 * The groups of steps that form cycles (strongly connected components with a cycle), each in document order. Tarjan's
 * algorithm on an explicit stack.
 */
export function cycles(successors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const found: (readonly number[])[] = []
  for (const component of components(successors)) {
    const [only] = component
    if (component.length === 1 && only !== undefined && successors[only]?.includes(only) !== true) continue
    found.push(component.toSorted((a, b) => a - b))
  }
  return found
}

/** Strongly connected components, in reverse topological order. */
function components(successors: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const count = successors.length
  const order = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const tried = new Int32Array(count)
  const waiting = new Uint8Array(count)
  const stack: number[] = []
  const found: number[][] = []
  let visited = 0

  for (let root = 0; root < count; root++) {
    if (order[root] !== -1) continue
    const path = [root]
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      if (order[step] === -1) {
        order[step] = low[step] = visited++
        stack.push(step)
        waiting[step] = 1
      }
      const next = successors[step]?.[tried[step]!++]
      if (next !== undefined) {
        if (order[next] === -1) path.push(next)
        else if (waiting[next] === 1) low[step] = Math.min(low[step]!, order[next]!)
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[step]!)
      if (low[step] === order[step]) found.push(popComponent(stack, waiting, step))
    }
  }
  return found
}

function popComponent(stack: number[], waiting: Uint8Array, root: number): number[] {
  const component: number[] = []
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    waiting[step] = 0
    component.push(step)
    if (step === root) break
  }
  return component
}

/**
 * The maximum number of steps that one execution can enter, including the terminal; Infinity when the reachable steps
 * contain a cycle.
 */
export function longestPath(graph: StepGraph): number {
  const reached = reachable(graph)
  const successors = graph.successors.map((nexts, step) => (reached[step] === true ? nexts : []))
  if (cycles(successors).length > 0) return Infinity
  const length = new Int32Array(successors.length)
  // Where there are no cycles, each component is one step and follows its successors.
  for (const [step] of components(successors)) {
    if (step === undefined) continue
    let longest = 0
    for (const next of successors[step] ?? []) longest = Math.max(longest, length[next]!)
    length[step] = longest + 1
  }
  return length[graph.entry] ?? 0
}

/** Whether the action can change a variable, and thereby the result of a later condition. */
export function changesVariables(action: Action): boolean {
  switch (action.action) {
    case 'set_variable':
    case 'call_ruleset':
      return true
    case 'external_call':
      return action.resultVariable !== undefined
    case 'log':
    case 'metric':
      return false
  }
}

/**
 * Groups of reachable steps with a cycle on which no variable changes. Input and time are fixed within an execution, so
 * one that completes such a cycle never leaves it.
 */
export function endlessLoops(ruleset: Ruleset, graph: StepGraph): readonly (readonly number[])[] {
  const reached = reachable(graph)
  const steps = [...ruleset.steps.values()]
  const unchanging = steps.map((step, number) =>
    reached[number] === true ? unchangingTargets(step, graph.numbers) : [],
  )
  return cycles(unchanging)
}

function unchangingTargets(step: Step, numbers: ReadonlyMap<string, number>): readonly number[] {
  switch (step.type) {
    case 'terminal':
      return []
    case 'action':
      return step.actions.some(changesVariables) ? [] : distinctTargets(step, numbers)
    case 'decision': {
      const branches = step.branches.filter(({ actions }) => !actions.some(changesVariables))
      return distinctTargets({ ...step, branches }, numbers)
    }
  }
}
