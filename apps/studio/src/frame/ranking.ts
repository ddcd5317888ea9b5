/**
 * The rank of a label for the typed text; negative for no match. Prefixes of words rank highest, then parts of words,
 * then letters in order. Linear in the length of the label.
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

/** A searchable item with a label and further text. */
interface Ranked {
  readonly label: string
  readonly text?: () => string
}

/** A match, with the matching line of its text; undefined if the label matched. */
export interface Found<Item> {
  readonly item: Item
  readonly line: string | undefined
}

/** The best matches of a list, at most `most`; matches in labels rank higher than those in text. */
export function best<Item extends Ranked>(items: readonly Item[], typed: string, most: number): readonly Found<Item>[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return items.slice(0, most).map((item) => ({ item, line: undefined }))
  return items
    .map((item) => placed(item, wanted))
    .filter(({ rank }) => rank >= 0)
    .sort((left, right) => right.rank - left.rank)
    .slice(0, most)
    .map(({ item, line }) => ({ item, line }))
}

/** Ranks between those of words in a label (up to 1000, less with its length) and of letters in order (at most 100). */
const IN_TEXT = 500

function placed<Item extends Ranked>(item: Item, wanted: string) {
  const rank = rankOf(item.label, wanted)
  const line = rank >= IN_TEXT ? undefined : lineWith(item.text?.() ?? '', wanted)
  return line === undefined ? { item, rank, line } : { item, rank: IN_TEXT, line }
}

/** The first line that contains the words. Linear in the length of the text. */
function lineWith(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted)
  if (at < 0) return undefined
  const end = text.indexOf('\n', at)
  return text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? text.length : end)
}
