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
