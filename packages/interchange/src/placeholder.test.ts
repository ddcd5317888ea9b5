import { expect, test } from 'vitest'
import { lostExpression, lostTest } from './placeholder.ts'

test.each([
  ['a "b"', 'a \\"b\\"'],
  ['a'.repeat(1000), 'a'.repeat(1000)],
  ['a'.repeat(1001), 'a'.repeat(1000)],
])('a placeholder has the first 1000 characters of %s', (original, shown) => {
  expect(lostExpression(original)).toBe(`lost("${shown}")`)
  expect(lostTest(original)).toBe(`? lost("${shown}")`)
})
