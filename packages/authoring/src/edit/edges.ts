import type { DraftGraph, DraftStep } from '../draft/model.ts'

/** A way out of a step. */
export type Exit =
  | { readonly kind: 'next' }
  | { readonly kind: 'default' }
  | { readonly kind: 'branch'; readonly id: string }
  | { readonly kind: 'row'; readonly id: string }

export interface Edge {
  /** Id of the step that it leaves. */
  readonly step: string
  readonly exit: Exit
}

/**
 * A graph whose edge leads to another step; undefined as target: nowhere yet. The graph as it is where there is no such
 * edge. Costs the steps.
 */
export function connect<Graph extends DraftGraph>(graph: Graph, edge: Edge, target: string | undefined): Graph {
  return { ...graph, steps: graph.steps.map((step) => (step.id === edge.step ? led(step, edge.exit, target) : step)) }
}

/**
 * A graph with a step on an edge: the edge leads to the step, whose `next` exit leads on to where the edge led. Undefined
 * where the id of the step is taken, or the edge leads nowhere. Costs the steps.
 */
export function insertOnEdge<Graph extends DraftGraph>(graph: Graph, edge: Edge, step: DraftStep): Graph | undefined {
  const from = graph.steps.find(({ id }) => id === edge.step)
  const target = from && targetOf(from, edge.exit)
  if (target === undefined || graph.steps.some(({ id }) => id === step.id)) return undefined
  const joined = connect(graph, edge, step.id)
  return { ...joined, steps: [...joined.steps, led(step, { kind: 'next' }, target)] }
}

/** The edges of a step that lead somewhere. */
export function edgesOf(step: DraftStep): readonly Edge[] {
  const exits: readonly Exit[] = [
    { kind: 'next' },
    { kind: 'default' },
    ...(step.type === 'decision' ? step.branches.map(({ id }): Exit => ({ kind: 'branch', id })) : []),
    ...(step.type === 'table' ? step.rows.map(({ id }): Exit => ({ kind: 'row', id })) : []),
  ]
  return exits.filter((exit) => targetOf(step, exit) !== undefined).map((exit) => ({ step: step.id, exit }))
}

/** Where an exit leads; undefined: nowhere, or the step has no such exit. */
export function targetOf(step: DraftStep, exit: Exit): string | undefined {
  switch (exit.kind) {
    case 'next':
      return step.type === 'decision' || step.type === 'terminal' ? undefined : step.nextStepId
    case 'default':
      return step.type === 'decision' || step.type === 'table' ? step.defaultNextStepId : undefined
    case 'branch':
      return step.type === 'decision' ? step.branches.find(({ id }) => id === exit.id)?.nextStepId : undefined
    case 'row':
      return step.type === 'table' ? step.rows.find(({ id }) => id === exit.id)?.nextStepId : undefined
  }
}

function led(step: DraftStep, exit: Exit, target: string | undefined): DraftStep {
  switch (exit.kind) {
    case 'next':
      return step.type === 'decision' || step.type === 'terminal' ? step : leading(step, 'nextStepId', target)
    case 'default':
      return step.type === 'decision' || step.type === 'table' ? leading(step, 'defaultNextStepId', target) : step
    case 'branch':
      return step.type === 'decision' ? { ...step, branches: ledItem(step.branches, exit.id, target) } : step
    case 'row':
      return step.type === 'table' ? { ...step, rows: ledItem(step.rows, exit.id, target) } : step
  }
}

function ledItem<Item extends { readonly id: string; readonly nextStepId?: string }>(
  items: readonly Item[],
  id: string,
  target: string | undefined,
): readonly Item[] {
  return items.map((item) => (item.id === id ? leading(item, 'nextStepId', target) : item))
}

/** The object with its member, or without it. */
function leading<Owner extends object>(owner: Owner, key: string, target: string | undefined): Owner {
  const changed = { ...owner, [key]: target }
  if (target === undefined) delete changed[key]
  return changed
}
