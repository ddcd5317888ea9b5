import type { Caller, KeyHolder, Person } from '../access/caller.ts'
import { failures } from '../errors.ts'
import type { AddressOf } from './address.ts'
import type { Cookies } from './cookies.ts'
import { refuseCrossSite } from './csrf.ts'
import type { RateLimit } from './rate-limit.ts'
import type { ReceivedRequest } from './received-request.ts'
import type { Route } from './route.ts'

/** Looks up the users and keys of tokens. */
export interface Credentials {
  /** The person of a session that has not ended; updates its last use. */
  session(token: string): Promise<Person | undefined>
  /** The holder of an API key that has not expired; updates its last use. */
  key(token: string): Promise<KeyHolder | undefined>
  /** Like `key`, but cached, for decisions: known keys stay valid for a while when the database does not answer. */
  decisionKey(token: string): Promise<KeyHolder | undefined>
}

/** The caller of a request. Throws for unknown keys, forged requests, and if the rate limit is exceeded. */
export type Identification = (request: ReceivedRequest, route: Route) => Promise<Caller | undefined>

/** A key takes precedence over a session: a program that sends both means the key. */
export function identifyBy(
  credentials: Credentials,
  cookies: Cookies,
  publicOrigin: () => string,
  limit: RateLimit,
  addressOf: AddressOf,
): Identification {
  return async (request, route) => {
    const key = keyOf(request)
    const session = key === undefined ? cookies.read(request, 'session') : undefined
    const holderOf = route.isDecision === true ? credentials.decisionKey : credentials.key
    const caller = key === undefined ? await personOf(credentials, session) : await holderOf(key)
    // Callers with no valid credentials are identified by their address.
    if (route.isUnlimited !== true)
      limit(caller === undefined ? `address:${addressOf(request)}` : `${caller.kind}:${caller.id}`)
    if (key !== undefined && caller === undefined && route.right !== 'none')
      throw failures.unauthorized('the API key is unknown, expired or revoked')
    if (key === undefined) refuseCrossSite(request, route, publicOrigin(), caller !== undefined)
    return caller
  }
}

const personOf = async (credentials: Credentials, session: string | undefined) =>
  session === undefined ? undefined : credentials.session(session)

function keyOf({ headers }: ReceivedRequest): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined) return bearer
  const key = headers['x-api-key']
  return typeof key === 'string' && key !== '' ? key : headers.authorization === undefined ? undefined : ''
}
