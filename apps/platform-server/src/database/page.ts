import { type SelectQueryBuilder, sql, type StringReference } from 'kysely'

/** By what lists may be sorted. */
export type Sort = 'name' | 'created_at' | 'updated_at'

/** The requested page of a list. */
export interface Page {
  /** Rows at most. */
  readonly limit: number
  /** Bytes of contents at most, where rows may be large; default: `PAGE_BYTES`. */
  readonly bytes?: number
  readonly sort: Sort
  readonly descending: boolean
  /** Sort key and id of the last row of the page before; undefined: the first page. */
  readonly after: { readonly key: string; readonly id: string } | undefined
  /** A text that a row must contain, in upper or lower case. */
  readonly contains: string | undefined
}

/** The columns of a list. */
export interface PageColumns<DB, TB extends keyof DB> {
  /** The sort key of the page. Texts need the collation "C", times milliseconds: then a cursor finds its row. */
  readonly key: StringReference<DB, TB>
  /** Distinguishes rows with equal keys. */
  readonly id: StringReference<DB, TB>
  /** Where `q` is looked for. */
  readonly texts: readonly StringReference<DB, TB>[]
}

/**
 * Cut a query to a page, and to one row more when another page follows. The cursor is a place in the order and not a number
 * of rows: rows that are added or deleted in between move nothing.
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

/** The size of columns of JSON, for `roomyPage`. */
export const bytesOf = (...columns: readonly string[]) =>
  sql<number | null>`${sql.join(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}::text), 0)`),
    sql` + `,
  )}`.as('bytes')

/** Whether a column of JSON has at most a number of bytes. */
export const isShorter = (column: string, most: number) =>
  sql<boolean>`octet_length(${sql.ref(column)}::text) <= ${most}`

/** The size of a column of JSON in all rows together; null: there are none. */
export const totalBytes = (column: string) =>
  sql<number | null>`sum(octet_length(${sql.ref(column)}::text))::float8`.as('bytes')

/** Bytes of contents in one page of a list: 200 rows of 10 MiB each would need more memory than the process has. */
const PAGE_BYTES = 16 * 1024 * 1024

/** Rows of a page, and the page itself, which may be shorter than requested. */
export interface CutPage<Row> {
  readonly rows: readonly Row[]
  readonly page: Page
}

/**
 * The rows of a page of which each may be large: large ones come in shorter pages.
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

/** A page with no more rows than their contents leave room for, and at least one. @param sizes bytes of the rows, in their order */
function roomyPage(page: Page, sizes: readonly { readonly bytes: number | null }[]): Page {
  return { ...page, limit: fittingIn(sizes, page.limit, page.bytes) }
}

/** The number of rows that fit, of at most the given number, and at least one. */
export function fittingIn(
  sizes: readonly { readonly bytes: number | null }[],
  most: number,
  mostBytes = PAGE_BYTES,
): number {
  let total = 0
  const fitting = sizes.findIndex(({ bytes }) => (total += bytes ?? 0) > mostBytes)
  return fitting < 0 ? most : Math.min(most, Math.max(1, fitting))
}
