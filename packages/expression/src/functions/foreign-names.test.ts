import { expect, test } from 'vitest'
import { foreignNames, meantFunction } from './foreign-names.ts'
import { FUNCTIONS } from './index.ts'

test.each([
  ['length', 'len'],
  ['lenght', 'len'],
  ['Size', 'len'],
  ['toUpperCase', 'upper'],
  ['parseInt', 'to_int'],
  ['startsWith', 'starts_with'],
  ['regexp_match', 'regex_match'],
  ['avrage', 'avg'],
  ['mapp', 'map'],
  ['no_such_thing', undefined],
  ['toString', 'to_string'],
  ['__proto__', undefined],
])('%s was probably meant to be %s', (name, expected) => expect(meantFunction(name)).toBe(expected))

test.each([...foreignNames()])('%s leads to a function that exists: %s', (foreign, ours) => {
  expect(FUNCTIONS.has(ours)).toBe(true)
  expect(FUNCTIONS.has(foreign)).toBe(false)
})
