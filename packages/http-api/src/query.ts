import { nearest, quote } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import type { TSchema } from 'typebox'

/** Parameters of a route's query: their names, and what they take. */
export type QueryParameters = Readonly<Record<string, TSchema>>

/**
 * The query of a URL. Throws `HttpError` for a parameter that the route does not know, or that is given twice: it would be
 * ignored, and its sender would not notice. So would be one that is neither true nor false, where a handler looks at it in
 * some cases only.
 */
export function queryOf(url: string, known: QueryParameters | 'any' = {}): URLSearchParams {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  if (known === 'any') return query
  const seen = new Set<string>()
  for (const name of query.keys()) {
    if (!Object.hasOwn(known, name)) throw unknown(name, Object.keys(known))
    if (seen.has(name)) throw invalidParameter(name, 'must be given once')
    seen.add(name)
    if ((known[name] as { readonly type?: unknown }).type === 'boolean') truthOf(query, name)
  }
  return query
}

function unknown(name: string, known: readonly string[]): HttpError {
  const suggestion = nearest(name, known)
  const hint =
    suggestion !== undefined
      ? `: ${quote(suggestion)} is meant, perhaps`
      : known.length === 0
        ? ': there are none'
        : `: there ${known.length === 1 ? 'is' : 'are'} ${known.map((one) => quote(one)).join(', ')}`
  const message = `the query parameter ${quote(name)} is not known here${hint}`
  return new HttpError('invalid-request', message, {
    details: [{ path: '', code: 'unknown-parameter', message, ...(suggestion === undefined ? {} : { suggestion }) }],
  })
}

/** The error of a parameter; the message begins with its name. */
export function invalidParameter(name: string, message: string): HttpError {
  return new HttpError('invalid-request', `the query parameter ${quote(name)} ${message}`)
}

/** A parameter that is true or false; undefined: it is not given. Throws `HttpError`. */
export function truthOf(query: URLSearchParams, name: string): boolean | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  if (given === 'true' || given === 'false') return given === 'true'
  throw invalidParameter(name, `must be \`true\` or \`false\`, found ${quote(given)}`)
}
