import { longestPath, type Ruleset, stepGraph, targetIds } from '@engine/ruleset'

/** Steps in an order in which each comes before those that it leads to; undefined with a loop, or a path beyond `max_depth`. */
export function ranksOf(ruleset: Ruleset): ReadonlyMap<string, number> | undefined {
  const { steps, config } = ruleset
  if (longestPath(stepGraph(ruleset)) > config.maxDepth) return undefined
  const order: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const pending = [config.entryStep]
  for (let id = pending.at(-1); id !== undefined; id = pending.at(-1)) {
    const step = steps.get(id)
    if (state.get(id) !== undefined || step === undefined) {
      pending.pop()
      if (state.get(id) === 'open') {
        state.set(id, 'done')
        order.push(id)
      }
      continue
    }
    state.set(id, 'open')
    pending.push(...targetIds(step))
  }
  return new Map(order.toReversed().map((id, rank) => [id, rank]))
}
