import type { DraftGraph, DraftStep } from '../draft/model.ts'

/** Ordered lists of a step. */
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
  /** Index of the item before and after the move. */
  readonly from: number
  readonly to: number
}

/**
 * A graph with a list item of a step moved; the unchanged graph when the step, list or item does not exist. An index
 * beyond the end means the last position. Linear in the steps and the list.
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
  const found = new Map<string, unknown>(Object.entries(step)).get(list)
  return Array.isArray(found) ? found : undefined
}
