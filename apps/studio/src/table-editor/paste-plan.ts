import { cellCondition, type Column, type TableStep } from '@engine/authoring'
import { parse } from '@engine/expression'
import { type CellType, declaredType, typeOfColumn } from './cell-type.ts'
import { type ReadCell, readCell, rangeEnds, type ReadOptions } from './cell-words.ts'
import type { Cells } from './clipboard.ts'
import { keyOfTitle, readTitle, type SheetTitle } from './paste-title.ts'
import {
  decimalSign,
  DEFAULT_READING,
  isAmbiguousDate,
  isAny,
  plainBoolean,
  plainDate,
  plainNumber,
  type ReadingChoice,
} from './plain-value.ts'

/**
 * The target of a pasted column: an existing column by id, a new column, the next step or the note of each row, or
 * none.
 */
export type PasteTarget = { readonly id: string } | 'input' | 'output' | 'next' | 'note' | 'none'

/** The choices of the author; undefined for automatic detection. */
export interface PasteChoice extends Partial<ReadingChoice> {
  readonly hasHeader?: boolean
  /** Whether a range such as `2-5` includes both ends. */
  readonly isClosed?: boolean
  /** By index of the pasted column. */
  readonly types?: Readonly<Record<number, CellType>>
  readonly targets?: Readonly<Record<number, PasteTarget>>
}

/** A pasted column. */
export interface PasteColumn extends Pick<SheetTitle, 'field' | 'label'> {
  readonly unit: string | undefined
  /** From the header, otherwise from the target column. */
  readonly title: string
  readonly target: PasteTarget
  readonly kind: 'input' | 'output'
  readonly type: CellType
  /** True if its title is in table notation. */
  readonly isNotation: boolean
  /** Its converted cells below the header. */
  readonly cells: readonly ReadCell[]
}

/** Number of cells by kind of conversion. */
export interface PasteNotes {
  readonly texts: number
  readonly decimals: number
  readonly units: number
  readonly ranges: number
  readonly limits: number
}

/** A cell that is kept as written because its meaning is unclear. */
export interface UnreadCell {
  /** Row below the header, from 0. */
  readonly row: number
  readonly column: number
  readonly text: string
}

/** The conversion of pasted cells to rows of a table. */
export interface PastePlan {
  readonly hasHeader: boolean
  /** Number of headers that name a column of the table. */
  readonly matched: number
  readonly columns: readonly PasteColumn[]
  /** The cells below the header. */
  readonly given: Cells
  readonly notes: PasteNotes
  /** True if both decimal separators are possible; likewise for the order of dates. */
  readonly asksDecimal: boolean
  readonly asksDate: boolean
  readonly isClosed: boolean
  readonly unread: readonly UnreadCell[]
}

/** Share of the cells of a column that a type must match. */
const SHARE = 0.9

type Table = Pick<TableStep, 'columns' | 'rows'>

/** Whether a table has no content, so that pasted columns replace its own. */
export const isBlank = ({ rows }: Pick<TableStep, 'rows'>): boolean =>
  rows.every(({ cells }) => Object.values(cells).every((cell) => cell.trim() === ''))

/**
 * Plans the conversion of pasted cells by column: header, types, ranges and separators. Cost: the characters of the
 * cells times the number of types.
 *
 * @param from index of the table's column at the active cell
 * @param isField whether an unquoted word in a result names a field or a variable
 */
export function planPaste(
  cells: Cells,
  step: Table,
  from: number,
  choice: PasteChoice = {},
  isField: (word: string) => boolean = () => true,
): PastePlan {
  const width = cells.reduce((most, row) => Math.max(most, row.length), 0)
  const first = cells[0] ?? []
  const below = columnsOf(cells.slice(1), width)
  const titles = Array.from({ length: width }, (_, at) => readTitle(first[at] ?? ''))
  const matched = titles.filter((title) => columnNamed(title, step.columns) !== undefined).length
  const hasHeader = choice.hasHeader ?? (cells.length > 1 && isHeader(titles, first, below, matched))
  const given = hasHeader ? cells.slice(1) : cells
  const texts = hasHeader ? below : columnsOf(cells, width)
  const targets = targetsOf({ titles, width, step, from, hasHeader, chosen: choice.targets ?? {} })
  const signs = texts.map((column) => new Set(column.map(decimalSign)))
  let isClosed = true
  const columns = texts.map((column, at): PasteColumn => {
    const target = targets[at] ?? 'none'
    const title = titles[at]
    const known = typeof target === 'string' ? undefined : step.columns.find(({ id }) => id === target.id)
    const kind = known?.kind ?? (target === 'output' ? 'output' : 'input')
    const reading = readingOf(column, signs[at] ?? new Set(), choice)
    const type =
      choice.types?.[at] ??
      (known && (declaredType(known) ?? (known.type === undefined ? typeOfColumn(known, step.rows) : 'expression'))) ??
      (hasHeader ? title?.type : undefined) ??
      guessType(column, kind, reading)
    const options: ReadOptions = { kind, type, isField, ...reading }
    const closed = choice.isClosed ?? !touches(column, options)
    if (!closed) isClosed = false
    const isTitled = hasHeader && title !== undefined && title.label !== ''
    const isNotation = hasHeader && title?.isNotation === true
    const read = (text: string): ReadCell => {
      if (target === 'next' || target === 'note') return { kind: 'read', text: text.trim() }
      return isNotation && isCell(text, kind)
        ? { kind: 'read', text: text.trim() }
        : readCell(text, { ...options, isClosed: closed })
    }
    return {
      title: isTitled ? title.label : (known?.label ?? known?.field ?? ''),
      field: isTitled ? title.field : (known?.field ?? 'field'),
      label: isTitled ? title.label : '',
      unit: (hasHeader ? title?.unit : undefined) ?? sharedUnit(column, type, reading),
      target,
      kind,
      type,
      isNotation,
      cells: column.map(read),
    }
  })
  const isRead = columns.map(({ target }) => target !== 'none' && target !== 'next' && target !== 'note')
  return {
    hasHeader,
    matched: hasHeader ? matched : 0,
    columns,
    given,
    notes: notesOf(given, columns),
    asksDecimal: columns.some(({ type }, at) => isRead[at] && type === 'number' && isAmbiguous(signs[at])),
    asksDate: columns.some(({ type }, at) => isRead[at] && type === 'date' && hasOpenDates(texts[at] ?? [])),
    isClosed,
    unread: columns.flatMap(({ cells: read }, column) =>
      isRead[column] !== true
        ? []
        : read.flatMap(({ kind, text }, row) => (kind === 'unread' ? [{ row, column, text }] : [])),
    ),
  }
}

