import { describe, expect, test } from 'vitest'
import { Hops, refuseHops } from './hops.ts'

test.each<[string | readonly string[] | undefined, string | undefined]>([
  [undefined, undefined],
  ['0', undefined],
  ['8', undefined],
  ['9', 'too-many-hops'],
  ['9999', 'too-many-hops'],
  ['99999', 'invalid-request'],
  ['', 'invalid-request'],
  ['-1', 'invalid-request'],
  ['1.5', 'invalid-request'],
  ['0x1', 'invalid-request'],
  ['1, 2', 'invalid-request'],
  [['1', '2'], 'invalid-request'],
])('%j: %s', (header, code) => {
  expect(refuseHops(header)?.code).toBe(code)
})

describe('the calls of a request', () => {
  test('grow faster than their number', () => {
    const hops = Hops.of('2')
    expect(Array.from({ length: 8 }, () => hops.next())).toEqual([3, 4, 4, 5, 5, 5, 5, 6])
  })

  test('of each input are counted separately when it came from outside, together when rules sent it', () => {
    const outside = Hops.of(undefined)
    expect([outside.ofInput().next(), outside.ofInput().next()]).toEqual([1, 1])
    const inside = Hops.of('1')
    expect([inside.ofInput().next(), inside.ofInput().next()]).toEqual([2, 3])
  })

  test('end after a few thousand requests, however many calls each makes', () => {
    /** Requests that follow from one when each makes as many calls as are followed. */
    const following = (before: number): number => {
      const hops = new Hops(before)
      let count = 1
      for (let next = hops.next(); refuseHops(String(next)) === undefined; next = hops.next()) count += following(next)
      return count
    }
    expect(following(0)).toBe((3 ** 8 + 1) / 2)
  })
})
