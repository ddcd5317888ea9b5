import { expect, test } from 'vitest'
import { excerpt, locate, locator } from './source.ts'

test.each([
  [0, 1, 1],
  [3, 1, 4],
  [4, 2, 1],
  [9, 3, 3],
  [99, 3, 4],
])('offset %d is line %d, column %d', (offset, line, column) => {
  expect(locate('abc\nde\nfgh', offset)).toEqual({ line, column })
  expect(locator('abc\nde\nfgh')(offset)).toEqual({ line, column })
})

test.each([
  ['a + + b', 4, 5, 'a + + b\n    ^'],
  ['a\nbc = d\ne', 5, 6, 'bc = d\n   ^'],
  ['abc', 3, 3, 'abc\n   ^'],
  ['a "xy" b', 2, 6, 'a "xy" b\n  ^^^^'],
  ['\ta\t+ + b', 5, 6, '\ta\t+ + b\n\t \t  ^'],
  ['"名前" + + b', 7, 8, '"名前" + + b\n         ^'],
  ['"名前" x', 1, 3, '"名前" x\n ^^^^'],
  ['"💥" x y', 5, 6, '"💥" x y\n     ^'],
  ['"e\u0301" x y', 5, 6, '"e\u0301" x y\n    ^'],
  ['"a\u202eb" x y', 6, 7, '"a\ufffdb" x y\n      ^'],
  ['a\u0000 b', 3, 4, 'a\ufffd b\n   ^'],
  ['a +', 3, 3, 'a +\n   ^'],
])('%j at %d', (text, start, end, shown) => expect(excerpt(text, { start, end })).toBe(shown))

test('a long line is cut around the place', () => {
  const [line = '', carets = ''] = excerpt(`${'a'.repeat(500)}=${'b'.repeat(500)}`, { start: 500, end: 501 }).split(
    '\n',
  )
  expect(line).toHaveLength(120)
  expect(line[carets.indexOf('^')]).toBe('=')
})

test('a long line of characters of two units is cut between them', () => {
  const [line = ''] = excerpt(`"${'💥'.repeat(200)}" +`, { start: 200, end: 201 }).split('\n')
  expect(line.isWellFormed()).toBe(true)
})

test.each(['', '\n', 'a', '\n\n', 'a\n', '\nab\n\nc', '\r\na'])(
  'many places of %j are found as each of them is',
  (text) => {
    const placeOf = locator(text)
    for (let offset = 0; offset <= text.length + 1; offset++) expect(placeOf(offset)).toEqual(locate(text, offset))
  },
)
