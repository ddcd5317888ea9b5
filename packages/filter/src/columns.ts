import { jsonValue, quote } from '@engine/expression'

/** A request that cannot be answered because of what it says: 400. */
export class BadFilterRequest extends Error {
  override readonly name = 'BadFilterRequest'
  /** JSON pointer into the request. */
  readonly path: string
  constructor(message: string, path: string) {
    super(message)
    this.path = path
  }
}

/** Most entries of `field_mapping`, `columns` and `not_null` each. */
const MAX_NAMED = 10_000

/** What a request says of columns. Throws `BadFilterRequest` when that is more than any table has. */
export function requireFew(given: { readonly length: number }, member: string): void {
  if (given.length > MAX_NAMED)
    throw new BadFilterRequest(
      `${quote(member)} names ${given.length} columns: at most ${MAX_NAMED} are taken`,
      `/${member}`,
    )
}

/** The column of each field. */
export interface Columns {
  column(path: string): string
}

/**
 * Columns by `field_mapping`; what it does not name is the field's path with `_` for each `.` (specification 4.3). Throws
 * `BadFilterRequest` when two fields of a filter would be one column.
 */
export function columnsOf(mapping: ReadonlyMap<string, string>, paths: Iterable<string>): Columns {
  const byPath = new Map<string, string>()
  const byColumn = new Map<string, string>()
  for (const path of paths) {
    const column = columnOf(mapping, path)
    const other = byColumn.get(column)
    if (other !== undefined)
      throw new BadFilterRequest(
        `the fields ${quote(other)} and ${quote(path)} both become the column ${quote(column)}: give one of them another`,
        '/field_mapping',
      )
    byColumn.set(column, path)
    byPath.set(path, column)
  }
  return { column: (path) => byPath.get(path) ?? columnOf(mapping, path) }
}

/** The column of one field. */
export function columnOf(mapping: ReadonlyMap<string, string>, path: string): string {
  return mapping.get(path) ?? defaultColumn(path)
}

/** Of `a.b` it is `a_b`; of `$["odd key"].b` it is `odd key_b`. */
function defaultColumn(path: string): string {
  return path
    .replace(/^\$\.?/, '')
    .replaceAll(/\[("(?:[^"\\]|\\.)*")\]/g, (_match, quoted: string) => `.${jsonValue(quoted) as string}`)
    .replace(/^\./, '')
    .replaceAll('.', '_')
}
