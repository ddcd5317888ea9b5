import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { layOut, ordered } from './layout.ts'

/** The members that come first, in their order. */
const FIRST =
  'format id name ruleset version type kind field label description required config startStepId current_environment ' +
  'contract_mode hitPolicy aggregate columns bindings input now stubs expect outputs code message condition cells ' +
  'graph steps branches rows assignments nextStepId'

test('members are in the order of a reader, others by their names', () => {
  const names = ['zoo', 'a', ...FIRST.split(' ').toReversed()]
  const found = Object.keys(ordered(Object.fromEntries(names.map((name) => [name, 1]))) as object)
  const own = FIRST.split(' ')
  expect(found.filter((name) => own.includes(name))).toEqual(own)
  expect(found.filter((name) => name === 'a' || name === 'zoo')).toEqual(['a', 'zoo'])
  expect(found.indexOf('a')).toBeGreaterThan(found.indexOf('assignments'))
})

test('objects in lists and objects are ordered too', () => {
  const given: Value = [{ b: 1, id: 2, inner: { code: 1, name: 2 } }]
  expect(JSON.stringify(ordered(given))).toBe('[{"id":2,"b":1,"inner":{"name":2,"code":1}}]')
})

test.each<[name: string, value: Value, lines: readonly string[]]>([
  ['a short object', { id: 1 }, ['{ "id": 1 }']],
  ['an empty object', {}, ['{}']],
  ['an empty list', [], ['[]']],
  ['a short list', [1, [2]], ['[1, [2]]']],
  ['one object in a list', [{ a: 1, b: 2 }], ['[{ "a": 1, "b": 2 }]']],
  [
    'rows of a table',
    [
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ],
    ['[', '  { "a": 1, "b": 2 },', '  { "a": 3, "b": 4 }', ']'],
  ],
  ['objects of one member', [{ a: 1 }, { a: 2 }], ['[{ "a": 1 }, { "a": 2 }]']],
  [
    'a long object',
    { id: 'x'.repeat(60), name: 'y'.repeat(70) },
    ['{', `  "id": "${'x'.repeat(60)}",`, `  "name": "${'y'.repeat(70)}"`, '}'],
  ],
  ['a text longer than a line', 'x'.repeat(300), [`"${'x'.repeat(300)}"`]],
])('%s', (_name, value, lines) => {
  expect(layOut(value)).toBe(`${lines.join('\n')}\n`)
})

test('a line has as many characters as fit, with its comma', () => {
  const widest = (length: number) => layOut([['x'.repeat(length), 'y'], 'z'.repeat(300)]).split('\n')[1]
  const most = Array.from({ length: 200 }, (_, length) => length).findLast(
    (length) => widest(length)?.endsWith('],') === true,
  )
  expect(widest(most ?? 0)).toHaveLength(120)
  expect(widest((most ?? 0) + 1)).toBe('  [')
})
