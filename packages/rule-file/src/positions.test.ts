import fc from 'fast-check'
import { expect, test } from 'vitest'
import { positionsInJson, problemsInFile, yamlLocator } from './positions.ts'

/** A text without the characters that end a line in other programs. */
const word = fc.string({ unit: fc.constantFrom(...'ab "\\\n\t\u00e4\u2028/:,{}[]'), minLength: 1, maxLength: 30 })
const caseIn = fc
  .tuple(word, fc.nat())
  .map(([text, at]) => ({ text, offset: at % text.length }))
  .filter(({ text, offset }) => text[offset] !== '\n')

const lineOf = (text: string, offset: number) => {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
const offsetOf = (text: string, { line, column }: { line: number; column: number }) =>
  text
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, one) => sum + one.length + 1, 0) +
  column -
  1

test('a place in a text value of JSON is that of the same character in the file, escaped or not', () => {
  fc.assert(
    fc.property(caseIn, fc.boolean(), ({ text, offset }, isList) => {
      const value = isList ? ['x', text] : { x: 1, key: text }
      const file = JSON.stringify({ first: 'a:"b"', in: value }, null, 2)
      const place = { path: isList ? '/in/1' : '/in/key', ...lineOf(text, offset) }
      const [position] = positionsInJson(file, [place])
      const rest = file.slice(offsetOf(file, position ?? { line: 1, column: 1 }))
      expect(rest.startsWith(JSON.stringify(text[offset]).slice(1, -1))).toBe(true)
    }),
  )
})

test.each([
  ['/a', undefined, undefined, { line: 1, column: 2 }],
  ['/a/b', undefined, undefined, { line: 2, column: 2 }],
  ['/a/none', undefined, undefined, { line: 1, column: 2 }],
  // A number has no inner places.
  ['/a/b', 1, 3, { line: 2, column: 2 }],
])('%s %s:%s of JSON', (path, line, column, expected) => {
  expect(positionsInJson('{"a": {\n "b": 12}}', [{ path, line, column }])).toEqual([expected])
})

test.each([
  ['a: xyz', '/a', 1, 2, { line: 1, column: 5 }],
  ['a: "x\\ny"', '/a', 2, 1, { line: 1, column: 4, isStart: true }],
  ['a: "\\"xy"', '/a', 1, 3, { line: 1, column: 8 }],
  ["a: 'it''s'", '/a', 1, 4, { line: 1, column: 9 }],
  ['a: |\n  one\n  two', '/a', 2, 2, { line: 3, column: 4 }],
  // Folded texts: the start.
  ['a: >\n  one\n  two', '/a', 1, 5, { line: 1, column: 4, isStart: true }],
  ['a: one\n  two', '/a', 1, 5, { line: 1, column: 4, isStart: true }],
  ['a: "one\n  two"', '/a', 2, 1, { line: 1, column: 4, isStart: true }],
  ['- [1, {b: c}]', '/0/1/b', undefined, undefined, { line: 1, column: 8 }],
  ['a: 5', '/a', 1, 1, { line: 1, column: 1 }],
])('in YAML %j: %s %s:%s', (text, path, line, column, expected) => {
  expect(yamlLocator(text)({ path, line, column })).toEqual(expected)
})

const SHORT = 'no operand'
const LONG = `${SHORT} (line 1, column 3 of the expression)`

test.each([
  ['a.json', '{\n"a": "x +"}', { path: '/a', line: 1, column: 3 }, { path: '/a', line: 2, column: 9, message: SHORT }],
  ['a.yml', 'a: x +', { path: '/a', line: 1, column: 3 }, { path: '/a', line: 1, column: 6, message: SHORT }],
  ['a.yaml', 'a: >\n  x +', { path: '/a', line: 1, column: 3 }, { path: '/a', line: 1, column: 4, message: LONG }],
  ['a.yaml', '1', { path: '/a', line: 1, column: 3 }, { path: '/a', message: LONG }],
])('in %s a message says the place that the position does not: %j', (file, text, place, expected) => {
  expect(problemsInFile(file, text, [{ ...place, message: LONG }])).toEqual([expected])
})
