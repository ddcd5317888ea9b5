import type { DraftGraph } from '../draft/model.ts'
import { edgesOf, type LedEdge, redirected } from './edges.ts'
import { withSteps } from './place.ts'

export interface Removed<Graph> {
  readonly graph: Graph
  /** Incoming edges that now lead to the removed step's target. */
  readonly rejoined: readonly LedEdge[]
  /** Incoming edges that are now disconnected, because the removed step had several targets or none. */
  readonly opened: readonly LedEdge[]
}

/**
 * A graph without a step. Incoming edges are redirected to its only target; with several targets or none they are
 * disconnected. A removed first step is replaced in the same way. Undefined when the step does not exist. Linear in the
 * edges.
 */
export function removeStep<Graph extends DraftGraph>(graph: Graph, id: string): Removed<Graph> | undefined {
  const removed = graph.steps.find((step) => step.id === id)
  if (removed === undefined) return undefined
  const targets = new Set(edgesOf(removed).map(({ target }) => target))
  // Its edge to itself does not count as a target.
  targets.delete(id)
  const [next] = targets.size === 1 ? targets : []
  const others = graph.steps.filter((step) => step.id !== id)
  const led = others.flatMap(edgesOf).filter(({ target }) => target === id)
  const target = (to: string) => (to === id ? next : to)
  const { startStepId: start } = graph
  const first = start === undefined ? undefined : target(start)
  const steps = others.map((step) => redirected(step, target))
  return {
    graph: withSteps(graph, { ...(first === undefined ? {} : { startStepId: first }), steps }),
    rejoined: next === undefined ? [] : led.map((edge) => ({ ...edge, target: next })),
    opened: next === undefined ? led : [],
  }
}
