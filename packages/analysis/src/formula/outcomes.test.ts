import { LENIENT, parse, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { Outcomes, type Partition } from './outcomes.ts'

const STRICT = { ...LENIENT, mode: 'strict' } as const
const PLACES = ['first', 'second']

function parsed(text: string) {
  const found = parse(text)
  if (found.kind !== 'parsed') throw new Error(text)
  return found.expression
}

/** A partition in one line: positions and their outcomes. */
function textOf(partition: Partition): string {
  if ('outcome' in partition) return partition.outcome.error ?? partition.outcome.kind
  return partition.groups.map(({ positions, rest }) => `${positions.join(' ')}: (${textOf(rest)})`).join(', ')
}

test.each<[expression: string, examples: readonly (readonly Value[])[], partition: string]>([
  ['1 + 1', [], 'number'],
  ['1 / 0', [], 'division-by-zero'],
  ['$first > 1', [[1, 2, 3, 0]], '0 3: (false), 1 2: (true)'],
  ['$first + 1', [[1, 'x']], '0: (number), 1: (wrong-type)'],
  [
    '$first / $second',
    [
      [1, 2],
      [0, 1],
    ],
    '0 1: (0: (division-by-zero), 1: (number))',
  ],
  [
    '$first > $second',
    [
      [1, 2, 3],
      [1, 2],
    ],
    '0: (0 1: (false)), 1: (0: (true), 1: (false)), 2: (0 1: (true))',
  ],
  [
    '$first',
    [[null, [], [1], {}, 'x', true]],
    '0: (null), 1: (empty list), 2: (list), 3: (empty object), 4: (text), 5: (true)',
  ],
])('how %s ends for %j: %s', (expression, examples, partition) => {
  const outcomes = new Outcomes()
  const found = outcomes.partition(parsed(expression), LENIENT, PLACES, examples)
  expect(textOf(found)).toBe(partition)
  expect(outcomes.partition(parsed(expression), LENIENT, PLACES, examples)).toBe(found)
})

test('partitions are kept by expression, policy and examples', () => {
  const outcomes = new Outcomes()
  const of = (text: string, policy: typeof LENIENT | typeof STRICT, ...examples: readonly (readonly Value[])[]) =>
    textOf(outcomes.partition(parsed(text), policy, PLACES, examples))
  expect(of('$first > 1', LENIENT, [1, 2])).toBe('0: (false), 1: (true)')
  expect(of('$first > 1', LENIENT, [2, 1])).toBe('0: (true), 1: (false)')
  expect(of('$first > 1', LENIENT, ['2', 1])).toBe('0: (wrong-type), 1: (false)')
  expect(of('$first > 0', LENIENT, [1, 2])).toBe('0 1: (true)')
  expect(of('$first > $second', LENIENT, [1, 2], [3])).toBe('0 1: (0: (false))')
  expect(of('$first > $second', LENIENT, [1, 23], [])).toBe('0 1: ()')
  expect(of('a == null', LENIENT)).toBe('true')
  expect(of('a == null', STRICT)).toBe('missing-field')
})

test('truths are kept by expression, policy and values', () => {
  const outcomes = new Outcomes()
  const of = (text: string, policy: typeof LENIENT | typeof STRICT, ...values: readonly Value[]) =>
    outcomes.truth(parsed(text), policy, PLACES)(values)
  expect(of('$first > 1', LENIENT, 1)).toBe('-')
  expect(of('$first > 1', LENIENT, 2)).toBe('+')
  expect(of('$first > 1', LENIENT, '2')).toBe('wrong-type')
  expect(of('$first > 0', LENIENT, 1)).toBe('+')
  expect(of('$first > $second', LENIENT, 2, 1)).toBe('+')
  expect(of('$first > $second', LENIENT, 1, 2)).toBe('-')
  expect(of('$first == -0', LENIENT, 0)).toBe('+')
  expect(of('a == null', LENIENT)).toBe('+')
  expect(of('a == null', STRICT)).toBe('missing-field')
})

test('thresholds are found once for an expression and a policy', () => {
  const outcomes = new Outcomes()
  let found = 0
  const find = () => (++found > 1 ? { cuts: [found], blurred: [] } : undefined)
  const of = (text: string, policy: typeof LENIENT | typeof STRICT) => outcomes.thresholds(parsed(text), policy, find)
  expect([of('a > 1', LENIENT), of('a > 1', LENIENT)]).toEqual([undefined, undefined])
  expect([of('a > 2', LENIENT), of('a > 2', LENIENT)]).toMatchObject([{ cuts: [2] }, { cuts: [2] }])
  expect(of('a > 1', STRICT)).toMatchObject({ cuts: [3] })
})
