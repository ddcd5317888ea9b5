import { expect, test } from 'vitest'
import { LazyRequester } from './requester.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test.each(['1', 'r-1', '2026-11-22T02:00:00+00:00', 'a/b:c_d.e@f=', 'x'.repeat(128)])(
  'the request id %j is accepted',
  (given) => {
    expect(new LazyRequester(undefined, undefined, given).requestId).toBe(given)
  },
)

test.each([undefined, '', ' ', 'a b', 'a, b', 'a"b', 'a\u2028b', 'ä', 'x'.repeat(129), ['a', 'b'], 5])(
  '%j is not a request id: one is generated and kept',
  (given) => {
    const requester = new LazyRequester(undefined, undefined, given)
    expect(requester.requestId).toMatch(UUID)
    expect(requester.requestId).toBe(requester.requestId)
  },
)

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::1', '::1'],
  ['::ffff:1', '::ffff:1'],
  [undefined, 'unix'],
])('the address %j is %s', (given, address) => {
  expect(new LazyRequester(undefined, given, undefined).address).toBe(address)
})
