/**
 * Items behind those that they refer to, so that each can be stored when its turn comes. Those that refer to each other in
 * a circle stand at the end, in their order. Costs the items and their references.
 */
export function byReference<Item extends { readonly name: string }>(
  items: readonly Item[],
  refersTo: (item: Item) => Iterable<string>,
): { readonly ordered: readonly Item[]; readonly circular: readonly Item[] } {
  const waiting = new Map<string, Set<string>>()
  const users = new Map<string, string[]>()
  const byName = new Map(items.map((item) => [item.name, item]))
  for (const item of items) {
    const needed = new Set([...refersTo(item)].filter((name) => name !== item.name && byName.has(name)))
    waiting.set(item.name, needed)
    for (const name of needed) users.set(name, [...(users.get(name) ?? []), item.name])
  }
  const ordered: Item[] = []
  const ready = items.filter(({ name }) => waiting.get(name)?.size === 0)
  for (const item of ready) {
    ordered.push(item)
    for (const user of users.get(item.name) ?? []) {
      const needed = waiting.get(user)
      needed?.delete(item.name)
      const found = byName.get(user)
      if (needed?.size === 0 && found !== undefined) ready.push(found)
    }
  }
  const done = new Set(ordered)
  return { ordered, circular: items.filter((item) => !done.has(item)) }
}
