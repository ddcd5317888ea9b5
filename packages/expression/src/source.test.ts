import { expect, test } from 'vitest'
import { excerpt, locate } from './source.ts'

test.each([
  [0, 1, 1],
  [3, 1, 4],
  [4, 2, 1],
  [9, 3, 3],
  [99, 3, 4],
])('offset %d is line %d, column %d', (offset, line, column) => {
  expect(locate('abc\nde\nfgh', offset)).toEqual({ line, column })
})

test.each([
  ['a + + b', 4, 5, 'a + + b\n    ^'],
  ['a\nbc = d\ne', 5, 6, 'bc = d\n   ^'],
  ['abc', 3, 3, 'abc\n   ^'],
  ['a "xy" b', 2, 6, 'a "xy" b\n  ^^^^'],
])('%j at %d', (text, start, end, shown) => expect(excerpt(text, { start, end })).toBe(shown))

test('a long line is cut around the place', () => {
  const [line = '', carets = ''] = excerpt(`${'a'.repeat(500)}=${'b'.repeat(500)}`, { start: 500, end: 501 }).split(
    '\n',
  )
  expect(line).toHaveLength(120)
  expect(line[carets.indexOf('^')]).toBe('=')
})
