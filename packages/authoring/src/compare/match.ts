import type { Value } from '@engine/expression'
import { isFields, member } from '@engine/ruleset'
import { identityOf } from '../same-value.ts'

/** Items of two ordered lists, under names that match corresponding items. */
export interface MatchedItems {
  readonly before: ReadonlyMap<string, Value>
  readonly after: ReadonlyMap<string, Value>
}

/**
 * Names for the items of two lists: their ids when all have one. Otherwise items match by equal content, then by equal
 * conditions, then by the item they follow on both sides. Linear in the size of the lists.
 */
export function matchItems(before: readonly Value[], after: readonly Value[]): MatchedItems {
  const [was, is] = [byId(before), byId(after)]
  if (was !== undefined && is !== undefined) return { before: was, after: is }
  const partners = partnersOf(before, after)
  return {
    before: new Map(before.map((item, index) => [`${index + 1}`, item])),
    after: new Map(
      after.map((item, index) => {
        const partner = partners.get(index)
        return [partner === undefined ? `+${index + 1}` : `${partner + 1}`, item]
      }),
    ),
  }
}

function byId(list: readonly Value[]): ReadonlyMap<string, Value> | undefined {
  const items = new Map<string, Value>()
  for (const item of list) {
    const id = isFields(item) ? member(item, 'id') : undefined
    if (typeof id !== 'string' || items.has(id)) return undefined
    items.set(id, item)
  }
  return items
}

const conditionOf = (item: Value) => identityOf((isFields(item) ? member(item, 'condition') : undefined) ?? null)

/** Maps the index of an item to its previous index. */
function partnersOf(before: readonly Value[], after: readonly Value[]): ReadonlyMap<number, number> {
  const partners = new Map<number, number>()
  const taken = new Set<number>()
  const pair = (index: number, partner: number) => {
    partners.set(index, partner)
    taken.add(partner)
  }
  for (const name of [identityOf, conditionOf]) {
    const free = Map.groupBy(
      // In reverse, so that the first one is taken first.
      Array.from(before.keys())
        .toReversed()
        .filter((index) => !taken.has(index)),
      (index) => name(before[index] ?? null),
    )
    for (const [index, item] of after.entries()) {
      const partner = partners.has(index) ? undefined : free.get(name(item))?.pop()
      if (partner !== undefined) pair(index, partner)
    }
  }
  for (const index of after.keys()) {
    if (partners.has(index)) continue
    const follower = (index === 0 ? -1 : (partners.get(index - 1) ?? Number.NaN)) + 1
    if (follower < before.length && !taken.has(follower)) pair(index, follower)
  }
  return partners
}
