import { expect, test } from 'vitest'
import { arrivedLate, RE2JS } from './patterns.ts'

test('what meets a regular expression too early is told to begin again, once', async () => {
  expect(await arrivedLate()).toBe(false)
  expect(() => RE2JS.compile('^a+$')).toThrow('has not arrived')
  expect(await arrivedLate()).toBe(true)
  expect(RE2JS.compile('^a+$').matches('aaa')).toBe(true)
  expect(await arrivedLate()).toBe(false)
})
