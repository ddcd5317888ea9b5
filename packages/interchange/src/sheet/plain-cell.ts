import { literalOf } from '@engine/authoring'
import { quote } from '@engine/expression'
import type { LossText } from '../losses.ts'
import type { SheetCell } from './table.ts'

/** The type of a column in a sheet as people write it; undefined: its cells have several. */
export type PlainType = 'number' | 'boolean' | 'string' | undefined

/** The role of a column. */
export type PlainKind = 'input' | 'output'

/** A value as it is written in a cell. */
type Atom =
  | { readonly kind: 'number' | 'boolean' | 'literal'; readonly text: string }
  /** `isCode`: digits that no number keeps, such as `007`. */
  | { readonly kind: 'word'; readonly text: string; readonly isCode: boolean }
  | { readonly kind: 'refused'; readonly text: string; readonly loss: LossText }

/** A cell taken apart; `build` makes the cell of a table from the texts of its values. */
interface Cell {
  readonly atoms: readonly Atom[]
  /** Whether it compares the order of values, which texts other than dates do not have. */
  readonly isOrdered: boolean
  readonly build: (values: readonly string[]) => string
}

/** Number syntax of JSON: leading zeros, a plus sign and thousands separators make no number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const CODE = /^(?:\+\d+|0\d+)$/
const DECIMAL_COMMA = /^-?(?:0|[1-9]\d*),\d+$/
const THOUSANDS = /^-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$|^-?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/
const RANGE = /^(\d+(?:\.\d+)?)\s*[-–—]\s*(\d+(?:\.\d+)?)$/
const POINTS = /^(-?\d+(?:\.\d+)?)\s*\.\.\s*(-?\d+(?:\.\d+)?)$/
const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/
const COMPARISON = /^(=>|=<|==?|!=|<>|≠|>=|≥|<=|≤|>|<)\s*(.+)$/s
const MEMBERSHIP = /^(in|not\s+in)\s*\[(.*)\]$/is

/** Operators of spreadsheets and people by those of tables. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['=', '=='],
  ['<>', '!='],
  ['≠', '!='],
  ['=>', '>='],
  ['≥', '>='],
  ['=<', '<='],
  ['≤', '<='],
])

/**
 * The cells of one column as cells of a table, and its type. A bare word is a text, `-` and an empty input match anything, and
 * a cell that can mean two things is refused by itself. Linear in the characters of the cells.
 *
 * @param declared the type in the header; undefined: that of the cells
 * @param hasCommas whether some number of the sheet has a decimal comma
 */
export function plainColumn(
  kind: PlainKind,
  given: readonly SheetCell[],
  declared: PlainType,
  hasCommas: boolean,
): { readonly cells: readonly SheetCell[]; readonly type: PlainType } {
  const isText = declared === 'string'
  const cells = given.map((cell) =>
    typeof cell === 'string' ? cellOf(kind, cell.trim(), isText, hasCommas) : ({ lost: cell } as const),
  )
  const type = declared ?? typeOf(cells.flatMap((cell) => ('lost' in cell ? [] : cell.atoms)))
  return { cells: cells.map((cell) => ('lost' in cell ? cell.lost : written(cell, type))), type }
}

/** Whether a cell has a number with a decimal comma that cannot be one with a thousands separator. */
export function hasDecimalComma(cell: SheetCell): boolean {
  if (typeof cell !== 'string') return false
  const [, , value = cell] = COMPARISON.exec(cell.trim()) ?? []
  return DECIMAL_COMMA.test(value.trim()) && !THOUSANDS.test(value.trim())
}

function cellOf(kind: PlainKind, text: string, isText: boolean, hasCommas: boolean): Cell {
  const atom = (value: string) => atomOf(value.trim(), isText, hasCommas)
  const single = (value: string): Cell => ({ atoms: [atom(value)], isOrdered: false, build: ([one = '']) => one })
  if (text === '' || (kind === 'input' && text === '-')) return kept('')
  if (kind === 'output') return text.startsWith('=') ? kept(text.slice(1).trim()) : single(text)
  if (text.startsWith('?')) return kept(text)
  const membership = MEMBERSHIP.exec(text)
  if (membership !== null) return listCell(membership, atom)
  const points = POINTS.exec(text)
  if (points !== null && !isText) return ordered([points[1] ?? '', points[2] ?? ''], atom, ([a, b]) => `[${a}..${b}]`)
  // An interval `[1..5)` or a list has the syntax of a table already.
  if (/^[[(].*\.\..*[\])]$/s.test(text)) return { ...kept(text), atoms: [{ kind: 'number', text }] }
  const [, operator, right = ''] = COMPARISON.exec(text) ?? []
  if (operator === undefined) return isList(text) ? refusedList(text) : single(text)
  const canonical = OPERATORS.get(operator) ?? operator
  if (canonical === '==' || canonical === '!=')
    return { ...single(right), build: ([one = '']) => (canonical === '==' ? one : `!= ${one}`) }
  return ordered([right], atom, ([one]) => `${canonical} ${one}`)
}

const kept = (text: string): Cell => ({ atoms: [], isOrdered: false, build: () => text })

function ordered(values: readonly string[], atom: (value: string) => Atom, build: Cell['build']): Cell {
  return { atoms: values.map(atom), isOrdered: true, build }
}

