import { nearest, quote } from '@engine/expression'
import type { Imported } from '../conversion-result.ts'
import { Losses } from '../losses.ts'
import { variableName } from '../names.ts'
import { TooLarge } from '../size-error.ts'
import { isHeader } from './header.ts'
import { hasDecimalComma, plainColumn, type PlainKind, type PlainType } from './plain-cell.ts'
import {
  type CellRange,
  MAX_CHARACTERS,
  MAX_MERGED,
  MAX_ROWS,
  MERGED,
  type Places,
  type SheetCell,
  SheetTable,
} from './table.ts'

/** The titles of the columns that a table tests, and of those that it sets. */
export interface ColumnRoles {
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

/** A cell whose text is not its content. */
export interface LostCell {
  /** From 0. */
  readonly row: number
  readonly column: number
  /** Why. */
  readonly message: string
}

/** The cells of a sheet as texts. */
export interface SheetTexts {
  readonly cells: readonly (readonly string[])[]
  readonly lost: readonly LostCell[]
}

/** Titles that name no column of a sheet, or one twice. */
export class ColumnRoleFault extends Error {}

interface SheetRow {
  readonly cells: readonly SheetCell[]
  /** The identifier of `Places`. */
  readonly source: number
}

/**
 * A sheet as people write it: a row of titles, and rows of values below it. Collects the rows, because the type of a column
 * is that of all its cells. Throws `TooLarge`.
 */
export class PlainSheet {
  readonly name: string
  readonly #places: Places
  readonly #rows: SheetRow[] = []
  readonly #merged: CellRange[] = []
  #charactersLeft = MAX_CHARACTERS

  constructor(name: string, places: Places) {
    this.name = name
    this.#places = places
  }

