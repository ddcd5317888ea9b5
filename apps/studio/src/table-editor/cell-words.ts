import { cellCondition, literalOf } from '@engine/authoring'
import type { CellType } from './cell-type.ts'
import { DEFAULT_READING, isAny, plainBoolean, plainDate, plainNumber, type ReadingChoice } from './plain-value.ts'

/** A cell in the stored notation, or the original text if its meaning is unclear. */
export type ReadCell = { readonly kind: 'read' | 'unread'; readonly text: string }

const read = (text: string): ReadCell => ({ kind: 'read', text })
const unread = (text: string): ReadCell => ({ kind: 'unread', text })

export interface ReadOptions extends Partial<ReadingChoice> {
  readonly kind: 'input' | 'output'
  /** Undefined if the column has no type. */
  readonly type?: CellType | undefined
  /** Whether an unquoted word in a result names a field or a variable. */
  readonly isField?: (word: string) => boolean
  /** Whether a range such as `2-5` includes its lower end; default: true. */
  readonly isClosed?: boolean
}

/**
 * Parses a typed cell: `gold` becomes a text, `up to 5` becomes `<= 5`, `DE, AT` becomes a list, `yes` becomes `true`;
 * `=` starts an expression. Cells in the notation of tables are kept. Linear in the length of the text.
 */
export function readCell(given: string, options: ReadOptions): ReadCell {
  const text = given.trim()
  if (text === '' || (options.kind === 'input' && isAny(text))) return read('')
  return options.kind === 'input' ? readCondition(text, options) : readResult(text, options)
}

const isValid = (cell: string) => cellCondition('x', cell).kind !== 'failed'

