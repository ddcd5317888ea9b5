import { invalidParameter, type QueryParameters } from '@engine/http-api'
import { jsonValue, quote, stringifyJson } from '@engine/expression'
import { type TSchema, Type } from 'typebox'
import type { Page, Sort } from '../database/page.ts'

/** Maximum and default number of rows per page. */
const MAX_ROWS = 200
const DEFAULT_ROWS = 50

const LIMIT = Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: `items at most; default: ${DEFAULT_ROWS}` })

/** The parameters of a list with a fixed order and no search. */
export const PLAIN_LIST: QueryParameters = {
  limit: LIMIT,
  cursor: Type.String({ description: '`next_cursor` of the page before' }),
}

/** The parameters of a list. @param sorts the default is the first */
export function listQuery(sorts: readonly Sort[]): QueryParameters {
  return {
    limit: LIMIT,
    cursor: Type.String({ description: '`next_cursor` of the page before, with the same `sort` and `q`' }),
    q: Type.String({ description: 'a text that an item contains, in whatever case' }),
    sort: Type.Enum(
      sorts.flatMap((sort) => [sort, `-${sort}`]),
      { description: 'the order; with `-` in front descending' },
    ),
  }
}

/** The page that a query requests. By default names ascend and times descend. Throws `HttpError`. */
export function pageOf(query: URLSearchParams, sorts: readonly Sort[]): Page {
  const [initial = 'created_at'] = sorts
  const given = query.get('sort')
  const sort = given === null ? initial : sorts.find((one) => one === given.replace(/^-/, ''))
  if (sort === undefined)
    throw invalidParameter(
      'sort',
      `must be one of ${sorts.map((one) => quote(one)).join(', ')}, found ${quote(given ?? '')}`,
    )
  const descending = given === null ? sort !== 'name' : given.startsWith('-')
  const order = `${descending ? '-' : ''}${sort}`
  return {
    limit: limitOf(query.get('limit')),
    sort,
    descending,
    after: cursorOf(query.get('cursor'), order),
    contains: query.get('q') ?? undefined,
  }
}

/** The maximum number of rows. Throws `HttpError`. */
export function limitOf(text: string | null): number {
  if (text === null) return DEFAULT_ROWS
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_ROWS) return Number(text)
  throw invalidParameter('limit', `must be a whole number from 1 to ${MAX_ROWS}, found ${quote(text)}`)
}

function cursorOf(text: string | null, order: string): Page['after'] {
  if (text === null) return undefined
  const [of, key, id] = decoded(text)
  if (typeof key !== 'string' || typeof id !== 'string' || !ID.test(id) || of !== order || !isKey(order, key))
    throw invalidParameter('cursor', 'is not one of this list in this order: begin without it')
  return { key, id }
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * A key that is a time must be valid, since the database would reject any other text; other keys may be any text that
 * the database can store.
 */
const isKey = (order: string, key: string) =>
  order.endsWith('name')
    ? !key.includes('\0') && key.isWellFormed()
    : /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(key) && Number.isFinite(Date.parse(key))

function decoded(text: string): readonly unknown[] {
  try {
    const value = jsonValue(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** A page of a list, for the response. */
export const ListOf = <Item extends TSchema>(item: Item, title: string) =>
  Type.Object(
    {
      items: Type.Array(item),
      next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'null: this is the last page' }),
    },
    { title },
  )

/** One page of a list. `rows` has one more row than the limit if another page follows. */
export function listed<Row extends { readonly id: string }, Item>(
  rows: readonly Row[],
  { limit, sort, descending }: Page,
  keyOf: (row: Row) => string | Date,
  itemOf: (row: Row) => Item,
): { readonly items: readonly Item[]; readonly next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  if (last === undefined) return { items: shown.map(itemOf), next_cursor: null }
  const cursor = [`${descending ? '-' : ''}${sort}`, keyText(keyOf(last)), last.id]
  return { items: shown.map(itemOf), next_cursor: Buffer.from(stringifyJson(cursor)).toString('base64url') }
}

/** One page of rows in memory, with one more row if another page follows. O(n log n) in the rows. */
export function pageIn<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { limit, descending, after, contains }: Page,
  keyOf: (row: Row) => string | Date,
  textOf: (row: Row) => string,
): readonly Row[] {
  const wanted = contains?.toLowerCase()
  const sign = descending ? -1 : 1
  const keyed = rows
    .filter((row) => wanted === undefined || textOf(row).toLowerCase().includes(wanted))
    .map((row) => ({ row, at: [keyText(keyOf(row)), row.id] as const }))
    .toSorted((left, right) => sign * compare(left.at, right.at))
  const begin = after === undefined ? 0 : keyed.findIndex(({ at }) => sign * compare(at, [after.key, after.id]) > 0)
  return begin < 0 ? [] : keyed.slice(begin, begin + limit + 1).map(({ row }) => row)
}

const keyText = (key: string | Date) => (typeof key === 'string' ? key : key.toISOString())

type Position = readonly [key: string, id: string]

function compare(left: Position, right: Position): number {
  if (left[0] !== right[0]) return left[0] < right[0] ? -1 : 1
  return left[1] === right[1] ? 0 : left[1] < right[1] ? -1 : 1
}
