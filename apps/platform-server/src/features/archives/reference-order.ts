/**
 * Sort items so that each follows those that it refers to and can be stored in turn. Items in a reference cycle come last, in
 * their original order. Cost: linear in items and references.
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