  add(cells: readonly SheetCell[], source: number): void {
    if (this.#rows.length > MAX_ROWS) throw new TooLarge(`a table may have at most ${MAX_ROWS} rows`)
    for (const cell of cells) this.#charactersLeft -= typeof cell === 'string' ? cell.length : cell.original.length
    if (this.#charactersLeft < 0)
      throw new TooLarge(`the cells of a table may have at most ${MAX_CHARACTERS} characters`)
    this.#rows.push({ cells, source })
  }

  merge(range: CellRange): void {
    this.#merged.push(range)
  }

  /** Whether it has no cells. */
  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  /** The titles in the first row, without their types; empty ones are left out. */
  get titles(): readonly string[] {
    return this.#header.map((title) => titleOf(title).name).filter((title) => title !== '' && !isNext(title))
  }

  /** Whether the header has roles of its own: `in:field`, `out:field`. */
  get hasRoles(): boolean {
    return isHeader(this.#header, [])
  }

  /**
   * The texts of its cells without blank rows, and the cells whose texts are not their content: formulas, merged cells, cells
   * that a row lacks. Costs the cells.
   */
  texts(): SheetTexts {
    const rows = this.#rows.filter(({ cells }) => cells.some((cell) => textOf(cell) !== ''))
    const width = rows[0]?.cells.length ?? 0
    const lost: LostCell[] = []
    for (const [row, { cells }] of rows.entries()) {
      for (const [column, cell] of cells.entries())
        if (typeof cell !== 'string') lost.push({ row, column, message: cell.loss.message })
      if (this.#isComplete && cells.length < width)
        lost.push({ row, column: cells.length, message: shortRow(cells.length, width) })
    }
    let left = MAX_MERGED
    const indexes = new Map(rows.map(({ source }, index) => [source, index]))
    for (const { top, left: first, bottom, right } of this.#merged)
      for (let source = top; source <= bottom; source++) {
        const row = indexes.get(source)
        for (let column = first; column <= right; column++) {
          if (--left < 0) throw new TooLarge(`merged cells may span at most ${MAX_MERGED} cells`)
          const isFirst = source === top && column === first
          if (row !== undefined && !isFirst) lost.push({ row, column, message: MERGED.message })
        }
      }
    return { cells: rows.map(({ cells }) => cells.map(textOf)), lost }
  }

  get #header(): readonly string[] {
    return (this.#rows[0]?.cells ?? []).map((cell) => (typeof cell === 'string' ? cell.trim() : ''))
  }

  /**
   * The ruleset of the sheet: its rows are those of a table with the hit policy `first`. Throws `ColumnRoleFault` and `TooLarge`.
   *
   * @param roles by title; undefined for a header with roles of its own
   */
  toRuleset(name: string, roles?: ColumnRoles): Imported {
    const losses = new Losses()
    const [header, ...rows] = this.#rows
    if (header === undefined) {
      losses.error({ path: '' }, { code: 'no-header', message: 'the sheet is empty: its first row names the columns' })
      return { rulesets: [], lost: losses.lost }
    }
    const columns = roles === undefined ? undefined : this.#columns(roles, header, rows, losses)
    const table = new SheetTable(columns?.header ?? header.cells, header.source, this.#places, losses, [])
    for (const [index, { cells, source }] of rows.entries()) {
      if (cells.length < header.cells.length && this.#isComplete)
        losses.error(this.#places.cell(source, cells.length - 1), {
          code: 'short-row',
          message: shortRow(cells.length, header.cells.length),
        })
      table.add(columns === undefined ? cells : (columns.rows[index] ?? []), source)
    }
    for (const range of this.#merged) table.merge(range)
    return { rulesets: [{ name, ruleset: table.finish(name) }], lost: losses.lost }
  }

  /** Rows of CSV have all their cells, those of a workbook end with the last one that has content. */
  get #isComplete(): boolean {
    return this.#places.isComplete === true
  }

  #columns(roles: ColumnRoles, header: SheetRow, rows: readonly SheetRow[], losses: Losses) {
    const kinds = this.#kindsOf(roles)
    const hasCommas = rows.some(({ cells }) => cells.some(hasDecimalComma))
    const taken = new Set<string>()
    const translated = rows.map(({ cells }): SheetCell[] => [...cells])
    const titles = this.#header.map((text, index): string => {
      if (isNext(text)) return 'next'
      const { name, type: declared } = titleOf(text)
      const kind = kinds.get(name)
      if (kind === undefined) {
        if (name !== '') losses.warn(this.#places.cell(header.source, index), omitted(name))
        for (const cells of translated) if (index < cells.length) cells[index] = ''
        return ''
      }
      const field = fieldName(kind, name, taken)
      if (field === undefined) losses.error(this.#places.cell(header.source, index), noName(name))
      const given = rows.map(({ cells }) => cells[index] ?? '')
      const { cells, type } = plainColumn(kind, given, declared, hasCommas)
      for (const [row, cell] of cells.entries()) {
        const target = translated[row]
        if (target !== undefined && index < target.length) target[index] = cell
      }
      return `${kind === 'input' ? 'in' : 'out'}:${field ?? `column_${index + 1}`}${kind === 'input' && type !== undefined ? `:${type}` : ''}`
    })
    return { header: titles, rows: translated }
  }

  /** Throws `ColumnRoleFault`. */
  #kindsOf({ inputs, outputs }: ColumnRoles): ReadonlyMap<string, PlainKind> {
    const kinds = new Map<string, PlainKind>()
    const { titles } = this
    const twice = titles.find((title, index) => titles.indexOf(title) !== index)
    if (twice !== undefined) throw new ColumnRoleFault(`two columns have the title ${quote(twice)}`)
    for (const [kind, names] of [
      ['input', inputs],
      ['output', outputs],
    ] as const)
      for (const name of names) {
        const title = titles.find((one) => one.toLowerCase() === name.trim().toLowerCase())
        if (title === undefined) throw new ColumnRoleFault(noColumn(name.trim(), titles))
        if (kinds.has(title)) throw new ColumnRoleFault(`the column ${quote(title)} is named twice`)
        kinds.set(title, kind)
      }
    return kinds
  }
}

const textOf = (cell: SheetCell) => (typeof cell === 'string' ? cell : cell.original)

const shortRow = (cells: number, header: number) => `the row has ${cells} cells, the header ${header}`

const isNext = (title: string) => title.toLowerCase() === 'next'

const TYPES: ReadonlyMap<string, PlainType> = new Map([
  ['string', 'string'],
  ['text', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
])

/** A title and the type after its last colon. */
function titleOf(text: string): { readonly name: string; readonly type: PlainType } {
  const colon = text.lastIndexOf(':')
  const type =
    colon < 0
      ? undefined
      : TYPES.get(
          text
            .slice(colon + 1)
            .trim()
            .toLowerCase(),
        )
  return type === undefined ? { name: text, type } : { name: text.slice(0, colon).trim(), type }
}

/**
 * `Order weight` becomes `order_weight`; points separate the members of an input. An input without letters a to z keeps its
 * title; undefined for such an output, which is a variable.
 */
function fieldName(kind: PlainKind, title: string, taken: Set<string>): string | undefined {
  const parts = kind === 'input' ? title.split('.') : [title]
  const isPlain = parts.every((part) => /[A-Za-z]/.test(part.normalize('NFKD')))
  if (!isPlain) return kind === 'input' ? `$[${JSON.stringify(title)}]` : undefined
  const names = parts.map((part) => variableName(part.trim().toLowerCase(), new Set()).replace(/^_+|_+$/g, ''))
  const wanted = names.map((name) => (/^[a-z_]/.test(name) ? name : `_${name}`)).join('.')
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`
  taken.add(name)
  return name
}

function noColumn(name: string, titles: readonly string[]): string {
  const near = nearest(name, titles)
  const hint =
    near === undefined
      ? `the columns are ${titles.map((title) => quote(title)).join(', ')}`
      : `did you mean ${quote(near)}?`
  return `no column has the title ${quote(name)}: ${hint}`
}

const omitted = (title: string) => ({
  code: 'unknown-column',
  message: `the column ${quote(title)} is neither an input nor an output, and was omitted`,
})

const noName = (title: string) => ({
  code: 'no-field',
  message: `${quote(title)} has no letters a to z for the name of a variable: rename the column`,
})
