import { numberOfText, orderOf } from '@engine/expression'
import { expect, test } from 'vitest'
import {
  DECIMALS,
  INTEGERS,
  middleOfDecimals,
  nextDecimal,
  type NumberPoint,
  NUMBERS,
  previousDecimal,
} from './order.ts'

const point = (text: string): NumberPoint => {
  const found = numberOfText(text)
  if (found === undefined) throw new Error(`${text} is not a number`)
  return found
}

test.each([
  ['1', '1.000000000000000000000000000000001', '0.9999999999999999999999999999999999'],
  ['10', '10.00000000000000000000000000000001', '9.999999999999999999999999999999999'],
  ['9.999999999999999999999999999999999', '10', '9.999999999999999999999999999999998'],
  ['-1', '-0.9999999999999999999999999999999999', '-1.000000000000000000000000000000001'],
  ['0.1', '0.1000000000000000000000000000000001', '0.09999999999999999999999999999999999'],
  ['123.456', '123.4560000000000000000000000000001', '123.4559999999999999999999999999999'],
])('the neighbours of the decimal %s', (text, next, previous) => {
  const value = point(text)
  expect([nextDecimal(value), previousDecimal(value)].map(String)).toEqual([next, previous])
  expect(DECIMALS.between(value, nextDecimal(value))).toBeUndefined()
  expect(DECIMALS.between(previousDecimal(value), value)).toBeUndefined()
  expect(orderOf(middleOfDecimals(previousDecimal(value), nextDecimal(value)) ?? 0, value)).toBe(0)
})

test.each(['0', '1e33', '1e300', '-1e33'])('%s has no neighbour that is known', (text) => {
  expect(nextDecimal(point(text))).toBe(point(text))
})

test.each([
  ['0.1', '0.10000000000000001', '0.100000000000000005'],
  ['0', '1e-300', '5e-301'],
  ['-1.7e308', '1.7e308', '-1.6999999999999998e308'],
  ['1.5', '4.25', '2'],
])('between the decimals %s and %s', (low, high, between) => {
  const found = DECIMALS.between(point(low), point(high))
  if (found === undefined) throw new Error('nothing between')
  expect([orderOf(point(low), found), orderOf(found, point(high))]).toEqual([-1, -1])
  if (!between.startsWith('-')) expect(String(found)).toBe(between)
})

test.each([
  ['4.99999999999999999999', undefined, 5],
  ['5.00000000000000000001', undefined, 6],
  [undefined, '5.00000000000000000001', 5],
  ['4.1', '4.99999999999999999999', undefined],
])('the whole number between %s and %s', (low, high, between) => {
  const ends = [low, high].map((text) => (text === undefined ? undefined : point(text)))
  expect(INTEGERS.between(ends[0], ends[1])).toBe(between)
})

test.each([
  [1, 1 + 2 ** -51, 1 + 2 ** -52],
  [1, 1 + 2 ** -52, undefined],
  [0.1, 0.2, 0.15],
  [5e-324, 1.5e-323, 1e-323],
  [1e308, Infinity, 1.1e308],
  [Infinity, undefined, undefined],
])('a double between %d and %s', (low, high, between) => {
  const found = NUMBERS.between(low, high)
  if (high === Infinity) expect(found).toSatisfy((one: number) => one > low && one < high)
  else expect(found).toBe(between)
})
