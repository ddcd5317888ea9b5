import { expect, test } from 'vitest'
import { fittingIn } from './page.ts'

const MIB = 1024 * 1024
const limitOf = (...sizes: readonly (number | null)[]) =>
  fittingIn(
    sizes.map((bytes) => ({ bytes })),
    3,
  )

test('a page has the rows whose contents it has room for, and at least one', () => {
  expect(limitOf()).toBe(3)
  expect(limitOf(1, null, 3, 4)).toBe(3)
  expect(limitOf(8 * MIB, 8 * MIB, 1)).toBe(2)
  expect(limitOf(8 * MIB, 8 * MIB)).toBe(3)
  expect(limitOf(8 * MIB, 8 * MIB + 1, 1)).toBe(1)
  expect(limitOf(17 * MIB, 1, 1)).toBe(1)
  // The row behind the page decides nothing.
  expect(limitOf(1, 1, 1, 17 * MIB)).toBe(3)
})
