import type { ObjectValue } from '@engine/expression'
import { expect, test, vi } from 'vitest'
import { analyze } from './analyze.ts'
import { action, decision, linesOf, rulesetOf } from './reports.testing.ts'
import { Question } from './question.ts'
import { createSession } from './session.ts'

const table = (...conditions: readonly string[]): ObjectValue => ({
  d: decision(
    conditions.map((condition, index) => [condition, 'XYZ'[index] ?? 'X'] as const),
    'N',
  ),
})

const enforcing = (minimum: number) => ({
  contract: {
    mode: 'enforce',
    contract: {
      name: 'r',
      version: '1.0.0',
      input: { fields: [{ name: 'n', type: 'number', required: true, minimum }] },
      outputs: [],
    },
  },
})

const loop = (condition: string): ObjectValue => ({
  d: decision([[condition, 'e']], 'N'),
  e: action({ v: '1' }, 'd'),
})

/** Findings without the inputs that show them, which may be others. */
const findingsOf = (report: Parameters<typeof linesOf>[0]) => linesOf(report).map((line) => line.replace(/ <- .*/, ''))

/** Versions of a ruleset; each is analysed after the one before as if it were the first. */
test.each<[edit: string, versions: readonly (readonly [ObjectValue, ObjectValue?])[]]>([
  ['nothing', [[table('n > 5')], [table('n > 5')]]],
  ['a constant', [[table('n > 5', 'n > 3')], [table('n > 2', 'n > 3')], [table('n > 5', 'n > 3')]]],
  ['the first of three conditions', [[table('a', 'b', 'c')], [table('a && !a', 'b', 'c')], [table('b', 'b', 'c')]]],
  ['the last of three conditions', [[table('a', 'b', 'c')], [table('a', 'b', 'b')], [table('a', 'b', '!b')]]],
  ['a condition that fails now', [[table('a', 'n == 1')], [table('a', 'n + 1 == 1')], [table('a', 'n == 1')]]],
  ['a condition that failed', [[table('n + 1 == 1', 'a')], [table('n == 1', 'a')], [table('n + 2 == 1', 'a')]]],
  ['the same condition in other words', [[table('a && b')], [table('(a && b)')]]],
  ['two conditions', [[table('a', 'b')], [table('b', 'a')], [table('b', 'b')]]],
  ['a row more', [[table('a')], [table('a', 'a')], [table('a')]]],
  ['the next step', [[{ d: decision([['a', 'X']], 'N') }], [{ d: decision([['a', 'Y']], 'N') }]]],
  ['the default', [[{ d: decision([['a', 'X']], 'N') }], [{ d: decision([['a', 'X']]) }]]],
  ['a step more', [[table('a')], [{ d: decision([['a', 'e']], 'N'), e: decision([['!a', 'X']], 'Y') }], [table('a')]]],
  [
    'a variable',
    [
      [{ d: decision([['a', 'e', { v: '1' }]], 'N'), e: decision([['$v == 1', 'X']], 'Y') }],
      [{ d: decision([['a', 'e', { v: '2' }]], 'N'), e: decision([['$v == 1', 'X']], 'Y') }],
      [{ d: decision([['a', 'e', { v: '2' }]], 'N'), e: decision([['$v == 2', 'X']], 'Y') }],
    ],
  ],
  ['a condition in a loop', [[loop('go')], [loop('!go')], [loop('go && !go')], [loop('go')]]],
  [
    'a contract',
    [
      [table('n < 3'), enforcing(0)],
      [table('n < 3'), enforcing(3)],
      [table('n < 3'), enforcing(0)],
    ],
  ],
  ['the kind of numbers', [[table('n / 3 * 3 == 1')], [table('n / 3 * 3 == 1'), { numbers: 'decimal' }]]],
  [
    'the mode of missing fields',
    [[table('n == 1')], [table('n == 1'), { field_missing: 'strict' }], [table('n == 1')]],
  ],
  [
    'more conditions than are examined one by one',
    [0, 1].map((add) => [table(...Array.from({ length: 40 }, (_, index) => `n == ${index + add}`))]),
  ],
])('after an edit of %s, a session reports what an analysis from the beginning does', (_edit, versions) => {
  const [[steps, config] = [{}]] = versions
  const session = createSession(rulesetOf(steps, config))
  for (const [next, nextConfig] of versions) {
    const ruleset = rulesetOf(next, nextConfig)
    const report = session.update(ruleset)
    expect(findingsOf(report)).toEqual(findingsOf(analyze(ruleset, { further: undefined })))
    expect(session.report).toBe(report)
  }
})

