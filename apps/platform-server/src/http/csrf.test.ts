import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { refuseBrowser, refuseCrossSite } from './csrf.ts'

const OWN = 'https://platform.example'

interface Row {
  readonly method?: string
  readonly origin?: string
  readonly site?: string
  readonly signsIn?: boolean
  readonly isBySession?: boolean
}

test.each<[row: Row, isRefused: boolean]>([
  [{ isBySession: true, origin: OWN }, false],
  [{ isBySession: true, origin: OWN, site: 'same-origin' }, false],
  [{ isBySession: true, origin: OWN, site: 'same-site' }, true],
  [{ isBySession: true, origin: OWN, site: 'none' }, true],
  [{ isBySession: true, origin: OWN, site: 'cross-site' }, true],
  [{ isBySession: true, origin: 'https://other.example' }, true],
  [{ isBySession: true, origin: 'http://platform.example' }, true],
  [{ isBySession: true, origin: `${OWN}:444` }, true],
  [{ isBySession: true, origin: 'null' }, true],
  [{ isBySession: true }, true],
  [{ isBySession: true, site: 'same-origin' }, true],
  // Reads change nothing.
  ...(['GET', 'HEAD', 'OPTIONS'] as const).map((method): [Row, boolean] => [{ isBySession: true, method }, false]),
  ...(['PUT', 'PATCH', 'DELETE'] as const).map((method): [Row, boolean] => [{ isBySession: true, method }, true]),
  // Programs have keys.
  [{}, false],
  [{ origin: 'https://other.example' }, false],
  [{ site: 'cross-site' }, false],
  // A foreign page must not sign a browser in, which has no cookie yet.
  [{ signsIn: true, origin: 'https://other.example' }, true],
  [{ signsIn: true, site: 'cross-site' }, true],
  [{ signsIn: true, origin: OWN }, false],
  [{ signsIn: true }, false],
])('%o: refused %s', ({ method = 'POST', origin, site, signsIn = false, isBySession = false }, isRefused) => {
  const headers = { ...(origin !== undefined && { origin }), ...(site !== undefined && { 'sec-fetch-site': site }) }
  const send = () => refuseCrossSite({ method, headers }, { signsIn }, OWN, isBySession)
  if (isRefused) expect(send).toThrow(`must come from a page of ${OWN}`)
  else expect(send()).toBeUndefined()
})

test.each([
  [{ cookie: '' }, true],
  [{ origin: OWN }, true],
  [{ authorization: 'Bearer a' }, false],
])('%o looks like a browser: %s', (headers, isRefused) => {
  const send = () => refuseBrowser({ headers } as IncomingMessage)
  if (isRefused) expect(send).toThrow('neither `cookie` nor `origin`')
  else expect(send()).toBeUndefined()
})
