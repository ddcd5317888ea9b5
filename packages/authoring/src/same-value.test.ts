import { isDecimal, numberOfText, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { identityOf, sameValue } from './same-value.ts'

function decimal(text: string): Value {
  const value = numberOfText(text)
  if (!isDecimal(value)) throw new Error(`no decimal: ${text}`)
  return value
}

describe('the same, or not:', () => {
  test.each<readonly [string, Value | undefined, Value | undefined, boolean]>([
    ['texts', 'a', 'a', true],
    ['other texts', 'a', 'b', false],
    ['a text and a number', '1', 1, false],
    ['an integer and a double', 1n, 1, false],
    ['null and nothing', null, undefined, false],
    ['null and an object', null, {}, false],
    ['an object and null', {}, null, false],
    ['an object and a text', {}, 'a', false],
    ['an empty list and an empty object', [], {}, false],
    ['an empty object and an empty list', {}, [], false],
    ['lists', [1, [2]], [1, [2]], true],
    ['lists in another order', [1, 2], [2, 1], false],
    ['a list and its beginning', [1, 2], [1], false],
    ['objects in another order of keys', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
    ['objects with other values', { a: 1 }, { a: 2 }, false],
    ['an object with a key more', { a: 1, b: 2 }, { a: 1 }, false],
    ['an object with a key less', { a: 1 }, { a: 1, b: 2 }, false],
    ['objects with other keys', { a: null }, { b: null }, false],
    ['an object and an inherited member', { toString: null }, { a: null }, false],
  ])('%s', (_, left, right, isSame) => {
    expect(sameValue(left, right)).toBe(isSame)
  })

  test.each([
    ['0.1000000000000000000001', '0.1000000000000000000001', true],
    ['0.1000000000000000000001', '0.1000000000000000000002', false],
  ])('the decimals %s and %s are the same: %s', (left, right, isSame) => {
    expect(sameValue(decimal(left), decimal(right))).toBe(isSame)
    expect(identityOf(decimal(left)) === identityOf(decimal(right))).toBe(isSame)
  })
})

test('the key of a value is that of an equal one, and of no other', () => {
  const values: Value[] = [
    null,
    true,
    'a',
    '1',
    1,
    1n,
    '1n',
    [],
    {},
    [1],
    [[1]],
    [1, 2],
    { a: 1 },
    { a: '1' },
    { b: 1 },
  ]
  values.push({ a: 1, b: 2 }, [{ a: 1 }, { b: 2 }])
  const keys = values.map((value) => identityOf(value))
  expect(new Set(keys).size).toBe(values.length)
  expect(identityOf({ b: [{ d: 1, c: 2 }], a: 1 })).toBe(identityOf({ a: 1, b: [{ c: 2, d: 1 }] }))
})
