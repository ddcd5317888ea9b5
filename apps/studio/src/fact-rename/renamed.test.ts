import { describe, expect, test } from 'vitest'
import { renamedContract, renamedField, renamedInput } from './renamed.ts'

test.each([
  ['cart', 'basket'],
  ['cart.total', 'basket.total'],
  ['cart.items.price', 'basket.items.price'],
  ['carts', 'carts'],
  ['my.cart', 'my.cart'],
])('the field %s becomes %s', (field, expected) => expect(renamedField(field, 'cart', 'basket')).toBe(expected))

test('a contract gets the next major version', () => {
  const contract = {
    name: 'shop',
    version: '1.4.2',
    input: {
      fields: [
        { name: 'cart', type: 'number' },
        { name: 'level', type: 'string' },
      ],
    },
    outputs: [],
  }
  expect(renamedContract(contract, 'cart', 'basket')).toEqual({
    ...contract,
    version: '2.0.0',
    input: {
      fields: [
        { name: 'basket', type: 'number' },
        { name: 'level', type: 'string' },
      ],
    },
  })
})

describe('the input of a test', () => {
  test.each([
    ['keeps the order of its fields', { a: 1, cart: 2, b: 3 }, 'cart', 'basket', { a: 1, basket: 2, b: 3 }],
    [
      'is renamed within an object',
      { order: { a: 1, sum: 2 } },
      'order.sum',
      'order.total',
      { order: { a: 1, total: 2 } },
    ],
    [
      'is moved to another object',
      { order: { a: 1, sum: 2 } },
      'order.sum',
      'cart.sum',
      { order: { a: 1 }, cart: { sum: 2 } },
    ],
    ['leaves no empty object behind', { order: { sum: 2 } }, 'order.sum', 'sum', { sum: 2 }],
    ['is unchanged without the field', { a: 1 }, 'cart', 'basket', { a: 1 }],
    ['keeps a field that has the new name already', { cart: 1, basket: 2 }, 'cart', 'basket', { cart: 1, basket: 2 }],
  ])('%s', (_name, input, from, to, expected) =>
    expect(JSON.stringify(renamedInput(input, from, to))).toBe(JSON.stringify(expected)),
  )
})
