/**
 * Number of instructions that a regular expression compiles to, estimated from its text: RE2 expands repetitions, so a
 * short pattern can become a large program. Never far below the actual number for patterns that take long.
 */
export function estimatedSize(pattern: string): number {
  const wide = /\(\?[a-zA-Z]*i/.test(pattern) ? WIDE_CLASS : 1
  /** The sizes of the enclosing groups, outermost first. */
  const groups: number[] = []
  let group = 0
  let atom = 0
  const tokens = new RegExp(TOKEN)
  for (let found = tokens.exec(pattern); found !== null; found = tokens.exec(pattern)) {
    const [text] = found
    const repetition = found.groups?.['least']
    if (repetition !== undefined) {
      const most = found.groups?.['most']
      const times = Math.max(Number(repetition), most === undefined || most === '' ? 1 : Number(most), 1)
      group += atom * times + (most === undefined ? 0 : Math.max(1, times - Number(repetition)))
      atom = 0
      continue
    }
    // The preceding part can no longer be repeated: it counts once.
    if (!REPEATS.has(text)) {
      group += atom
      atom = 0
    }
    if (text.startsWith('(')) {
      groups.push(group)
      group = 0
    } else if (text === ')') {
      atom = group + 2
      group = groups.pop() ?? 0
    } else if (text.startsWith(QUOTED)) group += text.length
    else if (text === '|' || REPEATS.has(text)) group += 1
    else atom = isWide(text) ? wide : 1
  }
  return groups.reduce((sum, size) => sum + size, group + atom) + 3
}

/** A case-insensitive class is compiled from every character that it contains. */
const WIDE_CLASS = 500

const QUOTED = String.raw`\Q`
const REPEATS: ReadonlySet<string> = new Set(['*', '+', '?'])

/** A repetition, the start of a group with its flags, a class, a quotation, an escape, or any other character. */
const TOKEN = new RegExp(
  [
    String.raw`\{(?<least>\d{1,4})(?:,(?<most>\d{0,4}))?\}`,
    String.raw`\(\?P?<[^>]*>`,
    String.raw`\(\?[a-zA-Z-]*[:)]?`,
    String.raw`\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]?`,
    String.raw`\\Q[\s\S]*?(?:\\E|$)`,
    String.raw`\\[pPx]\{[^}]*\}`,
    String.raw`\\[\s\S]`,
    String.raw`[\s\S]`,
  ].join('|'),
  'g',
)

/** Whether a token may match characters beyond the first 128. */
function isWide(text: string): boolean {
  return (text.startsWith('[') && /[^\0-\x7f]|\\[xpP]|\^/.test(text)) || /^\\[pP]/.test(text)
}
