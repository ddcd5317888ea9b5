import { nearest, quote } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import type { TSchema } from 'typebox'

/** The query parameters of a route, with their schemas. */
export type QueryParameters = Readonly<Record<string, TSchema>>

/**
 * The query of a URL. Throws `HttpError` for an unknown or repeated parameter: it would be ignored without the sender
 * noticing. The same applies to invalid booleans, which some handlers read only in some cases.
 */
export function queryOf(url: string, known: QueryParameters | 'any' = {}): URLSearchParams {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  if (known === 'any') return query
  const seen = new Set<string>()
  for (const name of query.keys()) {
    const schema: { readonly type?: unknown } | undefined = Object.hasOwn(known, name) ? known[name] : undefined
    if (schema === undefined) throw unknown(name, Object.keys(known))
    if (seen.has(name)) throw invalidParameter(name, 'must be given once')
    seen.add(name)
    if (schema.type === 'boolean') truthOf(query, name)
  }
  return query
}

function unknown(name: string, known: readonly string[]): HttpError {
  const suggestion = nearest(name, known)
  const hint =
    suggestion !== undefined
      ? `: did you mean ${quote(suggestion)}?`
      : known.length === 0
        ? ': there are none'
        : `: there ${known.length === 1 ? 'is' : 'are'} ${known.map((one) => quote(one)).join(', ')}`
  const message = `the query parameter ${quote(name)} is unknown${hint}`
  return new HttpError('invalid-request', message, {
    details: [{ path: '', code: 'unknown-parameter', message, ...(suggestion === undefined ? {} : { suggestion }) }],
  })
}

/** The error of a parameter; the message begins with its name. */
export function invalidParameter(name: string, message: string): HttpError {
  return new HttpError('invalid-request', `the query parameter ${quote(name)} ${message}`)
}

/** A boolean parameter; undefined when absent. Throws `HttpError`. */
export function truthOf(query: URLSearchParams, name: string): boolean | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  if (given === 'true' || given === 'false') return given === 'true'
  throw invalidParameter(name, `must be \`true\` or \`false\`, found ${quote(given)}`)
}
