import { describe, expect, test } from 'vitest'
import { itemsOf, merged } from './merge-order.ts'

const words = (text: string) => (text === '' ? [] : text.split(' '))

describe('the orders of both sides become one', () => {
  test.each<[string, base: string, mine: string, theirs: string, order: string, isConflict: boolean]>([
    ['nothing', '', '', '', '', false],
    ['no change', 'a b c', 'a b c', 'a b c', 'a b c', false],
    ['mine moved', 'a b c', 'c a b', 'a b c', 'c a b', false],
    ['theirs moved', 'a b c', 'a b c', 'c a b', 'c a b', false],
    ['both moved alike', 'a b c', 'c a b', 'c a b', 'c a b', false],
    ['both moved otherwise', 'a b c', 'c a b', 'b a c', 'c a b', true],
    ['mine added at the end', 'a b', 'a b x', 'a b', 'a b x', false],
    ['theirs added at the begin', 'a b', 'a b', 'x a b', 'x a b', false],
    ['both added behind different items', 'a b', 'a x b', 'a b y', 'a x b y', false],
    ['both added behind one item', 'a b', 'a x b', 'a y b', 'a x y b', true],
    ['both added at the begin', 'a', 'x a', 'y a', 'x y a', true],
    ['both added the same', 'a b', 'a x b', 'a x b', 'a x b', false],
    ['both added the same, mine more', 'a', 'a x z', 'a x', 'a x z', true],
    ['both added one item behind different ones', 'a b', 'a x b', 'a b x', 'a x b', false],
    ['mine moved, theirs added', 'a b c', 'c a b', 'a x b c', 'c a x b', false],
    ['theirs moved, mine added', 'a b c', 'a b x c', 'c a b', 'c a b x', false],
    ['mine moved and added, theirs added elsewhere', 'a b c', 'c x a b', 'a b y c', 'c x a b y', false],
    ['both moved, both added', 'a b c', 'c a x b', 'b a y c', 'c a x y b', true],
    ['several added in a row', 'a', 'a x y z', 'a', 'a x y z', false],
  ])('%s', (_, base, mine, theirs, order, isConflict) => {
    expect(merged(words(base), words(mine), words(theirs), false)).toEqual({ order: words(order), isConflict })
  })

  test('a list whose order means nothing has no conflict, and additions in one order', () => {
    expect(merged(['a', 'b'], ['b', 'a', 'z'], ['a', 'b', 'y'], true)).toEqual({
      order: ['b', 'y', 'a', 'z'],
      isConflict: false,
    })
    const [one, other] = [
      ['a', 'x'],
      ['a', 'w'],
    ]
    expect(merged(['a'], one, other, true)).toEqual({ order: ['a', 'w', 'x'], isConflict: false })
    expect(merged(['a'], other, one, true)).toEqual({ order: ['a', 'w', 'x'], isConflict: false })
  })
})

describe('items of lists are named by the first member that distinguishes them in all lists', () => {
  const names = (...lists: readonly (readonly object[])[]) => itemsOf(lists as never)?.map((items) => [...items.keys()])

  test.each<[string, readonly (readonly object[])[], readonly (readonly string[])[] | undefined]>([
    ['ids', [[{ id: 'a' }, { id: 'b' }], [{ id: 'b' }]], [['a', 'b'], ['b']]],
    ['an id before a name', [[{ id: 'a', name: 'n' }]], [['a']]],
    [
      'names where an id is given twice',
      [
        [
          { id: 'a', name: 'n' },
          { id: 'a', name: 'm' },
        ],
      ],
      [['n', 'm']],
    ],
    ['names where an id is missing', [[{ id: 'a', name: 'n' }, { name: 'm' }]], [['n', 'm']]],
    ['names where one list has no ids', [[{ id: 'a', name: 'n' }], [{ name: 'm' }]], [['n'], ['m']]],
    ['fields', [[{ field: 'f' }, { field: 'g' }]], [['f', 'g']]],
    ['names of the caller', [[{ parentVar: 'p' }]], [['p']]],
    ['no name', [[{ code: 'a' }]], undefined],
    ['an id that is no text', [[{ id: 1 }]], undefined],
    ['every name given twice', [[{ id: 'a' }, { id: 'a' }]], undefined],
    ['an item that is no object', [[['a'] as object]], undefined],
    ['empty lists', [[], []], [[], []]],
  ])('%s', (_, lists, expected) => expect(names(...lists)).toEqual(expected))
})
