import { quote } from '@engine/expression'
import type { LossText } from '../losses.ts'
import type { CellRange, SheetCell } from '../sheet/table.ts'
import type { XmlAttributes } from '../xml/read-xml.ts'
import { isoDate, type NumberKinds } from './date.ts'
import { TextReader, unescaped } from './shared-texts.ts'
import { type Package, PartFault, readPart } from './workbook.ts'

/** Parts of the workbook that cells refer to. */
export interface SheetContext {
  readonly texts: readonly string[]
  readonly kinds: NumberKinds
  readonly is1904: boolean
}

export interface SheetHandler {
  /** A non-empty row; rows ascend. Missing cells are empty. */
  row(cells: readonly SheetCell[], row: number): void
  /** Merged cells; called after all rows. */
  merged(range: CellRange): void
}

const MAX_COLUMNS = 16_384
const MAX_ROWS = 1_048_576

/**
 * Reads the cells of a sheet row by row, with one row in memory. Throws `PartFault` and whatever the handler throws.
 */
export function readSheet(pack: Package, path: string, context: SheetContext, handler: SheetHandler): void {
  const reader = new RowReader(context, handler)
  readPart(pack, path, {
    open({ local }, attributes) {
      if (local === 'row') reader.beginRow(attributes)
      else if (local === 'c') reader.beginCell(attributes)
      else if (local === 'mergeCell') handler.merged(rangeOf(attributes.get('ref') ?? ''))
      else reader.open(local)
    },
    text: (text) => reader.text(text),
    close({ local }) {
      if (local === 'row') reader.endRow()
      else if (local === 'c') reader.endCell()
      else reader.close(local)
    },
  })
}

class RowReader {
  readonly #context: SheetContext
  readonly #handler: SheetHandler
  readonly #inline = new TextReader()
  #row = -1
  #cells: SheetCell[] = []
  #column = -1
  #attributes: XmlAttributes | undefined
  /** Within `v` or `f`. */
  #within = ''
  #value = ''
  #formula: string | undefined

  constructor(context: SheetContext, handler: SheetHandler) {
    this.#context = context
    this.#handler = handler
  }

  beginRow(attributes: XmlAttributes): void {
    const given = attributes.get('r')
    const row = given === undefined ? this.#row + 1 : Number(given) - 1
    if (!Number.isInteger(row) || row <= this.#row || row >= MAX_ROWS)
      throw new PartFault('the rows of a sheet are out of order')
    this.#row = row
    this.#column = -1
    this.#cells = []
  }

  beginCell(attributes: XmlAttributes): void {
    const given = attributes.get('r')
    const column = given === undefined ? this.#column + 1 : (cellAt(given)?.column ?? -1)
    if (column <= this.#column || column >= MAX_COLUMNS) throw new PartFault('the cells of a row are out of order')
    this.#column = column
    this.#attributes = attributes
    this.#value = ''
    this.#formula = undefined
    this.#inline.begin()
  }

  open(local: string): void {
    this.#inline.open(local)
    this.#within = local
    if (local === 'f') this.#formula = ''
  }

  text(text: string): void {
    this.#inline.text(text)
    if (this.#within === 'v') this.#value += text
    if (this.#within === 'f') this.#formula += text
  }

  close(local: string): void {
    this.#inline.close(local)
    this.#within = ''
  }

  endCell(): void {
    const cell = this.#cell()
    if (cell === '') return
    while (this.#cells.length < this.#column) this.#cells.push('')
    this.#cells.push(cell)
  }

  endRow(): void {
    if (this.#cells.length > 0) this.#handler.row(this.#cells, this.#row)
  }

  #cell(): SheetCell {
    if (this.#formula !== undefined) return lost(`=${this.#formula}`, cellLosses.formula())
    const value = this.#value.trim()
    switch (this.#attributes?.get('t') ?? 'n') {
      case 's':
        return this.#shared(value)
      case 'inlineStr':
        return this.#inline.taken()
      case 'str':
        return unescaped(this.#value)
      case 'b':
        return value === '' ? '' : value === '1' || value === 'true' ? 'true' : 'false'
      case 'd':
        return value === '' ? '' : JSON.stringify(value)
      case 'e':
        return lost(value, cellLosses.errorValue(value))
      case 'n':
        return this.#number(value)
      default:
        throw new PartFault('a cell has an unknown type')
    }
  }

  #shared(value: string): string {
    const text = this.#context.texts[value === '' ? -1 : Number(value)]
    if (text === undefined) throw new PartFault('a cell refers to a text that the workbook does not have')
    return text
  }

  #number(value: string): SheetCell {
    if (value === '') return ''
    const number = Number(value)
    if (!Number.isFinite(number)) throw new PartFault('a cell contains an invalid number')
    const kind = this.#context.kinds[Number(this.#attributes?.get('s') ?? 0)] ?? 'number'
    if (kind === 'number') return String(number)
    if (kind === 'duration') return lost(value, cellLosses.duration())
    const date = isoDate(number, this.#context.is1904)
    return date === undefined ? lost(value, cellLosses.noDate()) : JSON.stringify(date)
  }
}

const lost = (original: string, loss: LossText): SheetCell => ({ original, loss })

const cellLosses = {
  formula: (): LossText => ({
    code: 'formula',
    message: 'formulas and their values are not imported: enter the value into the cell',
  }),
  errorValue: (value: string): LossText => ({
    code: 'error-value',
    message: `the cell contains the error ${quote(value)}`,
  }),
  duration: (): LossText => ({ code: 'duration', message: 'a cell formatted as a duration is not supported' }),
  noDate: (): LossText => ({ code: 'no-date', message: 'the number of this cell is out of range for dates' }),
}

const LETTER_A = 65
const MAX_LETTERS = 3

/**
 * Parses `B3` to a zero-based column and row; undefined when it is not a cell. Reads characters individually, because a
 * sheet has millions of cells.
 */
function cellAt(reference: string): { readonly column: number; readonly row: number } | undefined {
  let column = 0
  let at = 0
  for (; at <= MAX_LETTERS; at++) {
    const letter = reference.charCodeAt(at) - LETTER_A
    if (!(letter >= 0 && letter < 26)) break
    column = column * 26 + letter + 1
  }
  const row = Number(reference.slice(at))
  return at === 0 || at > MAX_LETTERS || !Number.isInteger(row) || row < 1
    ? undefined
    : { column: column - 1, row: row - 1 }
}

function rangeOf(reference: string): CellRange {
  const [from = '', to = from] = reference.split(':')
  const [first, last] = [cellAt(from), cellAt(to)]
  if (first === undefined || last === undefined) throw new PartFault('a range of merged cells is invalid')
  return { top: first.row, left: first.column, bottom: last.row, right: last.column }
}

/** The name of a zero-based cell: `B3`. */
export function cellName(row: number, column: number): string {
  let letters = ''
  for (let rest = column; rest >= 0; rest = Math.floor(rest / 26) - 1)
    letters = String.fromCharCode(65 + (rest % 26)) + letters
  return `${letters}${row + 1}`
}
