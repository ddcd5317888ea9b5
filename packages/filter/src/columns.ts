import { jsonValue, quote } from '@engine/expression'

/** An invalid filter request: 400. */
export class BadFilterRequest extends Error {
  override readonly name = 'BadFilterRequest'
  /** JSON pointer into the request. */
  readonly path: string
  constructor(message: string, path: string) {
    super(message)
    this.path = path
  }
}

/** Maximum number of entries of `field_mapping`, `columns` and `not_null` each. */
const MAX_NAMED = 10_000

/**
 * Check the number of columns in a request member. Throws `BadFilterRequest` when there are more than any table has.
 */
export function requireFew(given: { readonly length: number }, member: string): void {
  if (given.length > MAX_NAMED)
    throw new BadFilterRequest(
      `${quote(member)} names ${given.length} columns: at most ${MAX_NAMED} are allowed`,
      `/${member}`,
    )
}

/** The column of each field. */
export interface Columns {
  column(path: string): string
}

/**
 * Columns by `field_mapping`; other fields use their path with `_` for each `.` (specification 4.3). Throws
 * `BadFilterRequest` when two fields of a filter map to the same column.
 */
export function columnsOf(mapping: ReadonlyMap<string, string>, paths: Iterable<string>): Columns {
  const byPath = new Map<string, string>()
  const byColumn = new Map<string, string>()
  for (const path of paths) {
    const column = columnOf(mapping, path)
    const other = byColumn.get(column)
    if (other !== undefined)
      throw new BadFilterRequest(
        `the fields ${quote(other)} and ${quote(path)} both map to the column ${quote(column)}: map one of them to another column`,
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

/** `a.b` becomes `a_b`; `$["odd key"].b` becomes `odd key_b`. */
function defaultColumn(path: string): string {
  return path
    .replace(/^\$\.?/, '')
    .replaceAll(/\[("(?:[^"\\]|\\.)*")\]/g, (_match, quoted: string) => `.${jsonValue(quoted) as string}`)
    .replace(/^\./, '')
    .replaceAll('.', '_')
}