test('a session has the input of a branch and of the default', () => {
  const session = createSession(rulesetOf(table('n == 5', 'n == 6 && n == 7')))
  expect(session.inputFor('d', 0)).toEqual({ input: { n: 5 } })
  expect(session.inputFor('d', 1)).toBeUndefined()
  expect(session.inputFor('d')).toEqual({ input: {} })
  expect(session.inputFor('e', 0)).toBeUndefined()
})

test('formulas, proofs and inputs are kept while the contract stays', () => {
  const session = createSession(rulesetOf(table('n + 1 > 5', 'is_number(n) && n * 2 > 5')))
  const { formulas, proofs, inputs } = session.kept()
  expect([formulas > 0, proofs > 0, inputs > 0]).toEqual([true, true, true])
  session.update(rulesetOf(table('n + 1 > 5', 'is_number(n) && n * 2 > 7')))
  expect(session.kept().formulas).toBeGreaterThan(formulas)
  session.update(rulesetOf(table('n > 5'), enforcing(0)))
  expect(session.kept().formulas).toBeLessThan(formulas)
  expect(session.kept().proofs).toBeLessThan(proofs)
})

test('the inputs of the version before and those to begin with are tried first', () => {
  const options = { seeds: [{ n: 77 }] }
  const session = createSession(rulesetOf(table('n > 5')), options)
  expect(session.inputFor('d', 0)).toEqual({ input: { n: 77 } })
  session.update(rulesetOf(table('n > 6'), enforcing(0)))
  expect(session.inputFor('d', 0)).toEqual({ input: { n: 77 } })
})

test('inputs that an edit cannot touch are not executed again', () => {
  const session = createSession(rulesetOf(table('n == 1', 'n == 2')))
  session.update(rulesetOf(table('n == 1', 'n == 3')))
  expect(session.inputFor('d', 0)).toEqual({ input: { n: 1 } })
  expect(session.inputFor('d', 1)).toEqual({ input: { n: 3 } })
})

const named = (id: string, ...conditions: readonly string[]): readonly [ObjectValue, ObjectValue] => [
  { [id]: table(...conditions)['d'] ?? {} },
  { entry_step: id },
]
const many = (value: number, count: number) => table('a', ...Array.from({ length: count }, () => `b == ${value}`))

test.each<
  [
    what: string,
    before: readonly [ObjectValue, ObjectValue?],
    after: readonly [ObjectValue, ObjectValue?],
    recalled: readonly string[],
  ]
