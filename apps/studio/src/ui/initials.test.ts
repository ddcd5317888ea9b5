import { expect, test } from 'vitest'
import { initials } from './initials.ts'

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Ada King Lovelace', 'AK'],
  ['Ada Lovelace, Bob Ross', 'AL'],
  ['', ''],
])('the initials of %j are %j', (names, text) => {
  expect(initials(names)).toBe(text)
})
