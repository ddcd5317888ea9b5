import { type DraftRuleset, type DraftStep, type Problem, type Row } from '@engine/authoring'
import { quote } from '@engine/expression'
import type { Losses, LossText, Where } from '../losses.ts'
import { unusedName } from '../names.ts'
import { lostExpression, lostTest } from '../placeholder.ts'
import { errorsOf, unchecked } from '../draft-errors.ts'
import { TooLarge } from '../size-error.ts'
import { type KnownColumns, readHeader, type SheetColumn } from './header.ts'

/** A cell: its text, or the reason why it cannot be converted. */
export type SheetCell = string | { readonly original: string; readonly loss: LossText }

/** Positions of a sheet's cells. `row` is the sheet's row identifier, `index` the cell in it, from 0. */
export interface Places {
  cell(row: number, index: number): Where
  /** Whether each row has all its cells, as in CSV; those of a workbook end with the last one that has content. */
  readonly isComplete?: boolean
}

/** A range of cells from one corner to another, with the sheet's row identifiers. */
export interface CellRange {
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
}

/** Rows of one table. */
export const MAX_ROWS = 100_000
/** Characters of all cells of a table: a draft may have 10 MiB. */
export const MAX_CHARACTERS = 16_777_216
/** Total rows of all merged cells of a table. */
export const MAX_MERGED = 1_000_000

const TABLE = 'table'

/**
 * Builds a ruleset from the rows of a sheet, passed one after the other: a table with the hit policy `first`, and a
 * terminal for each name in the column `next`. Stores the non-empty cells. Throws `TooLarge`.
 */
export class SheetTable {
  readonly #places: Places
  readonly #losses: Losses
  readonly #columns: readonly SheetColumn[]
  readonly #header: number
  readonly #width: number
  readonly #rows: Row[] = []
  /** The sheet's identifier of each row. */
  readonly #sources: number[] = []
  /** Unconvertible cells, by row and column. */
  readonly #lost = new Set<string>()
  #charactersLeft = MAX_CHARACTERS
  #mergedLeft = MAX_MERGED

  /** The header is the first row of the table. */
  constructor(header: readonly SheetCell[], row: number, places: Places, losses: Losses, known: KnownColumns) {
    this.#places = places
    this.#losses = losses
    this.#header = row
    this.#width = header.length
    for (const [index, cell] of header.entries())
      if (typeof cell !== 'string') losses.error(places.cell(row, index), cell.loss)
    this.#columns = readHeader(header.map(textOf), (index) => places.cell(row, index), losses, known)
  }

  /** Number of cells in the header. */
  get width(): number {
    return this.#width
  }

