import type { ObjectValue } from '@engine/expression'
import { expect, test } from 'vitest'
import { RegionMatch } from './region-match.ts'

const CONDITIONS = [
  'n == 1 || n > 5 || m',
  'n > 5 && m == 2',
  'n >',
  'n + 1 == 3 || starts_with(n, "a")',
  'now_millis() > 5 && !exists(n)',
]

test.each<[input: ObjectValue, region: number | undefined, now?: number]>([
  [{ n: 1 }, 0],
  [{ n: 6 }, 0],
  [{ n: 2, m: true }, 0],
  // The first alternatives fail; the others count by themselves.
  [{ n: 'x', m: true }, 0],
  [{ n: 'abc' }, 3],
  [{ n: 2 }, 3],
  [{ n: 3 }, undefined],
  [{}, undefined],
  [{}, undefined, 5],
  [{}, 4, 6],
])('%j is in the region %s at %s ms', (input, region, now) => {
  expect(new RegionMatch(CONDITIONS).regionOf(input, now)).toBe(region)
})

test.each([
  ['double', undefined],
  ['decimal', 0],
] as const)('0.1 + 0.2 is 0.3 with the numbers %s: %s', (numbers, region) => {
  const match = new RegionMatch(['a + b == 0.3'], numbers)
  expect(match.regionOf({ a: 0.1, b: 0.2 })).toBe(region)
})

test('numbers are doubles unless told otherwise', () => {
  expect(new RegionMatch(['a + b == 0.3']).regionOf({ a: 0.1, b: 0.2 })).toBeUndefined()
})