function listCell([whole, operator = '', inner = '']: readonly string[], atom: (value: string) => Atom): Cell {
  const name = operator.toLowerCase().replace(/\s+/, ' ')
  if (literalOf(`[${inner}]`) !== undefined) return kept(`${name} [${inner}]`)
  if (inner.includes('"')) return { ...kept(''), atoms: [refusedAtom(whole ?? '', NOT_A_LIST)] }
  const build: Cell['build'] = (values) => `${name} [${values.join(', ')}]`
  return { atoms: inner.split(',').map(atom), isOrdered: false, build }
}

/** Words with commas between them: several values, or one text. */
const isList = (text: string) => text.includes(',') && !/^["'[{]/.test(text) && !/^[-\d.,]+$/.test(text)

function refusedList(text: string): Cell {
  const values = text.split(',').map((value) => JSON.stringify(value.trim()))
  const suggestion = `in [${values.join(', ')}]`
  const loss = {
    code: 'cell-ambiguous',
    message: `${quote(text)} may be several values or one text: write ${quote(suggestion)} or ${quote(JSON.stringify(text))}`,
    suggestion,
  }
  return { ...kept(''), atoms: [refusedAtom(text, loss)] }
}

const NOT_A_LIST: LossText = { code: 'cell-not-literal', message: 'an item of the list is not a literal' }

const refusedAtom = (text: string, loss: LossText): Atom => ({ kind: 'refused', text, loss })

function atomOf(text: string, isText: boolean, hasCommas: boolean): Atom {
  if (/^["[{]/.test(text) && literalOf(text) !== undefined) return { kind: 'literal', text }
  if (isText) return { kind: 'word', text, isCode: false }
  if (/^(?:true|false)$/i.test(text)) return { kind: 'boolean', text: text.toLowerCase() }
  const range = RANGE.exec(text)
  if (range !== null) return refusedRange(text, range)
  if (THOUSANDS.test(text) && !(NUMBER.test(text) && !hasCommas)) return refusedThousands(text)
  if (DECIMAL_COMMA.test(text)) return { kind: 'number', text: text.replace(',', '.') }
  if (NUMBER.test(text)) return { kind: 'number', text }
  return { kind: 'word', text, isCode: CODE.test(text) }
}

function refusedRange(text: string, [, low = '', high = '']: readonly string[]): Atom {
  const suggestion = `[${low}..${high}]`
  const message = `${quote(text)} may be a range or a text: write ${quote(suggestion)} or ${quote(JSON.stringify(text))}`
  return refusedAtom(text, { code: 'cell-ambiguous', message, suggestion })
}

/** `1,500` and `1.500`: by locale, the separator is that of thousands or of decimals. */
function refusedThousands(text: string): Atom {
  const separators = text.replaceAll(/[^,.]/g, '')
  const last = separators.at(-1) ?? ''
  const isClear = new Set(separators).size === 2
  const decimal = isClear ? text.lastIndexOf(last) : text.length
  const whole = `${text.slice(0, decimal).replaceAll(/[,.]/g, '')}${isClear ? `.${text.slice(decimal + 1)}` : ''}`
  const meanings =
    isClear || separators.length > 1 ? `write ${whole}` : `write ${whole} or ${Number(text.replace(',', '.'))}`
  const reason = isClear || separators.length > 1 ? 'has separators of thousands' : 'may be two numbers'
  return refusedAtom(text, { code: 'cell-ambiguous', message: `${quote(text)} ${reason}: ${meanings}` })
}

/** The common type of the values. Codes such as `007` make the numbers of their column texts. */
function typeOf(atoms: readonly Atom[]): PlainType {
  const kinds = new Set(atoms.map(({ kind }) => kind))
  const words = atoms.filter((atom) => atom.kind === 'word')
  if (kinds.has('literal')) {
    const values = atoms.filter(({ kind }) => kind === 'literal').map(({ text }) => literalOf(text))
    if (values.some((value) => typeof value !== 'string') || kinds.has('number') || kinds.has('boolean'))
      return undefined
    return 'string'
  }
  if (words.length > 0 && !kinds.has('boolean') && words.every((word) => word.isCode)) return 'string'
  if (kinds.has('number')) return kinds.has('boolean') ? undefined : 'number'
  if (kinds.has('boolean')) return 'boolean'
  return words.length > 0 ? 'string' : undefined
}

function written({ atoms, isOrdered, build }: Cell, type: PlainType): SheetCell {
  const values: string[] = []
  for (const atom of atoms) {
    const loss = atom.kind === 'refused' ? atom.loss : lossOf(atom, type, isOrdered)
    if (loss !== undefined) return { original: atom.text, loss }
    const isText = atom.kind === 'word' || (type === 'string' && atom.kind !== 'literal')
    values.push(isText ? JSON.stringify(atom.text) : atom.text)
  }
  return build(values)
}

function lossOf({ kind, text }: Atom, type: PlainType, isOrdered: boolean): LossText | undefined {
  if (isOrdered && kind === 'word' && !DATE.test(text))
    return { code: 'cell-not-literal', message: `${quote(text)} is not a number: only numbers and dates have an order` }
  const isOther = kind === 'word' && (type === 'number' || type === 'boolean')
  if (!isOther) return undefined
  const message = `${quote(text)} is a text in a column of ${type}s: write ${quote(JSON.stringify(text))} if it is meant, or \`: string\` after the title if all cells are texts`
  return { code: 'cell-type', message, suggestion: JSON.stringify(text) }
}
