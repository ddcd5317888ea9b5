import type { Column } from '@engine/authoring'
import { parseType } from '@engine/authoring'
import { quote } from '@engine/expression'
import type { Losses, Where } from '../losses.ts'

/** A recognised column of a sheet. */
export type SheetColumn =
  /** `index`: in the header row, from 0. */
  { readonly index: number } & ({ readonly kind: 'cells'; readonly column: Column } | { readonly kind: 'next' })

/** Columns that a header may name by their fields alone: those of the table being filled. */
export type KnownColumns = readonly Pick<Column, 'kind' | 'field' | 'type'>[]

/** Whether a row is a table header: one of its cells names an input or an output. */
export function isHeader(cells: readonly string[], known: KnownColumns): boolean {
  return cells.some((cell) => /^\s*(?:in|out)\s*:/i.test(cell) || knownBy(cell.trim(), known) !== undefined)
}

/** The column of a field, or of a variable with its `$`; for an input and an output of the same name, the input. */
function knownBy(name: string, known: KnownColumns) {
  if (name === '') return undefined
  const isNamed = ({ kind, field = '' }: KnownColumns[number]) =>
    field === name || (kind === 'output' && `$${field}` === name)
  return known.find((one) => one.kind === 'input' && isNamed(one)) ?? known.find(isNamed)
}

const COLUMN = /^(in|out)\s*:(.*)$/is
/** Characters of a header that may end with a type: the search is quadratic. */
const MAX_TYPED = 1000
/** The type name after the last colon; a path in brackets may contain colons. */
const TYPE = /^(.*[^:\s])\s*:\s*((?:array<)*(?:[a-z]+|concept\s*:[^:"\]]+)>*)$/is

/**
 * The columns named by a header: `in:field[:type]`, `out:field[:type]`, `next`, and known ones. Columns with other
 * names are reported as lost; columns without a name are ignored.
 */
export function readHeader(
  cells: readonly string[],
  places: (index: number) => Where,
  losses: Losses,
  known: KnownColumns,
): SheetColumn[] {
  const columns: SheetColumn[] = []
  for (const [index, cell] of cells.entries()) {
    const name = cell.trim()
    if (name === '') continue
    const [, kind, rest = ''] = COLUMN.exec(name) ?? []
    const named = kind === undefined ? knownBy(name, known) : undefined
    // Known columns may have their own id.
    if (named !== undefined) columns.push({ index, kind: 'cells', column: { ...named, id: `c${index + 1}` } })
    else if (name.toLowerCase() === 'next') addNext(columns, index, places, losses)
    else if (kind === undefined) losses.warn(places(index), unknownColumn(name))
    else columns.push({ index, kind: 'cells', column: columnOf(kind.toLowerCase(), rest.trim(), index) })
  }
  return columns
}

function addNext(columns: SheetColumn[], index: number, places: (index: number) => Where, losses: Losses): void {
  if (columns.some(({ kind }) => kind === 'next'))
    losses.error(places(index), { code: 'repeated-column', message: 'there are two columns `next`' })
  else columns.push({ index, kind: 'next' })
}

function columnOf(kind: string, rest: string, index: number): Column {
  const [, field = rest, type] = rest.length > MAX_TYPED ? [] : (TYPE.exec(rest) ?? [])
  const base = { id: `c${index + 1}`, kind: kind === 'in' ? 'input' : 'output' } as const
  const isType = type !== undefined && parseType(type.replace(/\s/g, '')) !== undefined
  return isType ? { ...base, field: field.trim(), type: type.replace(/\s/g, '') } : { ...base, field: rest }
}

const unknownColumn = (name: string) => ({
  code: 'unknown-column',
  message: `the column ${quote(name)} was omitted: a header is \`in:field\`, \`out:field\` or \`next\``,
})
