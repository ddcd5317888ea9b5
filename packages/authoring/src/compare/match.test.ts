import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { matchItems } from './match.ts'

const when = (condition: string, next_step: string, id?: string): Value => ({
  ...(id !== undefined && { id }),
  condition,
  next_step,
})

test.each<[name: string, before: Value[], after: Value[], names: [before: string, after: string]]>([
  ['their ids', [when('a', 'x', 'p'), when('b', 'y', 'q')], [when('c', 'z', 'q')], ['p q', 'q']],
  ['their content', [when('a', 'x'), when('b', 'y')], [when('b', 'y'), when('a', 'x')], ['1 2', '2 1']],
  ['their conditions', [when('a', 'x'), when('b', 'y')], [when('b', 'z'), when('a', 'z')], ['1 2', '2 1']],
  ['the item that they follow', [when('a', 'x'), when('b', 'y')], [when('a', 'x'), when('c', 'y')], ['1 2', '1 2']],
  ['the beginning that they share', [when('a', 'x'), when('b', 'y')], [when('c', 'x'), when('b', 'y')], ['1 2', '1 2']],
  ['nothing: a new one', [when('a', 'x')], [when('a', 'x'), when('b', 'y')], ['1', '1 +2']],
  ['their content, the first of equals first', [when('a', 'x'), when('a', 'x')], [when('a', 'x')], ['1 2', '1']],
  [
    'their content where an id is repeated',
    [when('a', 'x', 'p'), when('b', 'y', 'p')],
    [when('b', 'y', 'p')],
    ['1 2', '2'],
  ],
  ['their content where one lacks an id', [when('a', 'x'), when('b', 'y', 'p')], [when('b', 'y', 'p')], ['1 2', '2']],
  [
    'no item twice',
    [when('a', 'x'), when('b', 'y')],
    [when('b', 'y'), when('a', 'x'), when('c', 'z')],
    ['1 2', '2 1 +3'],
  ],
])('items match by %s', (_, before, after, names) => {
  const found = matchItems(before, after)
  expect([[...found.before.keys()].join(' '), [...found.after.keys()].join(' ')]).toEqual(names)
  expect([[...found.before.values()], [...found.after.values()]]).toEqual([before, after])
})
