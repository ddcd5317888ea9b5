import { expect, test } from 'vitest'
import type { Caller } from '../../access/caller.ts'
import type { Cookies } from '../../http/cookies.ts'
import type { UncheckedRequest } from '../../http/route.ts'
import { browserOf, sessionCookies } from './browser.ts'

const COOKIES = {
  read: (_raw: unknown, name: string) => `cookie ${name}`,
  write: (name: string, value: string, seconds: number) => `${name}=${value}; ${seconds}`,
} as unknown as Cookies
const REQUEST = {
  raw: { headers: { 'user-agent': 'ua' } },
  address: '192.0.2.1',
  requestId: 'r',
} as unknown as UncheckedRequest

test.each<[string, Partial<Caller> | undefined, string | undefined]>([
  ['a person has a session', { kind: 'user', sessionId: 's' }, 's'],
  ['a key has none', { kind: 'key', id: 'k' }, undefined],
  ['a stranger has none', undefined, undefined],
])('the browser of a request: %s', (_title, caller, sessionId) => {
  const browser = browserOf(REQUEST, caller as Caller | undefined, COOKIES)
  expect(browser).toEqual({ address: '192.0.2.1', requestId: 'r', userAgent: 'ua', sessionId, device: 'cookie device' })
})

test.each<[string, string | undefined, readonly string[]]>([
  ['a known browser', undefined, ['session=s; 604800']],
  ['a new one, for a year', 'd', ['session=s; 604800', 'device=d; 31536000']],
])('the cookies of %s', (_title, device, expected) => {
  const signedIn = { session: 's', ...(device !== undefined && { device }) }
  expect(sessionCookies(signedIn as Parameters<typeof sessionCookies>[0], COOKIES)).toEqual(expected)
})
