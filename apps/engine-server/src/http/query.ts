import { nearest } from '@engine/expression'
import { type Schema, Type } from '@engine/api'
import { EngineError, quoted } from '../errors.ts'
import type { PageQuery } from '../services/page.ts'

/** Parameters of a route's query: their names, and what they take. */
export type QueryParameters = Readonly<Record<string, Schema>>

/** Rows of one page. */
const MOST_ROWS = 10_000

/** The parameters of lists. */
export const PAGING = {
  limit: Type.Integer({ minimum: 1, maximum: MOST_ROWS, description: 'rows at most; default: all' }),
  cursor: Type.String({ description: 'of the page before (`x-next-cursor`): rows after it' }),
  q: Type.String({ description: 'text that a row contains, in whatever case' }),
} as const

/** Headers of a page. */
export const PAGE_HEADERS = {
  'x-next-cursor': 'for `cursor`; absent on the last page',
  link: 'the next page, as `<path>; rel="next"` (RFC 8288)',
} as const

/**
 * The query of a URL. Throws `EngineError` for a parameter that the route does not know, or that is given twice: it would be
 * ignored, and its sender would not notice.
 */
export function queryOf(url: string, known: QueryParameters | 'any' = {}): URLSearchParams {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  if (known === 'any') return query
  const seen = new Set<string>()
  for (const name of query.keys()) {
    if (!Object.hasOwn(known, name)) throw unknown(name, Object.keys(known))
    if (seen.has(name)) throw invalid(name, 'must be given once')
    seen.add(name)
  }
  return query
}

function unknown(name: string, known: readonly string[]): EngineError {
  const suggestion = nearest(name, known)
  const hint =
    suggestion !== undefined
      ? `: ${quoted(suggestion)} is meant, perhaps`
      : known.length === 0
        ? ': there are none'
        : `: there ${known.length === 1 ? 'is' : 'are'} ${known.map((one) => quoted(one)).join(', ')}`
  const message = `the query parameter ${quoted(name)} is not known here${hint}`
  return new EngineError('invalid-request', message, {
    details: [{ path: '', code: 'unknown-parameter', message, ...(suggestion === undefined ? {} : { suggestion }) }],
  })
}

function invalid(name: string, message: string): EngineError {
  return new EngineError('invalid-request', `the query parameter ${quoted(name)} ${message}`)
}

/** A parameter that is true or false; undefined: it is not given. Throws `EngineError`. */
export function truthOf(query: URLSearchParams, name: string): boolean | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  if (given === 'true' || given === 'false') return given === 'true'
  throw invalid(name, `must be \`true\` or \`false\`, found ${quoted(given)}`)
}

/** The page that a query asks for. Throws `EngineError`. */
export function pageQueryOf(query: URLSearchParams): PageQuery {
  const limit = query.get('limit')
  if (limit !== null && !(/^\d{1,6}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MOST_ROWS))
    throw invalid('limit', `must be a whole number from 1 to ${MOST_ROWS}, found ${quoted(limit)}`)
  return {
    limit: limit === null ? undefined : Number(limit),
    after: query.get('cursor') ?? undefined,
    contains: query.get('q') ?? undefined,
  }
}

/** Headers that lead to the next page; none on the last one. */
export function nextPage(path: string, query: URLSearchParams, next: string | undefined): Record<string, string> {
  if (next === undefined) return {}
  const following = new URLSearchParams(query)
  following.set('cursor', next)
  return { 'x-next-cursor': next, link: `<${path}?${following.toString()}>; rel="next"` }
}