>([
  ['nothing', [table('a', 'n == 1')], [table('a', 'n == 1')], ['{}', '{"a":true}', '{"n":1}']],
  ['the first condition', [table('n == 1', 'n == 2')], [table('n == 3', 'n == 2')], ['{}', '{"n":2}']],
  ['the last condition', [table('n == 1', 'n == 2')], [table('n == 1', 'n == 3')], ['{}', '{"n":1}']],
  [
    'the first condition in other words',
    [table('n == 1', 'n == 2')],
    [table('1 == n', 'n == 2')],
    ['{}', '{"n":1}', '{"n":2}'],
  ],
  [
    'the last condition of a step with the name of a number',
    named('1', 'n == 1', 'n == 2'),
    named('1', 'n == 1', 'n == 3'),
    ['{}', '{"n":1}'],
  ],
  [
    'a condition that fails for other values',
    [table('n > 1', 'm == 2')],
    [table('n > 2', 'm == 2')],
    ['{}', '{"n":true}', '{"m":2}'],
  ],
  ['a condition to one that fails', [table('n == 1', 'm == 2')], [table('n > 1', 'm == 2')], ['{}', '{"m":2}']],
  ['a row', [table('n == 1', 'n == 2')], [table('n == 1', 'n == 2', 'n == 3')], []],
  ['a row fewer', [table('n == 1', 'n == 2', 'n == 3')], [table('n == 1', 'n == 2')], []],
  ['the next step', [{ d: decision([['a', 'X']], 'N') }], [{ d: decision([['a', 'Y']], 'N') }], []],
  [
    'a variable of a row',
    [{ d: decision([['a', 'X', { v: '1' }]], 'N') }],
    [{ d: decision([['a', 'X', { v: '2' }]], 'N') }],
    [],
  ],
  [
    'a step of actions',
    [{ d: decision([['a', 'e']], 'N'), e: action({ v: '1' }, 'X') }],
    [{ d: decision([['a', 'e']], 'N'), e: action({ v: '2' }, 'X') }],
    [],
  ],
  ['a gap', [{ d: decision([['n == 1', 'X']]) }], [{ d: decision([['n == 2', 'X']]) }], ['{}']],
  ['a condition in a loop', [loop('n == 1')], [loop('n == 2')], ['{}']],
  [
    'a condition that reads a variable',
    [{ d: decision([['a', 'e', { v: '1' }]], 'N'), e: decision([['$v == 1', 'X']], 'Y') }],
    [{ d: decision([['a', 'e', { v: '1' }]], 'N'), e: decision([['$v == 2', 'X']], 'Y') }],
    ['{}'],
  ],
  ['the limit of steps', [table('a')], [table('a'), { max_depth: 7 }], []],
  ['a contract', [table('n < 3'), enforcing(0)], [table('n < 3'), enforcing(1)], []],
  ['32 conditions', [many(1, 32)], [many(2, 32)], ['{}', '{"a":true}']],
  ['33 conditions', [many(1, 33)], [many(2, 33)], []],
])(
  'after an edit of %s, inputs whose execution is the same are recalled',
  (_edit, [before, config], [after, nextConfig], recalled) => {
    const session = createSession(rulesetOf(before, config))
    const recall = vi.spyOn(Question.prototype, 'recall')
    session.update(rulesetOf(after, nextConfig))
    const inputs = recall.mock.calls.map(([{ candidate }]) => JSON.stringify(candidate.input))
    recall.mockRestore()
    expect(inputs).toEqual(recalled)
  },
)

test('inputs to begin with that showed nothing before are tried again', () => {
  const session = createSession(rulesetOf(table('m == 1')), { seeds: [{}, { n: 77 }] })
  session.update(rulesetOf(table('n > 6'), enforcing(0)))
  expect(session.inputFor('d', 0)).toEqual({ input: { n: 77 } })
})

test('formulas of old versions are dropped when they are many', () => {
  const version = (index: number) =>
    rulesetOf(table(...Array.from({ length: 80 }, (_, row) => `n == ${index * 80 + row}`)))
  const session = createSession(version(0))
  const sizes = Array.from({ length: 4 }, (_, index) => {
    session.update(version(index + 1))
    return session.kept().formulas
  })
  const [first = 0, second = 0, third = 0, fourth = 0] = sizes
  expect([first < second, second < third, fourth < first]).toEqual([true, true, true])
})

test('failures that the version before proved impossible are only asked about again when a row before has changed', () => {
  const session = createSession(rulesetOf(table('!is_number(n)', 'n + 1 > 5', 'b')))
  const ask = vi.spyOn(Question.prototype, 'ask')
  session.update(rulesetOf(table('!is_number(n)', 'n + 1 > 5', 'c')))
  const same = ask.mock.calls.map(([, key]) => key).filter((key) => key.startsWith('fails'))
  ask.mockClear()
  session.update(rulesetOf(table('!is_string(n)', 'n + 1 > 5', 'c')))
  const other = ask.mock.calls.map(([, key]) => key).filter((key) => key.startsWith('fails'))
  ask.mockRestore()
  expect(same).toEqual([])
  expect(other).toEqual(['fails d 1 condition null-operand', 'fails d 1 condition wrong-type'])
})
