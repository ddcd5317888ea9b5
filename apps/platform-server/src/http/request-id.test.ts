import { expect, test } from 'vitest'
import { requestIdOf } from './request-id.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const idOf = (id: string | string[] | undefined) => requestIdOf({ headers: { 'x-request-id': id } })

test.each([['a'], ['trace/1:2.3+4=5@6-7_8'], ['x'.repeat(128)]])('the id of a request is the given one: %s', (id) => {
  expect(idOf(id)).toBe(id)
})

test.each<[string, string | string[] | undefined]>([
  ['none', undefined],
  ['an empty one', ''],
  ['one of 129 characters', 'x'.repeat(129)],
  ['one with a blank', 'a b'],
  ['one with a line break', 'a\n'],
  ['several', ['a', 'b']],
])('in place of %s there is a new one', (_title, id) => {
  expect(idOf(id)).toMatch(UUID)
  expect(requestIdOf(undefined)).toMatch(UUID)
})

test('a request keeps its id, and no two have the same', () => {
  const request = { headers: {} }
  expect(requestIdOf(request)).toBe(requestIdOf(request))
  expect(requestIdOf({ headers: {} })).not.toBe(requestIdOf(request))
})
