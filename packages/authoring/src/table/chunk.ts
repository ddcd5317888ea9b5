/** UTF-16 units of one list expression, which keeps it within the limits of an expression. */
const MAX_LENGTH = 16_384
/** Items of such a list: an expression cannot pause during its evaluation. */
const MAX_ITEMS = 500

/** Splits the items into consecutive groups, each short enough for one expression. Linear in the number of items. */
export function chunks<Item>(items: readonly Item[], lengthOf: (item: Item) => number): readonly (readonly Item[])[] {
  const groups: Item[][] = []
  let group: Item[] = []
  let length = 0
  for (const item of items) {
    const own = lengthOf(item)
    if (group.length > 0 && (length + own > MAX_LENGTH || group.length >= MAX_ITEMS)) {
      groups.push(group)
      group = []
      length = 0
    }
    group.push(item)
    length += own
  }
  if (group.length > 0) groups.push(group)
  return groups
}

/** A `set_variable` action. */
export function setting(name: string, value: string): { action: string; name: string; value: string } {
  return { action: 'set_variable', name, value }
}