function readCondition(text: string, options: ReadOptions): ReadCell {
  const { type } = options
  if (text.startsWith('?')) return read(text)
  if (text.startsWith('=') && !text.startsWith('==')) {
    const expression = text.slice(1).trim()
    return read(literalOf(expression) === undefined ? `? ${expression}` : expression)
  }
  // Quoted texts, lists in brackets and comparisons of them are already valid cells, in columns of every type.
  if (/["[]/.test(text) && isValid(text)) return read(text)
  if (type === 'expression') return isValid(text) ? read(text) : unread(text)
  const not = /^(?:not|nicht|不是)\s+(?!in\b)(.+)$/is.exec(text)?.[1]
  if (not !== undefined) return negated(readCondition(not, options), text)
  switch (type) {
    case 'text':
      return readTexts(text)
    case 'boolean': {
      const value = plainBoolean(text)
      return value === undefined ? unread(text) : read(value)
    }
    case 'number':
    case 'date':
      return readOrdered(text, options)
    default:
      return isValid(text) ? read(text) : readTexts(text)
  }
}

/** The negation of a value is `!=`, that of a list `not in`; a range has no short negation. */
function negated(cell: ReadCell, original: string): ReadCell {
  if (cell.kind === 'unread') return unread(original)
  if (cell.text.startsWith('in ')) return read(`not ${cell.text}`)
  return literalOf(cell.text) === undefined ? unread(original) : read(`!= ${cell.text}`)
}

/** One text, or several separated by commas or bars. */
function readTexts(text: string): ReadCell {
  const comparison = /^(==|!=)\s*(.+)$/s.exec(text)
  if (comparison !== null) return read(`${comparison[1] === '==' ? '' : '!= '}${quoted(comparison[2] ?? '')}`)
  const items = text.split(/\s*[,|，、]\s*/).filter((item) => item !== '')
  return read(items.length > 1 ? `in [${items.map(quoted).join(', ')}]` : quoted(items[0] ?? text))
}

/** The text as a literal; a quoted text is kept. */
function quoted(text: string): string {
  const trimmed = text.trim()
  return typeof literalOf(trimmed) === 'string' ? trimmed : JSON.stringify(trimmed)
}

/** Operators by the words that express them. */
const COMPARISONS: readonly (readonly [pattern: RegExp, operator: string])[] = [
  [/^(?:<=|≤|=<|up to|at most|max\.?|on or before|bis zu|bis|höchstens|最多|不超过)\s*(.+)$/is, '<='],
  [/^(?:>=|≥|=>|from|at least|min\.?|on or after|ab|mindestens|至少|不少于)\s*(.+)$/is, '>='],
  [/^(?:<|under|below|less than|before|unter|小于|早于)\s*(.+)$/is, '<'],
  [/^(?:>|over|above|more than|after|über|大于|晚于)\s*(.+)$/is, '>'],
  [/^(?:!=|<>|≠)\s*(.+)$/is, '!='],
  [/^==?\s*(.+)$/s, ''],
]

/** The ends of a range: two values separated by a word or a dash. */
const RANGE = /^(.+?)\s*(?:\.\.|\s(?:to|bis)\s|到|至|–|—|-)\s*(.+)$/is
const HALF_OPEN = /^(?:over|above|über|大于)\s*(.+?)\s+(?:up to|bis|最多|不超过)\s*(.+)$/is

function readOrdered(text: string, options: ReadOptions): ReadCell {
  const single = readValue(text, options)
  if (single !== undefined) return read(single)
  const half = HALF_OPEN.exec(text)
  if (half !== null) return readRange(half, '(', options) ?? unread(text)
  for (const [pattern, operator] of COMPARISONS) {
    const right = pattern.exec(text)?.[1]
    const value = right === undefined ? undefined : readValue(right, options)
    if (value !== undefined) return read(operator === '' ? value : `${operator} ${value}`)
  }
  const least = /^(.+?)\s*\+$/s.exec(text)?.[1]
  const from = least === undefined ? undefined : readValue(least, options)
  if (from !== undefined) return read(`>= ${from}`)
  const range = RANGE.exec(text)
  const found = range === null ? undefined : readRange(range, options.isClosed === false ? '(' : '[', options)
  if (found !== undefined) return found
  const values = text.split(/\s*[|;、]\s*|,\s+/).map((item) => readValue(item, options))
  if (values.length > 1 && values.every((value) => value !== undefined)) return read(`in [${values.join(', ')}]`)
  return isValid(text) && /^[[(]/.test(text) ? read(text) : unread(text)
}

function readRange(
  [, low = '', high = '']: readonly string[],
  open: '[' | '(',
  options: ReadOptions,
): ReadCell | undefined {
  const [from, to] = [readValue(low, options), readValue(high, options)]
  if (from === undefined || to === undefined) return undefined
  const cell = `${open}${from}..${to}]`
  return isValid(cell) ? read(cell) : undefined
}

/** The ends of a range such as `2-5`; undefined if the text is not a range. */
export function rangeEnds(text: string, options: ReadOptions): readonly [low: string, high: string] | undefined {
  const trimmed = text.trim()
  if (readValue(trimmed, options) !== undefined) return undefined
  const [, low, high] = RANGE.exec(trimmed) ?? []
  const [from, to] = [low, high].map((end) => (end === undefined ? undefined : readValue(end, options)))
  return from === undefined || to === undefined ? undefined : [from, to]
}

/** The literal of a number or a date. */
function readValue(text: string, { type, decimal, dayFirst }: ReadOptions): string | undefined {
  const choice = { decimal: decimal ?? DEFAULT_READING.decimal, dayFirst: dayFirst ?? DEFAULT_READING.dayFirst }
  if (type !== 'date') return plainNumber(text, choice)?.text
  const date = plainDate(text, choice)
  return date === undefined ? undefined : JSON.stringify(date)
}

function readResult(text: string, options: ReadOptions): ReadCell {
  const { type, isField = () => true } = options
  if (text.startsWith('=') && !text.startsWith('==')) return read(text.slice(1).trim())
  const value = literalOf(text)
  switch (type) {
    case 'text':
      return read(quoted(text))
    case 'number':
    case 'date': {
      if (typeof value === 'string' && type === 'date') return read(text)
      const known = readValue(text, options)
      if (known !== undefined) return read(known)
      return isExpression(text, isField) ? read(text) : unread(text)
    }
    case 'boolean': {
      const known = plainBoolean(text)
      if (known !== undefined) return read(known)
      return isExpression(text, isField) ? read(text) : unread(text)
    }
    case 'expression':
      return read(text)
    default:
      return read(value !== undefined || isExpression(text, isField) ? text : JSON.stringify(text))
  }
}

/** True for a name of a field, or a text with characters that only expressions contain. */
function isExpression(text: string, isField: (word: string) => boolean): boolean {
  if (/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(text)) return isField(text)
  return /[$()[\]{}*+"'<>=?&|]|\s[-/]\s/.test(text)
}
