import { numberOfText, orderOf } from '@engine/expression'
import { expect, test } from 'vitest'
import {
  DECIMALS,
  doubleAt,
  INTEGERS,
  middleOfDecimals,
  nextDecimal,
  nextDouble,
  type NumberPoint,
  NUMBERS,
  previousDecimal,
  rankOf,
  TEXTS,
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

test.each(['0', '1e-6176', '-1e-400', '1e33', '1e300', '-1e33'])('%s has no neighbour that is known', (text) => {
  expect(orderOf(nextDecimal(point(text)), point(text))).toBe(0)
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

const UNSAFE = 2 ** 53

/** The values between two points among whole numbers, doubles and decimals. */
test.each<[low: NumberPoint | undefined, high: NumberPoint | undefined, ...between: (NumberPoint | undefined)[]]>([
  [undefined, undefined, 1, 1, 1],
  [3, undefined, 4, 4, 4],
  [3.5, undefined, 4, 4, 4],
  [undefined, 3, 2, 2, 2],
  [undefined, 3.5, 3, 3, 3],
  [-3.5, undefined, -3, -3, -3],
  [undefined, -3.5, -4, -4, -4],
  [3, 5, 4, 4, 4],
  [3, 4, undefined, 3.5, 3.5],
  [3.5, 4.5, 4, 4, 4],
  [3.5, 4, undefined, 3.8, 3.8],
  [-1, 1, 0, 0, 0],
  [1, 1, undefined, undefined, undefined],
  [0.5, 0.75, undefined, 0.6, 0.6],
  [1, 1 + 2 ** -51, undefined, 1 + 2 ** -52, 1 + 2 ** -52],
  [2, 1, undefined, undefined, undefined],
  [UNSAFE - 2, undefined, UNSAFE - 1, UNSAFE - 1, UNSAFE - 1],
  [UNSAFE - 1, undefined, 2n ** 53n, 2n ** 53n, 2n ** 53n],
  [2n ** 53n + 1n, undefined, 2n ** 53n + 2n, 2n ** 53n + 2n, 2n ** 53n + 2n],
  [-(2n ** 53n), undefined, 1 - UNSAFE, 1 - UNSAFE, 1 - UNSAFE],
  [undefined, 2n ** 53n, UNSAFE - 1, UNSAFE - 1, UNSAFE - 1],
  [undefined, 2 - UNSAFE, 1 - UNSAFE, 1 - UNSAFE, 1 - UNSAFE],
  [undefined, 1 - UNSAFE, -(2n ** 53n), -(2n ** 53n), -(2n ** 53n)],
  [undefined, -(2n ** 53n) - 1n, -(2n ** 53n) - 2n, -(2n ** 53n) - 2n, -(2n ** 53n) - 2n],
  [2n ** 53n + 1n, 2n ** 53n + 3n, 2n ** 53n + 2n, 2n ** 53n + 2n, 2n ** 53n + 2n],
  [2n ** 53n + 1n, 2n ** 53n + 2n, undefined, undefined, point('9007199254740993.5')],
  [Infinity, undefined, undefined, undefined, undefined],
  [undefined, -Infinity, undefined, undefined, undefined],
  [-Infinity, -Infinity, undefined, undefined, undefined],
  [-Infinity, undefined, 1, 1, 1],
  [undefined, Infinity, 1, 1, 1],
  [-Infinity, Infinity, 1, 1, 1],
  [-Infinity, 3, 2, 2, 2],
  [3, Infinity, 4, 4, 4],
  [0, 5e-324, undefined, undefined, point('2.5e-324')],
  [0, 1e-323, undefined, 5e-324, 5e-324],
  [-5e-324, 0, undefined, undefined, point('-2.5e-324')],
  [0.123456789, 0.12345679, undefined, 0.1234567895, 0.1234567895],
])('between %s and %s', (low, high, ...between) => {
  const found = [INTEGERS, NUMBERS, ...(low === -Infinity && high === -Infinity ? [] : [DECIMALS])].map((order) =>
    order.between(low, high),
  )
  expect(found.map(String)).toEqual(between.slice(0, found.length).map(String))
  expect(found.map((one) => typeof one)).toEqual(between.slice(0, found.length).map((one) => typeof one))
})

test.each<[low: string | undefined, high: string | undefined, between: string | undefined]>([
  [undefined, undefined, 'text'],
  ['', undefined, 'text'],
  ['a', undefined, 'a~'],
  [undefined, '', undefined],
  [undefined, 'a', ''],
  [undefined, 'z', ''],
  ['', 'a', 'A'],
  ['', '\u0000', undefined],
  ['a', 'b', 'a~'],
  ['a', 'a~~', 'a~'],
  ['a', 'a~', 'aa'],
  ['a', 'aa', 'aA'],
  ['a', 'aA', 'a0'],
  ['a', 'a0', 'a '],
  ['a', 'a ', 'a\u0000'],
  ['a', 'a\u0001', 'a\u0000'],
  ['a', 'a\u0000', undefined],
  ['a', 'a', undefined],
  ['b', 'a', undefined],
])('between the texts %j and %j', (low, high, between) => expect(TEXTS.between(low, high)).toBe(between))

test('texts are in the order of their UTF-16 units', () => {
  expect(TEXTS.precedes('\ud800', '\ue000')).toBe(true)
  expect(TEXTS.precedes('a', 'a')).toBe(false)
  expect(TEXTS.precedes('b', 'a')).toBe(false)
})

test.each<[value: number, rank: bigint, next: number]>([
  [0, 0n, 5e-324],
  [5e-324, 1n, 1e-323],
  [-5e-324, -1n, 0],
  [-1e-323, -2n, -5e-324],
  [1, 4607182418800017408n, 1 + 2 ** -52],
  [-1, -4607182418800017408n, -1 + 2 ** -53],
  [Number.MAX_VALUE, 9218868437227405311n, Infinity],
  [-Infinity, -9218868437227405312n, -Number.MAX_VALUE],
])('the double %d has the rank %d', (value, rank, next) => {
  expect(rankOf(value)).toBe(rank)
  expect(doubleAt(rank)).toBe(value)
  expect(nextDouble(value) === next).toBe(true)
})

test('both zeros have one rank', () => expect(rankOf(-0)).toBe(0n))

test.each([
  ['0', '1e-6176', undefined],
  ['1', '2', '1.5'],
  ['-1', '1', '0'],
  ['1', '1.000000000000000000000000000000001', undefined],
  ['1', '1.000000000000000000000000000000002', '1.000000000000000000000000000000001'],
  ['1e-6176', '3e-6176', '2e-6176'],
])('the middle of the decimals %s and %s is %s', (low, high, middle) => {
  const found = middleOfDecimals(point(low), point(high))
  if (middle === undefined) expect(found).toBeUndefined()
  else expect(found !== undefined && orderOf(found, point(middle)) === 0).toBe(true)
})

test.each([
  ['9.9e32', '990000000000000000000000000000000.1', '989999999999999999999999999999999.9'],
  ['-9.9e32', '-989999999999999999999999999999999.9', '-990000000000000000000000000000000.1'],
  ['1e32', '100000000000000000000000000000000.1', '99999999999999999999999999999999.99'],
  ['0.5', '0.5000000000000000000000000000000001', '0.4999999999999999999999999999999999'],
])('the neighbours of the long decimal %s', (text, next, previous) => {
  expect([nextDecimal(point(text)), previousDecimal(point(text))].map(String)).toEqual([next, previous])
})
