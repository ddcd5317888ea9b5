import type { Value } from '@engine/expression'
import type { DraftGraph } from '../draft/model.ts'
import { constantText } from './step.ts'

/** Whether any terminal has a computed message. */
export function usesTemplates(graphs: readonly DraftGraph[]): boolean {
  return graphs.some(({ steps }) =>
    steps.some(
      (step) => step.type === 'terminal' && step.message !== undefined && constantText(step.message) === undefined,
    ),
  )
}

const VARIABLE = /\$?([\p{ID_Start}_][\p{ID_Continue}]*)/gu

/** A superset of all variable names in the graphs. Linear in the size of the graphs. */
export function variableNames(graphs: readonly DraftGraph[]): Set<string> {
  const names = new Set<string>()
  const pending: Value[] = graphs.map(({ steps }) => steps)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') for (const [, name = ''] of next.matchAll(VARIABLE)) names.add(name)
    else if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) pending.push(inner)
  }
  return names
}
