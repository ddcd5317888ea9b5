import { literalOf } from '@engine/authoring'
import { isNumber, type Value } from '@engine/expression'
import type { CellType } from './cell-type.ts'
import { readCell } from './cell-words.ts'

/** The words around the values of a cell. Forms that `readCell` cannot parse are not used. */
export interface CellFormWords {
  readonly comparisons: Readonly<Record<'<=' | '<' | '>=' | '>', string>>
  readonly dates: Readonly<Record<'<=' | '<' | '>=' | '>', string>>
  readonly not: string
  readonly to: string
  readonly over: string
  readonly upTo: string
  readonly list: string
  readonly yes: string
  readonly no: string
}

/** A part of a cell in words. */
export interface CellPart {
  readonly text: string
  /** True for a value, false for a word around it. */
  readonly isValue: boolean
}

interface Shown {
  readonly kind: 'input' | 'output'
  readonly type?: CellType | undefined
}

const value = (text: string): CellPart => ({ text, isValue: true })
const word = (text: string): CellPart => ({ text, isValue: false })

/** Maximum number of cached cells: those of a screen, many times over. */
const MAX_KEPT = 20_000
const kept = new WeakMap<CellFormWords, Map<string, readonly CellPart[] | undefined>>()

/**
 * A cell in words, such as `up to 5` for `<= 5`; undefined if it cannot be expressed in words, or if parsing the words
 * would yield another cell. Linear in the length of the cell.
 */
export function cellParts(cell: string, shown: Shown, words: CellFormWords): readonly CellPart[] | undefined {
  const known = kept.get(words) ?? new Map<string, readonly CellPart[] | undefined>()
  kept.set(words, known)
  const key = `${shown.kind} ${shown.type} ${cell}`
  if (known.has(key)) return known.get(key)
  if (known.size >= MAX_KEPT) known.clear()
  const parts = shown.kind === 'input' ? conditionParts(cell, shown.type, words) : resultParts(cell, shown.type, words)
  const again = parts && readCell(textOf(parts), shown)
  const found = again?.kind === 'read' && again.text === cell.trim() ? parts : undefined
  known.set(key, found)
  return found
}

const textOf = (parts: readonly CellPart[]) => parts.map(({ text }) => text).join('')

/** The initial text when a cell is edited: its words, or its code. For a computed result it begins with `=`. */
export function editText(cell: string, shown: Shown, words: CellFormWords | undefined): string {
  const parts = words && cellParts(cell, shown, words)
  if (parts !== undefined) return textOf(parts)
  const isFormula = shown.kind === 'output' && cell !== '' && readCell(cell, shown).text !== cell.trim()
  return isFormula ? `= ${cell}` : cell
}

const COMPARISON = /^(==|!=|<=|>=|<|>)\s*(.+)$/s
const ORDERS = ['<=', '<', '>=', '>'] as const
const LIST = /^(not\s+in|in)\s*(\[.*\])$/s
const INTERVAL = /^([[(])(.+?)\.\.(.+?)([\])])$/s

function conditionParts(
  cell: string,
  type: CellType | undefined,
  words: CellFormWords,
): readonly CellPart[] | undefined {
  const text = cell.trim()
  if (text === '') return []
  const single = literal(text, type, words)
  if (single !== undefined) return [value(single)]
  const list = LIST.exec(text)
  if (list !== null) {
    const items = literalOf(list[2] ?? '')
    const shown = Array.isArray(items) ? items.map((item) => valueText(item, type, words)) : []
    if (shown.length < 2 || shown.includes(undefined)) return undefined
    const parts = shown.flatMap((item, at) => [...(at === 0 ? [] : [word(words.list)]), value(item ?? '')])
    return list[1] === 'in' ? parts : [word(words.not), ...parts]
  }
  const range = INTERVAL.exec(text)
  if (range !== null) return rangeParts(range, type, words)
  const [, operator, right = ''] = COMPARISON.exec(text) ?? []
  const compared = literal(right, type, words)
  if (operator === undefined || operator === '==' || compared === undefined) return undefined
  if (operator === '!=') return [word(words.not), value(compared)]
  const names = type === 'date' ? words.dates : words.comparisons
  const order = ORDERS.find((one) => one === operator)
  return order === undefined ? undefined : [word(names[order]), value(compared)]
}

function rangeParts(
  [, open, low = '', high = '', close]: readonly string[],
  type: CellType | undefined,
  words: CellFormWords,
): readonly CellPart[] | undefined {
  const [from, to] = [literal(low.trim(), type, words), literal(high.trim(), type, words)]
  if (from === undefined || to === undefined || close === ')') return undefined
  if (open === '[') return [value(from), word(words.to), value(to)]
  return [word(words.over), value(from), word(words.upTo), value(to)]
}

function resultParts(cell: string, type: CellType | undefined, words: CellFormWords): readonly CellPart[] | undefined {
  const text = cell.trim()
  if (text === '') return []
  const single = literal(text, type, words)
  return single === undefined ? undefined : [value(single)]
}

function literal(text: string, type: CellType | undefined, words: CellFormWords): string | undefined {
  const found = literalOf(text)
  if (found === undefined) return undefined
  // A number keeps its digits: `4.90` stays `4.90`.
  return isNumber(found) ? text : valueText(found, type, words)
}

function valueText(found: Value, type: CellType | undefined, words: CellFormWords): string | undefined {
  if (typeof found === 'string') return found
  if (isNumber(found)) return String(found)
  if (typeof found !== 'boolean') return undefined
  return type === 'boolean' ? (found ? words.yes : words.no) : String(found)
}
