import type { Segment } from '@engine/expression'
import { expect, test } from 'vitest'
import { type Building, put } from './evaluate.ts'

const path = (...names: readonly string[]): readonly Segment[] => names.map((name) => ({ kind: 'name', name }))

test('a value that is put into an input stays as it is when the input grows in it', () => {
  const example = { inner: { list: [] } }
  const input: Building = {}
  put(input, path('user'), example)
  put(input, path('user', 'self'), example)
  put(input, path('user', 'inner', 'list'), [1])
  expect(example).toEqual({ inner: { list: [] } })
  expect(input).toEqual({ user: { inner: { list: [1] }, self: { inner: { list: [] } } } })
})

const item = (index: number): readonly Segment[] => [...path('list'), { kind: 'index', index }]

test.each<[what: string, at: readonly Segment[], done: boolean, list: unknown]>([
  ['an item', item(0), true, [1]],
  ['an item behind the last', item(1), true, ['x', 1]],
  ['an item farther behind', item(2), false, ['x']],
  ['an item from the end', item(-1), false, ['x']],
  ['a member', path('list', 'n'), false, ['x']],
  ['a member of an item that is no object', [...item(0), ...path('n')], false, ['x']],
])('%s is put into a list: a list has items in a row and no members', (_what, at, done, list) => {
  const input: Building = { list: ['x'] }
  expect(put(input, at, 1)).toBe(done)
  expect(input['list']).toStrictEqual(list)
})
