import { quote } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { Type } from 'typebox'
import type { PageQuery } from '../services/page.ts'

/** Maximum number of rows per page. */
const MAX_ROWS = 10_000

/** The query parameters of lists. */
export const PAGING = {
  limit: Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: 'maximum number of rows; default: all' }),
  cursor: Type.String({ description: 'cursor of the previous page (`x-next-cursor`): returns the rows after it' }),
  q: Type.String({ description: 'text that a row contains, ignoring case' }),
} as const

/** Headers of a page. */
export const PAGE_HEADERS = {
  'x-next-cursor': 'for `cursor`; absent on the last page',
  link: 'the next page, as `<path>; rel="next"` (RFC 8288)',
} as const

/** The page requested by a query. Throws `HttpError`. */
export function pageQueryOf(query: URLSearchParams): PageQuery {
  const limit = query.get('limit')
  if (limit !== null && !(/^\d{1,6}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MAX_ROWS))
    throw invalidParameter('limit', `must be a whole number from 1 to ${MAX_ROWS}, found ${quote(limit)}`)
  return {
    limit: limit === null ? undefined : Number(limit),
    after: query.get('cursor') ?? undefined,
    contains: query.get('q') ?? undefined,
  }
}

/** Headers with the link to the next page; empty on the last one. */
export function nextPage(path: string, query: URLSearchParams, next: string | undefined): Record<string, string> {
  if (next === undefined) return {}
  const following = new URLSearchParams(query)
  following.set('cursor', next)
  return { 'x-next-cursor': next, link: `<${path}?${following.toString()}>; rel="next"` }
}
