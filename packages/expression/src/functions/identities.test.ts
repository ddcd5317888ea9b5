import { expect, test } from 'vitest'
import type { Call } from '../ast.ts'
import { Budget } from '../budget.ts'
import { equal } from '../equality.ts'
import { randomInput } from '../expression.testing.ts'
import { parse } from '../parser.ts'
import { seeded } from '../random.testing.ts'
import { isObject, type Value } from '../value.ts'
import { Identities } from './identities.ts'

const parsed = parse('distinct(a)')
const node = (parsed as Extract<typeof parsed, { kind: 'parsed' }>).expression as Call

function firsts(values: readonly Value[]): Value[] {
  const known = new Identities({ now: 0, budget: Budget.endless() }, node)
  return values.filter((value) => known.add(value))
}

test.each<[string, Value[], number]>([
  ['a part does not equal the whole', [[1], 1, [[1]], { a: 1 }, 'a', [['a', 1]]], 6],
  ['text does not equal a number', ['1', 1, '1,', [1], '[1,'], 5],
  ['one integer in two forms', [1e20, 10n ** 20n, 100_000_000_000_000_000_001n], 2],
  ['0 and -0', [0, -0], 1],
  [
    'keys in any order',
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
      { a: 1, b: [2], c: null },
    ],
    2,
  ],
  ['null, false, "" and empty ones', [null, false, '', [], {}, 0], 6],
  ['a key that looks like the separator', [{ 'a:1,b': 1 }, { a: 1, b: 1 }], 2],
])('%s', (_name, values, count) => expect(firsts(values)).toHaveLength(count))

test('random values are distinguished as by equality', () => {
  const random = seeded(7)
  for (let count = 0; count < 500; count++) {
    const values = Array.from({ length: 4 }, () => randomInput(random))
      .filter(isObject)
      .flatMap((input) => Object.values(input))
    const expected = values.filter(
      (value, index) => !values.slice(0, index).some((other) => equal(Budget.endless(), other, value, node)),
    )
    expect(firsts(values)).toEqual(expected)
  }
})
