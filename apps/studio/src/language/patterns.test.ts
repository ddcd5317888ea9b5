import { expect, test } from 'vitest'
import { arrivedLate, RE2JS } from './patterns.ts'

test('a task that needs regular expressions before they are loaded is repeated once', async () => {
  expect(await arrivedLate()).toBe(false)
  expect(() => RE2JS.compile('^a+$')).toThrow('has not arrived')
  expect(await arrivedLate()).toBe(true)
  expect(RE2JS.compile('^a+$').matches('aaa')).toBe(true)
  expect(await arrivedLate()).toBe(false)
})
