import { defined } from './defined.ts'

/** A half-open range of UTF-16 offsets in an expression's text: `text.slice(start, end)`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The span of nodes without source text (JSON form, folded results without a source). */
export const NO_SPAN: Span = { start: 0, end: 0 }

/** An error in a user's text, with its position. Problems are returned and collected, never thrown. */
export interface Problem {
  /** Kebab-case identifier from `problems.ts`; stable, safe to match on. */
  readonly code: string
  /** Lower-case sentence without a final period, user text in backticks. */
  readonly message: string
  readonly at: Span
  /**
   * Advice when there is a good guess: the nearest known name, or the form to use instead. Not always text to insert.
   */
  readonly suggestion?: string
  /** An edit that certainly removes this problem, if there is one: for editors. */
  readonly fix?: Fix
}

/** A replacement for part of the expression's text. */
export interface Fix {
  readonly span: Span
  readonly text: string
}

/** One-based, in UTF-16 units. */
export interface Location {
  readonly line: number
  readonly column: number
}

/** Ends a message about an expression's text: readers may not see the position otherwise. */
export const placeInExpression = ({ line, column }: Location): string =>
  ` (line ${line}, column ${column} of the expression)`

/** A message without the ending of `placeInExpression`, for readers who see the position in the document. */
export const withoutPlace = (message: string): string =>
  message.replace(/ \(line \d+, column \d+ of the expression\)$/, '')

/** Finds the positions of many offsets in one text, which is split into lines once. */
export function locator(text: string): (offset: number) => Location {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const end = Math.min(offset, text.length)
    let [line, above] = [0, starts.length]
    while (above - line > 1) {
      const middle = (line + above) >> 1
      if (defined(starts[middle]) <= end) line = middle
      else above = middle
    }
    return { line: line + 1, column: end - defined(starts[line]) + 1 }
  }
}

/** Line and column of an offset, for people and editors. */
export function locate(text: string, offset: number): Location {
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

/** Maximum length of a line in an excerpt. */
const EXCERPT = 120

/**
 * The line of a position with carets below it, truncated around the position when it is long: two lines of text. The
 * carets line up at the character widths of terminals: a tab below a tab, two columns for a wide character.
 */
export function excerpt(text: string, { start, end }: Span): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const lineBreak = text.indexOf('\n', start)
  const line = text.slice(lineStart, lineBreak < 0 ? text.length : lineBreak)
  const column = start - lineStart
  const from = wholeFrom(line, Math.max(0, Math.min(column - EXCERPT / 2, line.length - EXCERPT)))
  const until = wholeFrom(line, Math.min(line.length, from + EXCERPT))
  const before = line.slice(from, column)
  const marked = line.slice(column, Math.min(until, end - lineStart))
  return `${steady(line.slice(from, until))}\n${blank(before)}${'^'.repeat(Math.max(1, width(marked)))}`
}

/** The offset, or the next one when it is inside a surrogate pair. */
function wholeFrom(line: string, offset: number): number {
  const unit = line.charCodeAt(offset)
  return unit >= 0xdc00 && unit < 0xe000 ? offset + 1 : offset
}

/** Controls except the tab, and direction marks: they would move the text after them. */
const MOVING = /[^\P{Cc}\t]|[\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Zero-width characters, such as accents. */
const NARROW = /^[\p{Mn}\p{Me}\u200b-\u200d\u2060\ufeff]$/u

/** Two-column characters: East Asian scripts, their punctuation and full-width forms, and emoji. */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u

/** The text with every character that would move others replaced. */
function steady(text: string): string {
  return text.replace(MOVING, '\ufffd')
}

function columns(character: string): number {
  return NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1
}

function width(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + columns(character), 0)
}

/** As many blank columns as a text occupies. */
function blank(text: string): string {
  return Array.from(text, (character) => (character === '\t' ? '\t' : ' '.repeat(columns(character)))).join('')
}
