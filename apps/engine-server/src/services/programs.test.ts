import { expect, test } from 'vitest'
import { shorter } from './programs.ts'

test.each<[wanted: number, longest: number | undefined, limit: number]>([
  [0, undefined, 0],
  [50, undefined, 50],
  [0, 100, 100],
  [50, 100, 50],
  [100, 100, 100],
  [200, 100, 100],
])('a ruleset with the time limit %i, of at most %s, has %i', (wanted, longest, limit) => {
  expect(shorter(wanted, longest)).toBe(limit)
})
