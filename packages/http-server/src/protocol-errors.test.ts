import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { messageCheck } from './protocol-errors.ts'

// Two of them have the same length, and `from` the same length as `host`.
const check = messageCheck({ identity: ['authorization', 'x-user', 'x-team', 'x-role'], examplePath: '/a' })

function refusalOf(headers: readonly string[], url = '/', httpVersion = '1.1'): string | undefined {
  const rawHeaders = headers.flatMap((name) => [name, 'value'])
  return check({ rawHeaders, url, httpVersion } as unknown as IncomingMessage)?.message
}

describe('headers that identify the target or the caller', () => {
  test.each([
    [['Host', 'X-User', 'X-Team', 'Authorization']],
    [['host', 'x-user', 'x-role', 'Accept', 'accept', 'From', 'from']],
    [['HOST', 'x-tEAM', 'X-Tema', 'X-Tema']],
  ])('%j: once each, together with any others', (headers) => expect(refusalOf(headers)).toBeUndefined())

  test.each([
    [['Host', 'host'], '`host`', '2'],
    [['Host', 'X-Team', 'X-User', 'x-team'], '`x-team`', '2'],
    [['Host', 'X-User', 'x-user', 'X-USER'], '`x-user`', '3'],
    [['AUTHORIZATION', 'Host', 'authorization'], '`authorization`', '2'],
    [['Host', 'Content-Type', 'X-Request-Id', 'content-type'], '`content-type`', '2'],
    [['X-User'], '`host`', 'none'],
  ])('%j: %s is refused, found %s', (headers, name, found) =>
    expect(refusalOf(headers)).toBe(`the header ${name} must be given once, found ${found}`),
  )

  test('HTTP/1.0 needs no host', () => expect(refusalOf([], '/', '1.0')).toBeUndefined())
})

test.each([
  ['/', undefined],
  ['*', undefined],
  ['ftp://a/', 'the target `ftp://a/` must be a path such as `/a`'],
  ['http://b@a/', 'the target `http://b@a/` must be a path such as `/a`'],
  ['http:///a', 'the target `http:///a` must be a path such as `/a`'],
  ['a', 'the target `a` must be a path such as `/a`'],
])('the target %j: %j', (url, message) => expect(refusalOf(['host'], url)).toBe(message))

test.each([
  ['http://a', '/'],
  ['HTTPS://a:1/b/c?d=http://e', '/b/c?d=http://e'],
  ['http://a?b', '/?b'],
])('the target %j is %j', (url, path) => {
  const request = { rawHeaders: ['host', 'x'], url, httpVersion: '1.1' } as unknown as IncomingMessage
  expect(check(request)).toBeUndefined()
  expect(request.url).toBe(path)
})
