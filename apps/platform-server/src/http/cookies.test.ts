import { describe, expect, test } from 'vitest'
import { createCookies } from './cookies.ts'

const read = (cookie: string | undefined, isSecure = false) =>
  createCookies(isSecure).read({ headers: { ...(cookie !== undefined && { cookie }) } }, 'session')

describe('the cookie of a session', () => {
  test.each<[string, string | undefined, string | undefined]>([
    ['alone', 'session=abc', 'abc'],
    ['among others', 'a=1; session=abc; b=2', 'abc'],
    ['without a blank before it', 'a=1;session=abc', 'abc'],
    ['with an equals sign in it', 'session=a=b', 'a=b'],
    ['empty', 'session=', ''],
    ['of a name that only begins alike', 'sessions=abc; xsession=abc; session2=abc', undefined],
    ['in other letters', 'Session=abc', undefined],
    ['none', 'a=1', undefined],
    ['no cookies', undefined, undefined],
    // One was planted by another path or host, and a browser may send it first or last.
    ['planted before the own one', 'session=planted; session=own', undefined],
    ['planted behind the own one', 'session=own; session=planted', undefined],
    ['planted with the same value', 'session=own; session=own', undefined],
  ])('%s', (_, cookie, value) => expect(read(cookie)).toBe(value))

  test('has a prefix under https, without which it does not count', () => {
    expect(read('session=planted; __Host-session=own', true)).toBe('own')
    expect(read('session=planted', true)).toBeUndefined()
    expect(read('__Host-session=own', false)).toBeUndefined()
    expect(read('__Host-session=own; __Host-session=planted', true)).toBeUndefined()
  })
})

test.each([
  [false, 'session=abc; HttpOnly; SameSite=Lax; Path=/; Max-Age=60'],
  [true, '__Host-session=abc; Secure; HttpOnly; SameSite=Lax; Path=/; Max-Age=60'],
])('it is written for https: %s', (isSecure, header) => {
  const cookies = createCookies(isSecure)
  expect(cookies.write('session', 'abc', 60)).toBe(header)
  expect(cookies.clear('session')).toBe(header.replace('=abc', '=').replace('60', '0'))
})
