import type { DraftGraph, DraftStep } from '../draft/model.ts'

/** An outgoing edge of a step. */
export type Exit =
  | { readonly kind: 'next' }
  | { readonly kind: 'default' }
  | { readonly kind: 'branch'; readonly id: string }
  | { readonly kind: 'row'; readonly id: string }

export interface Edge {
  /** Id of the source step. */
  readonly step: string
  readonly exit: Exit
}

/**
 * A graph with an edge redirected to another step; undefined as target: disconnected. The unchanged graph when the edge
 * does not exist. Linear in the steps.
 */
export function connect<Graph extends DraftGraph>(graph: Graph, edge: Edge, target: string | undefined): Graph {
  return { ...graph, steps: graph.steps.map((step) => (step.id === edge.step ? led(step, edge.exit, target) : step)) }
}

/**
 * A graph with a step inserted on an edge: the edge leads to the step, and the step's `next` exit to the edge's
 * previous target. Undefined when the step's id is taken, or the edge is disconnected. Linear in the steps.
 */
export function insertOnEdge<Graph extends DraftGraph>(graph: Graph, edge: Edge, step: DraftStep): Graph | undefined {
  const from = graph.steps.find(({ id }) => id === edge.step)
  const target = from && targetOf(from, edge.exit)
  if (target === undefined || graph.steps.some(({ id }) => id === step.id)) return undefined
  const joined = connect(graph, edge, step.id)
  return { ...joined, steps: [...joined.steps, led(step, { kind: 'next' }, target)] }
}

/** An edge and its target step. */
export interface LedEdge extends Edge {
  readonly target: string
}

/** The connected edges of a step. Linear in its branches or rows. */
export function edgesOf(step: DraftStep): readonly LedEdge[] {
  const edges: LedEdge[] = []
  const add = (exit: Exit, target: string | undefined) => {
    if (target !== undefined) edges.push({ step: step.id, exit, target })
  }
  add(NEXT, targetOf(step, NEXT))
  add(DEFAULT, targetOf(step, DEFAULT))
  if (step.type === 'decision') for (const { id, nextStepId } of step.branches) add({ kind: 'branch', id }, nextStepId)
  if (step.type === 'table') for (const { id, nextStepId } of step.rows) add({ kind: 'row', id }, nextStepId)
  return edges
}

const NEXT: Exit = { kind: 'next' }
const DEFAULT: Exit = { kind: 'default' }

/**
 * A step with its edges redirected or disconnected; unchanged parts stay the same objects. Linear in its branches or
 * rows.
 */
export function redirected(step: DraftStep, target: (id: string) => string | undefined): DraftStep {
  switch (step.type) {
    case 'terminal':
      return step
    case 'action':
    case 'sub_rule':
      return redirectedBy(step, 'nextStepId', target)
    case 'decision': {
      const branches = redirectedItems(step.branches, target)
      const changed = branches === step.branches ? step : { ...step, branches }
      return redirectedBy(changed, 'defaultNextStepId', target)
    }
    case 'table': {
      const rows = redirectedItems(step.rows, target)
      const changed = rows === step.rows ? step : { ...step, rows }
      return redirectedBy(redirectedBy(changed, 'nextStepId', target), 'defaultNextStepId', target)
    }
  }
}

function redirectedItems<Item extends { readonly nextStepId?: string }>(
  items: readonly Item[],
  target: (id: string) => string | undefined,
): readonly Item[] {
  const changed = items.map((item) => redirectedBy(item, 'nextStepId', target))
  return changed.every((item, index) => item === items[index]) ? items : changed
}

function redirectedBy<Key extends string, Owner extends { readonly [Name in Key]?: string }>(
  owner: Owner,
  key: Key,
  target: (id: string) => string | undefined,
): Owner {
  const before = owner[key]
  if (before === undefined) return owner
  const after = target(before)
  return after === before ? owner : leading(owner, key, after)
}

/** The target of an exit; undefined when it is disconnected or does not exist. */
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

/** The object with the member set or removed. */
function leading<Owner extends object>(owner: Owner, key: string, target: string | undefined): Owner {
  const changed = { ...owner, [key]: target }
  if (target === undefined) delete changed[key]
  return changed
}
