import { expect, test } from 'vitest'
import { createTimeOrderedIds } from './time-ordered-id.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const millisecondsOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
const many = (count: number, create: () => string) => Array.from({ length: count }, create)

test('ids are UUIDs of version 7 with the time of the clock', () => {
  const at = Date.UTC(2026, 10, 27)
  const id = createTimeOrderedIds(() => at)()
  expect(id).toMatch(UUID_V7)
  expect(millisecondsOf(id)).toBe(at)
})

test.each([
  ['stands still', () => 1_000],
  ['goes back', (turn: number) => 1_000_000 - turn],
  ['goes on', (turn: number) => 1_000 + Math.floor(turn / 3)],
])('ids rise while the clock %s', (_name, clock) => {
  let turn = 0
  const ids = many(
    20_000,
    createTimeOrderedIds(() => clock(turn++)),
  )
  expect(ids.every((id) => UUID_V7.test(id))).toBe(true)
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
})
