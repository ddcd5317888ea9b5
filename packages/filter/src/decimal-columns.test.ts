import { describe, expect, test } from 'vitest'
import { createFilter, type FilterRequest } from './filter.ts'
import { decisionOn } from './filter.testing.ts'

const ask = (condition: string, request: Partial<FilterRequest> = {}) =>
  createFilter(
    decisionOn(condition, { numbers: 'decimal' }),
    {
      known_input: {},
      target_results: ['YES'],
      nulls: 'match_rules',
      columns: { a: 'decimal(5, 2)', b: 'decimal(30,20)', n: 'number' },
      ...request,
    },
    0,
  )

describe('a column of decimals is compared with the next number that it holds', () => {
  test.each<[condition: string, filter: string | null]>([
    ['a == 0.3', 'a = 0.3'],
    ['a == 0.300', 'a = 0.3'],
    ['a < 0.125', 'a <= 0.12'],
    ['a <= -0.125', 'a <= -0.13'],
    ['a > 0.125', 'a >= 0.13'],
    ['a >= -0.125', 'a >= -0.12'],
    ['a == 0.125', null],
    ['a != 0.125', 'TRUE'],
    ['a < 0.1200000000000000000001', 'a <= 0.12'],
    ['a < 1000', 'a IS NOT NULL'],
    ['a > 999.99', 'a > 999.99'],
    ['a > 1000', null],
    ['a > -1000', 'a IS NOT NULL'],
    ['a in [0.1, 0.125, 1000]', 'a IN (0.1)'],
    ['a not in [0.125]', 'TRUE'],
    ['n < 0.1000000000000000055', 'n <= 0.1'],
    ['n in [0.1, 0.1000000000000000055]', 'n IN (0.1)'],
    ['a == "0.3"', null],
    ['a', 'a != 0'],
    ['b < 100000000000000000000', 'b IS NOT NULL'],
    ['b < 0.123456789012345', 'b < 0.123456789012345'],
  ])('%s', (condition, filter) => expect(ask(condition)).toMatchObject({ filter, exactness: 'exact' }))

  test.each(['b < 0.1234567890123456', 'b < 0.12345678901234567'])('%s would be compared with a double', (condition) =>
    expect(() => ask(condition)).toThrow('has more than 15 digits'),
  )

  test('doubles beside decimals lose digits', () =>
    expect(ask('a < n')).toMatchObject({
      exactness: 'approximate',
      reasons: ['`a` and `n` are compared as doubles: decimals of more than 15 digits lose digits'],
    }))
})

test('MongoDB gets decimals in extended JSON', () => {
  expect(ask('a < 0.3', { format: 'mongo' }).filter).toEqual({ a: { $lt: { $numberDecimal: '0.3' } } })
  expect(ask('a in [0.1, 2]', { format: 'mongo' }).filter).toEqual({
    a: { $in: [{ $numberDecimal: '0.1' }, { $numberDecimal: '2' }] },
  })
  expect(ask('n < 0.3', { format: 'mongo' }).filter).toEqual({ n: { $lt: 0.3 } })
})