  /** Adds a row; empty ones are skipped. */
  add(cells: readonly SheetCell[], source: number): void {
    for (let index = this.#width; index < cells.length; index++)
      if (textOf(cells[index] ?? '') !== '') this.#losses.error(this.#places.cell(source, index), NO_COLUMN)
    const row = this.#rowOf(cells, source)
    if (row === undefined) return
    if (this.#rows.length === MAX_ROWS) throw new TooLarge(`a table may have at most ${MAX_ROWS} rows`)
    if (this.#charactersLeft < 0)
      throw new TooLarge(`the cells of a table may have at most ${MAX_CHARACTERS} characters`)
    this.#rows.push(row)
    this.#sources.push(source)
  }

  #rowOf(given: readonly SheetCell[], source: number): Row | undefined {
    const id = `r${this.#rows.length + 1}`
    const cells: Record<string, string> = {}
    let nextStepId: string | undefined
    for (const column of this.#columns) {
      const cell = given[column.index] ?? ''
      if (typeof cell !== 'string') this.#losses.error(this.#places.cell(source, column.index), cell.loss)
      const text = typeof cell === 'string' ? cell.trim() : this.#placeholder(id, column, cell.original)
      if (text === '') continue
      this.#charactersLeft -= text.length
      if (column.kind === 'next') nextStepId = text
      else cells[column.column.id] = text
    }
    if (nextStepId !== undefined) return { id, cells, nextStepId }
    return Object.keys(cells).length === 0 ? undefined : { id, cells }
  }

  #placeholder(row: string, column: SheetColumn, original: string): string {
    if (column.kind === 'next') return ''
    this.#lost.add(`${row}/${column.column.id}`)
    return column.column.kind === 'input' ? lostTest(original) : lostExpression(original)
  }

  /**
   * Reports merged cells, after all rows: only the first cell has the content, and it is unclear whether it applies to
   * the others.
   */
  merge({ top, left, bottom, right }: CellRange): void {
    const columns = this.#columns.filter(({ index }) => index >= left && index <= right)
    const isWithin = bottom >= this.#header && (top < bottom || left < right)
    if (columns.length === 0 || !isWithin) return
    this.#losses.error(this.#places.cell(top, left), MERGED)
    for (let at = this.#indexOf(top); at < this.#rows.length && (this.#sources[at] ?? 0) <= bottom; at++) {
      if (--this.#mergedLeft < 0) throw new TooLarge(`merged cells may span at most ${MAX_MERGED} rows`)
      this.#markMerged(at, columns)
    }
  }

  #markMerged(at: number, columns: readonly SheetColumn[]): void {
    const row = this.#rows[at]
    if (row === undefined) return
    const marked = columns.flatMap((column): (readonly [string, string])[] =>
      column.kind === 'next' ? [] : [[column.column.id, this.#placeholder(row.id, column, 'merged cells')]],
    )
    this.#rows[at] = { ...row, cells: { ...row.cells, ...Object.fromEntries(marked) } }
  }

  /** The first row at or after a position. */
  #indexOf(source: number): number {
    let [low, high] = [0, this.#sources.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#sources[middle] ?? 0) < source) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The ruleset, after the last row; problems are reported at the cells of the sheet. */
  finish(name: string): DraftRuleset {
    const draft = sheetDraft(name, this.#columns, this.#rows)
    const errors = errorsOf(draft)
    if (errors === undefined) this.#losses.warn(this.#places.cell(this.#header, 0), unchecked)
    for (const problem of errors ?? []) {
      const placed = this.#placed(problem)
      if (placed !== undefined) this.#losses.add(placed)
    }
    return draft
  }

  /** The draft's problem at its position in the sheet; undefined when it was already reported. */
  #placed({ path, code, message, severity, suggestion }: Problem): Problem | undefined {
    const text = { code, message, severity, ...(suggestion !== undefined && { suggestion }) }
    const [, , , list, number = '', , member] = path.split('/')
    const row = list === 'rows' ? Number(number) : undefined
    if (row !== undefined && this.#lost.has(`r${row + 1}/${member}`)) return undefined
    const cells = this.#columns.filter((column) => column.kind === 'cells')
    const column = list === 'columns' ? cells[Number(number)] : cells.find((one) => one.column.id === member)
    const next = this.#columns.find(({ kind }) => kind === 'next')
    const source = row === undefined ? this.#header : (this.#sources[row] ?? this.#header)
    return { ...this.#places.cell(source, (column ?? next)?.index ?? 0), ...text }
  }
}

const textOf = (cell: SheetCell) => (typeof cell === 'string' ? cell.trim() : '')

/** The table with its terminals. Names in the column `next` become terminal codes. */
function sheetDraft(name: string, columns: readonly SheetColumn[], given: readonly Row[]): DraftRuleset {
  const cells = columns.flatMap((one) => (one.kind === 'cells' ? [one.column] : []))
  const fields = cells.flatMap(({ kind, field = '' }) => (kind === 'output' ? [field.replace(/^\$/, '')] : []))
  const output = Array.from(new Set(fields), (field) => ({ name: field, value: `$${field}` }))
  const terminal = (id: string, code: string): DraftStep => ({ id, type: 'terminal', code, output })
  const ids = new Set([TABLE])
  const codes = new Set(given.flatMap(({ nextStepId }) => (nextStepId === undefined ? [] : [nextStepId])))
  const targets = new Map(Array.from(codes, (code) => [code, unusedName(code, ids)]))
  const nextStepId = unusedName('done', ids)
  const defaultNextStepId = unusedName('no_match', ids)
  const rows = given.map((row) => {
    const target = row.nextStepId === undefined ? undefined : targets.get(row.nextStepId)
    return target === undefined ? row : { ...row, nextStepId: target }
  })
  return {
    config: { name },
    startStepId: TABLE,
    steps: [
      { id: TABLE, type: 'table', hitPolicy: 'first', columns: cells, rows, nextStepId, defaultNextStepId },
      ...Array.from(targets, ([code, id]) => terminal(id, code)),
      terminal(nextStepId, 'DONE'),
      terminal(defaultNextStepId, 'NO_MATCH'),
    ],
  }
}

const NO_COLUMN: LossText = { code: 'cell-without-column', message: 'the header has no name for this column' }
export const MERGED: LossText = {
  code: 'merged-cells',
  message: 'merged cells are not supported in a table: repeat the content in each cell',
}

/** A table without a valid header. */
export const noHeader = (what: string): LossText => ({
  code: 'no-header',
  message: `${quote(what)} has no header: its first row must name the columns, \`in:field\`, \`out:field\` or \`next\``,
})
