import type { DraftGraph } from '../draft/model.ts'
import { edgesOf, type LedEdge, redirected } from './edges.ts'
import { withSteps } from './place.ts'

export interface Removed<Graph> {
  readonly graph: Graph
  /** Edges to the step that lead on to where it led. */
  readonly rejoined: readonly LedEdge[]
  /** Edges to the step that lead nowhere now, since it led to several others or to none. */
  readonly opened: readonly LedEdge[]
}

/**
 * A graph without a step. What led to it leads on to the one step that it led to; where it led to several or to none, nothing
 * takes its place. A first step hands on its part in the same way. Undefined where there is no such step. Costs the edges.
 */
export function removeStep<Graph extends DraftGraph>(graph: Graph, id: string): Removed<Graph> | undefined {
  const removed = graph.steps.find((step) => step.id === id)
  if (removed === undefined) return undefined
  const targets = new Set(edgesOf(removed).map(({ target }) => target))
  // A step that leads to itself as well hands on to the other one.
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
