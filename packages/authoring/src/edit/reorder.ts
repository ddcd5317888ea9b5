import type { DraftGraph, DraftStep } from '../draft/model.ts'

/** Lists of a step whose order means something. */
export type OrderedList =
  | 'branches'
  | 'rows'
  | 'columns'
  | 'assignments'
  | 'externalCalls'
  | 'output'
  | 'bindings'
  | 'outputs'

export interface Move {
  /** Id of the step. */
  readonly step: string
  readonly list: OrderedList
  /** Indexes: of the item, and the one that it has afterwards. */
  readonly from: number
  readonly to: number
}

/**
 * A graph in which an item of a step is at another place of its list; the graph as it is where there is no such step, list or
 * item. An index behind the last item means the last one. Costs the steps and the list.
 */
export function reorder<Graph extends DraftGraph>(graph: Graph, { step: id, list, from, to }: Move): Graph {
  const index = graph.steps.findIndex((step) => step.id === id)
  const step = graph.steps[index]
  const items = step === undefined ? undefined : listOf(step, list)
  if (step === undefined || items === undefined || !(from in items) || !Number.isInteger(to) || to < 0) return graph
  const place = Math.min(to, items.length - 1)
  if (place === from) return graph
  const moved = items.toSpliced(from, 1).toSpliced(place, 0, items[from])
  return { ...graph, steps: graph.steps.with(index, { ...step, [list]: moved }) }
}

function listOf(step: DraftStep, list: OrderedList): readonly unknown[] | undefined {
  const found: unknown = Object.hasOwn(step, list)
    ? (step as { readonly [List in OrderedList]?: unknown })[list]
    : undefined
  return Array.isArray(found) ? (found as readonly unknown[]) : undefined
}
