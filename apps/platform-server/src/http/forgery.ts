import type { IncomingMessage } from 'node:http'
import { failures } from '../errors.ts'

/** Methods that change nothing. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuse a request that another page may have had a browser send. Throws `PlatformError`.
 *
 * A browser names the page of origin in every unsafe request. It is compared with the public address and never with the
 * header `host`, which is as foreign as the page.
 *
 * @param bySession the request is identified by a cookie: then the origin must be there
 */
export function refuseForgery(
  { method = '', headers, url = '' }: IncomingMessage,
  publicOrigin: string,
  bySession: boolean,
): void {
  if (SAFE.has(method)) return
  const { origin, 'sec-fetch-site': site } = headers
  const isForeign = origin !== undefined && origin !== publicOrigin
  if (bySession && (origin === undefined || isForeign || (site !== undefined && site !== 'same-origin')))
    throw forged(publicOrigin)
  if (isForeign && SIGNS_IN.test(url)) throw forged(publicOrigin)
}

/** Requests that sign a browser in: a foreign page must not sign it in to an account of its own. */
const SIGNS_IN = /^\/api\/v1\/(?:auth\/|invitations\/accept)/

const forged = (publicOrigin: string) =>
  failures.forbidden(
    `a request with a session cookie must come from a page of ${publicOrigin} (header \`origin\`); programs use API keys`,
    'origin',
  )

/** Refuse a browser where only engines ask. Throws `PlatformError`. */
export function refuseBrowser({ headers }: IncomingMessage): void {
  if (headers.cookie !== undefined || headers.origin !== undefined)
    throw failures.forbidden('engines send neither `cookie` nor `origin`', 'origin')
}