/** Whether a text is a cell in table notation. */
const isCell = (text: string, kind: 'input' | 'output') =>
  kind === 'input' ? cellCondition('x', text).kind !== 'failed' : text.trim() === '' || parse(text).kind === 'parsed'

const columnsOf = (rows: Cells, width: number): readonly (readonly string[])[] =>
  Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? ''))

const isAmbiguous = (signs: ReadonlySet<unknown> | undefined) =>
  signs !== undefined && signs.has('ask') && !signs.has('.') && !signs.has(',')

const SLASHES = /^\d{1,2}\/\d{1,2}\/\d{4}$/

const hasOpenDates = (column: readonly string[]) =>
  column.some(isAmbiguousDate) && !column.some((text) => SLASHES.test(text.trim()) && !isAmbiguousDate(text))

/** The separators that other cells of the column prove, otherwise the choice of the author. */
function readingOf(
  column: readonly string[],
  signs: ReadonlySet<unknown>,
  { decimal, dayFirst }: PasteChoice,
): ReadingChoice {
  const proved = signs.has(',') ? ',' : signs.has('.') ? '.' : undefined
  const isMonthFirst = column.some((text) => Number(/^\d{1,2}\/(\d{1,2})\/\d{4}$/.exec(text.trim())?.[1]) > 12)
  return {
    decimal: proved ?? decimal ?? DEFAULT_READING.decimal,
    dayFirst: isMonthFirst ? false : (dayFirst ?? DEFAULT_READING.dayFirst),
  }
}

function columnNamed(
  { role, label, field }: SheetTitle,
  columns: readonly Column[],
  taken?: ReadonlySet<string>,
): Column | undefined {
  const keys = new Set([keyOfTitle(label), keyOfTitle(field)].filter((key) => key !== ''))
  if (label === '' || role === 'next' || role === 'note') return undefined
  return columns.find(
    (column) =>
      taken?.has(column.id) !== true &&
      (role === undefined || role === column.kind) &&
      (keys.has(keyOfTitle(column.field ?? '')) || keys.has(keyOfTitle(column.label ?? ''))),
  )
}

/**
 * True if half of the cells in the first row are names of columns, or one names a role, or one differs in type from all
 * rows below it.
 */
function isHeader(
  titles: readonly SheetTitle[],
  first: readonly string[],
  below: readonly (readonly string[])[],
  matched: number,
): boolean {
  if (first.every((title) => title.trim() === '')) return false
  if (titles.some(({ isNotation }) => isNotation)) return true
  if (matched > 0 && matched * 2 >= titles.length) return true
  return below.some((column, at) => {
    const title = (first[at] ?? '').trim()
    if (title === '' || isAny(title)) return false
    const type = guessType(column, 'input', DEFAULT_READING)
    return (
      type !== 'text' && column.some((text) => !isAny(text)) && guessType([title], 'input', DEFAULT_READING) === 'text'
    )
  })
}

/** The type that matches the cells of a column; text if no other type does. */
function guessType(column: readonly string[], kind: 'input' | 'output', reading: ReadingChoice): CellType {
  const filled = column.filter((text) => !isAny(text))
  if (filled.length === 0) return 'text'
  if (filled.every((text) => text.trim().startsWith(kind === 'input' ? '?' : '='))) return 'expression'
  const words = new Set(filled.map((text) => plainBoolean(text)))
  if (!words.has(undefined) && (words.size === 2 || filled.some((text) => !/^\d$/.test(text.trim())))) return 'boolean'
  for (const type of ['date', 'number'] as const) {
    const isRead = (text: string) => isOfType(text, kind, type, reading)
    if (filled.filter(isRead).length >= filled.length * SHARE) return type
  }
  return 'text'
}

