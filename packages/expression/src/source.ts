/** A half-open range of UTF-16 offsets in an expression's text: `text.slice(start, end)`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The span of nodes that no text stands behind (JSON form, results of folding without a source). */
export const NO_SPAN: Span = { start: 0, end: 0 }

/** What a user wrote wrongly, with its place. Problems are returned and collected, never thrown. */
export interface Problem {
  /** Kebab-case identifier from `problems.ts`; stable, safe to match on. */
  readonly code: string
  /** Lower-case sentence without a final period, user text in backticks. */
  readonly message: string
  readonly at: Span
  /** What would be right, when there is a good guess: the nearest known name, the form to use instead. */
  readonly suggestion?: string
}

/** One-based line and column (in UTF-16 units) of an offset, for people and editors. */
export function locate(text: string, offset: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  const end = Math.min(offset, text.length)
  for (let at = 0; at < end; at++) {
    if (text.charCodeAt(at) === 10) {
      line++
      lineStart = at + 1
    }
  }
  return { line, column: end - lineStart + 1 }
}

/** Characters of a line that an excerpt shows at most. */
const EXCERPT = 120

/** The line of a place with carets below it, cut around the place when it is long: two lines of text. */
export function excerpt(text: string, { start, end }: Span): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const lineBreak = text.indexOf('\n', start)
  const line = text.slice(lineStart, lineBreak < 0 ? text.length : lineBreak)
  const column = start - lineStart
  const from = Math.max(0, Math.min(column - EXCERPT / 2, line.length - EXCERPT))
  const shown = line.slice(from, from + EXCERPT)
  const width = Math.max(1, Math.min(end - start, shown.length - (column - from)))
  return `${shown}\n${' '.repeat(column - from)}${'^'.repeat(width)}`
}
