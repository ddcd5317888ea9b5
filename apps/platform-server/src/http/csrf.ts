import type { IncomingMessage } from 'node:http'
import { failures } from '../errors.ts'
import type { Route } from './route.ts'

/** Methods that change nothing. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a cross-site request that a foreign page may have had a browser send. Throws `PlatformError`.
 *
 * A browser names the origin of the page in every unsafe request. It is compared with the public address and never with
 * the header `host`, which is as untrusted as the page. A route that signs a browser in (`signsIn`) needs no cookie,
 * and a foreign page must not sign the browser in to a foreign account: there a foreign origin is always refused.
 *
 * @param isBySession true if a cookie identifies the request: the origin is then required
 */
export function refuseCrossSite(
  { method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { signsIn = false }: Pick<Route, 'signsIn'>,
  publicOrigin: string,
  isBySession: boolean,
): void {
  if (SAFE_METHODS.has(method)) return
  const { origin, 'sec-fetch-site': site } = headers
  const isForeign = (origin !== undefined && origin !== publicOrigin) || site === 'cross-site'
  const isUnproven = origin === undefined || (site !== undefined && site !== 'same-origin')
  if ((isForeign && signsIn) || ((isForeign || isUnproven) && isBySession)) throw crossSite(publicOrigin)
}

const crossSite = (publicOrigin: string) =>
  failures.forbidden(
    `a request with a session cookie must come from a page of ${publicOrigin} (header \`origin\`); programs use API keys`,
    'origin',
  )

/** Rejects browsers on routes for engines. Throws `PlatformError`. */
export function refuseBrowser({ headers }: IncomingMessage): void {
  if (headers.cookie !== undefined || headers.origin !== undefined)
    throw failures.forbidden('engines send neither `cookie` nor `origin`', 'origin')
}