function isOfType(text: string, kind: 'input' | 'output', type: 'date' | 'number', reading: ReadingChoice): boolean {
  const value = type === 'date' ? plainDate(text, reading) : plainNumber(text, reading)
  if (value !== undefined) return true
  return (
    kind === 'input' &&
    !text.trim().startsWith('"') &&
    readCell(text, { kind: 'input', type, ...reading }).kind === 'read'
  )
}

/** Whether ranges of a column begin where others end, so that each value belongs to only one of them. */
function touches(column: readonly string[], options: ReadOptions): boolean {
  if (options.kind === 'output' || (options.type !== 'number' && options.type !== 'date')) return false
  const ends = column.flatMap((text) => {
    const range = rangeEnds(text, options)
    return range === undefined ? [] : [range]
  })
  if (ends.length === 0) return false
  const limits = column.flatMap((text) => /^<= (.+)$/.exec(readCell(text, options).text)?.[1] ?? [])
  const highs = new Set([...ends.map(([, high]) => high), ...limits])
  return ends.some(([low]) => highs.has(low))
}

function sharedUnit(column: readonly string[], type: CellType, reading: ReadingChoice): string | undefined {
  if (type !== 'number') return undefined
  const units = new Set(column.flatMap((text) => plainNumber(text, reading)?.unit ?? []))
  return units.size === 1 ? [...units][0] : undefined
}

interface TargetsOf {
  readonly titles: readonly SheetTitle[]
  readonly width: number
  readonly step: Table
  readonly from: number
  readonly hasHeader: boolean
  readonly chosen: Readonly<Record<number, PasteTarget>>
}

/**
 * Targets by the names of the header, otherwise by position from the active cell. A column that the table lacks is
 * proposed as a new one.
 */
function targetsOf({ titles, width, step, from, hasHeader, chosen }: TargetsOf): readonly PasteTarget[] {
  const { columns } = step
  const taken = new Set<string>()
  for (const target of Object.values(chosen)) if (typeof target !== 'string') taken.add(target.id)
  const found = titles.map((title, at): PasteTarget | undefined => {
    if (chosen[at] !== undefined) return chosen[at]
    if (hasHeader && (title.role === 'next' || title.role === 'note')) return title.role
    const known = hasHeader ? columnNamed(title, columns, taken) : columns[from + at]
    if (known === undefined || taken.has(known.id)) return hasHeader ? title.role : undefined
    taken.add(known.id)
    return { id: known.id }
  })
  const isOutput = (target: PasteTarget | undefined) =>
    target === 'output' || (typeof target === 'object' && columns.find(({ id }) => id === target.id)?.kind === 'output')
  // A table with content may already set its results; otherwise at least one pasted column must be an output.
  const hasOutput = found.some(isOutput) || (!isBlank(step) && columns.some(({ kind }) => kind === 'output'))
  const last = found.findLastIndex((target) => target === undefined)
  return found.map((target, at) => {
    if (target !== undefined) return target
    if (hasHeader && titles[at]?.label === '') return 'none'
    if (!hasOutput && at === last && at === width - 1) return 'output'
    return isOutput(found.slice(0, at).findLast((one) => one !== undefined)) ? 'output' : 'input'
  })
}

function notesOf(given: Cells, columns: readonly PasteColumn[]): PasteNotes {
  const notes = { texts: 0, decimals: 0, units: 0, ranges: 0, limits: 0 }
  for (const [at, { cells, type, target }] of columns.entries())
    for (const [row, { kind, text }] of cells.entries()) {
      const was = (given[row]?.[at] ?? '').trim()
      if (target === 'none' || target === 'next' || target === 'note') continue
      if (kind === 'unread' || was === text || text === '') continue
      if (type === 'text') notes.texts++
      if (type !== 'number') continue
      if (/\d,\d/.test(was)) notes.decimals++
      if (/[€$£¥₹%]|[A-Z]{3}/.test(was)) notes.units++
      if (/\.\./.test(text)) notes.ranges++
      if (/^[<>]/.test(text)) notes.limits++
    }
  return notes
}

/** Number of rows from which a conversion is previewed. */
const MIN_PREVIEWED_ROWS = 8

/** Whether the author should review a plan before it is applied: a choice is undecided, or many cells are converted. */
export function needsLook({ hasHeader, columns, given, unread, asksDecimal, asksDate, notes }: PastePlan): boolean {
  if (hasHeader || unread.length > 0 || asksDecimal || asksDate || notes.ranges > 0) return true
  if (columns.some(({ target }) => typeof target === 'string')) return true
  const isRead = ({ cells }: PasteColumn, at: number) =>
    cells.some(({ text }, row) => text !== (given[row]?.[at] ?? '').trim())
  return given.length >= MIN_PREVIEWED_ROWS && columns.some(isRead)
}
