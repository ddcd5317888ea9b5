import type { Value } from '@engine/expression'
import { isFields, member } from '@engine/ruleset'

/** List items by their identifying name, in order. */
export type Items = ReadonlyMap<string, Value>

/** Members that identify an item; the first one that all items have is used. */
const NAMES = ['id', 'name', 'field', 'parentVar']

/** List items by the first name that is unique in each list; undefined when there is none. */
export function itemsOf(lists: readonly (readonly Value[])[]): readonly Items[] | undefined {
  for (const key of NAMES) {
    const found = lists.map((list) => itemsBy(list, key))
    if (found.every((items) => items !== undefined)) return found
  }
  return undefined
}

function itemsBy(list: readonly Value[], key: string): Items | undefined {
  const items = new Map<string, Value>()
  for (const item of list) {
    const name = isFields(item) ? member(item, key) : undefined
    if (typeof name !== 'string' || items.has(name)) return undefined
    items.set(name, item)
  }
  return items
}

/**
 * Merges the item orders of both sides, each of which contains only items of the result. Items of the base keep the
 * order of the side that moved them; an added item follows its predecessor on its side. When both sides moved items, or
 * added items after the same one, it is a conflict: mine is used, followed by theirs.
 */
export function merged(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  isUnordered: boolean,
): { readonly order: readonly string[]; readonly isConflict: boolean } {
  const kept = new Set(base)
  const [left, right] = [inOrder(mine, kept), inOrder(theirs, kept)]
  const isMovedByMine = !isSame(left, inOrder(base, new Set(left)))
  const isMovedByTheirs = !isSame(right, inOrder(base, new Set(right)))
  const moved = isMovedByMine ? left : isMovedByTheirs ? right : base
  const skeleton = [...new Set([...moved, ...base])]
  const [before, after] = [additions(mine, kept), additions(theirs, kept)]
  let isConflict = isMovedByMine && isMovedByTheirs && !isSame(left, right)
  const placed = new Set<string>()
  const order = [undefined, ...skeleton].flatMap((anchor) => {
    const [one, other] = [before.get(anchor) ?? [], after.get(anchor) ?? []]
    if (one.length > 0 && other.length > 0 && !isSame(one, other)) isConflict = true
    const added = isUnordered ? [...new Set([...one, ...other])].toSorted() : [...one, ...other]
    const fresh = [...new Set(added)].filter((key) => !placed.has(key))
    for (const key of fresh) placed.add(key)
    return anchor === undefined ? fresh : [anchor, ...fresh]
  })
  return { order, isConflict: isConflict && !isUnordered }
}

/** The items of a list that are in a set, in list order. */
function inOrder(list: readonly string[], among: ReadonlySet<string>): readonly string[] {
  return list.filter((key) => among.has(key))
}

/** The items added by a side, by the preceding base item; undefined when there are none. */
function additions(
  side: readonly string[],
  kept: ReadonlySet<string>,
): ReadonlyMap<string | undefined, readonly string[]> {
  const found = new Map<string | undefined, string[]>()
  let anchor: string | undefined
  for (const key of side) {
    if (kept.has(key)) anchor = key
    else if (found.get(anchor)?.push(key) === undefined) found.set(anchor, [key])
  }
  return found
}

const isSame = (left: readonly string[], right: readonly string[]) =>
  left.length === right.length && left.every((key, index) => key === right[index])
