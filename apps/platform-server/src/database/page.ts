import { type SelectQueryBuilder, sql, type StringReference } from 'kysely'

/** The sort keys of lists. */
export type Sort = 'name' | 'created_at' | 'updated_at'

/** The requested page of a list. */
export interface Page {
  /** Maximum number of rows. */
  readonly limit: number
  /** Maximum size of the contents, if rows may be large; default: `PAGE_BYTES`. */
  readonly bytes?: number
  readonly sort: Sort
  readonly descending: boolean
  /** Sort key and id of the last row of the previous page; undefined for the first page. */
  readonly after: { readonly key: string; readonly id: string } | undefined
  /** A text that a row must contain, ignoring case. */
  readonly contains: string | undefined
}

/** The columns of a list. */
export interface PageColumns<DB, TB extends keyof DB> {
  /**
   * The sort key of the page. Texts need the collation "C" and times the precision of milliseconds, so that a cursor
   * finds its row.
   */
  readonly key: StringReference<DB, TB>
  /** Distinguishes rows with equal keys. */
  readonly id: StringReference<DB, TB>
  /** The columns that `q` searches. */
  readonly texts: readonly StringReference<DB, TB>[]
}

/**
 * Limits a query to a page, with one row more if another page follows. The cursor is a position in the sort order, not
 * a number of rows, so that rows added or deleted in between shift nothing.
 */
export function onPage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { limit, descending, after, contains }: Page,
  { key, id, texts }: PageColumns<DB, TB>,
): SelectQueryBuilder<DB, TB, O> {
  const order = descending ? 'desc' : 'asc'
  const than = sql.raw(descending ? '<' : '>')
  let page = query
    .orderBy(key, order)
    .orderBy(id, order)
    .limit(limit + 1)
  if (after !== undefined)
    page = page.where((eb) => sql<boolean>`(${eb.ref(key)}, ${eb.ref(id)}) ${than} (${after.key}, ${after.id})`)
  if (contains !== undefined && contains !== '') {
    const pattern = `%${contains.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    page = page.where((eb) => eb.or(texts.map((text) => sql<boolean>`${eb.ref(text)} ilike ${pattern}`)))
  }
  return page
}

/** The size of JSON columns, for `roomyPage`. */
export const bytesOf = (...columns: readonly string[]) =>
  sql<number | null>`${sql.join(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}::text), 0)`),
    sql` + `,
  )}`.as('bytes')

/** True if a JSON column has at most a number of bytes. */
export const isShorter = (column: string, most: number) =>
  sql<boolean>`octet_length(${sql.ref(column)}::text) <= ${most}`

/** The total size of a JSON column over all rows; null if there are no rows. */
export const totalBytes = (column: string) =>
  sql<number | null>`sum(octet_length(${sql.ref(column)}::text))::float8`.as('bytes')

/** Maximum size of the contents of one page: 200 rows of 10 MiB each would need more memory than the process has. */
const PAGE_BYTES = 16 * 1024 * 1024

/** Rows of a page, and the page itself, which may be shorter than requested. */
export interface CutPage<Row> {
  readonly rows: readonly Row[]
  readonly page: Page
}

/**
 * The rows of a page whose rows may be large: pages with large rows are shorter.
 *
 * @param sizes `bytesOf` each row of `query`
 */
export async function roomyRows<DB, TB extends keyof DB, O>(
  sizes: SelectQueryBuilder<DB, TB, { bytes: number | null }>,
  query: SelectQueryBuilder<DB, TB, O>,
  asked: Page,
  columns: PageColumns<DB, TB>,
): Promise<CutPage<O>> {
  const isWhole = asked.bytes === Infinity
  const page = isWhole ? asked : roomyPage(asked, await onPage(sizes, asked, columns).execute())
  return { rows: await onPage(query, page, columns).execute(), page }
}

/**
 * A page limited to the rows whose contents fit, and at least one row. @param sizes bytes of the rows, in their order
 */
function roomyPage(page: Page, sizes: readonly { readonly bytes: number | null }[]): Page {
  return { ...page, limit: fittingIn(sizes, page.limit, page.bytes) }
}

/** The number of rows that fit, at most the given number and at least one. */
export function fittingIn(
  sizes: readonly { readonly bytes: number | null }[],
  most: number,
  mostBytes = PAGE_BYTES,
): number {
  let total = 0
  const fitting = sizes.findIndex(({ bytes }) => (total += bytes ?? 0) > mostBytes)
  return fitting < 0 ? most : Math.min(most, Math.max(1, fitting))
}
