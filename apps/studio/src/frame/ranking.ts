/**
 * How well a label fits what was typed; below 0: not at all. Words that begin with it come first, then parts of words, then
 * letters in order. Costs the length of the label.
 */
function rankOf(label: string, typed: string): number {
  const text = label.toLowerCase()
  const at = text.indexOf(typed)
  if (at >= 0) return 1000 - at - text.length / 100 + (at === 0 || /[\s./_-]/.test(text[at - 1] ?? '') ? 200 : 0)
  let found = 0
  let score = 0
  let run = 0
  for (const letter of text) {
    if (found === typed.length) break
    run = letter === typed[found] ? run + 1 : 0
    if (run > 0) found++
    score += run
  }
  return found === typed.length ? score - text.length / 100 : -1
}

/** The best of a list for what was typed, at most `most`. */
export function best<Item extends { readonly label: string }>(
  items: readonly Item[],
  typed: string,
  most: number,
): readonly Item[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return items.slice(0, most)
  return items
    .map((item) => ({ item, rank: rankOf(item.label, wanted) }))
    .filter(({ rank }) => rank >= 0)
    .sort((left, right) => right.rank - left.rank)
    .slice(0, most)
    .map(({ item }) => item)
}
