import { expect, test } from 'vitest'
import { plainName } from './jdm/plain-name.ts'
import { rulesetNames } from './names.ts'

const MANY = 1_000_000

test.each([
  ['Discount Tüv', 'Discount-Tuv'],
  ['-.a..b--', 'a.b'],
  ['…', 'ruleset'],
  [`x${'-'.repeat(MANY)}y`, 'x'],
  [`${'-'.repeat(MANY)}y`, 'y'],
])('the name of a ruleset from %.20s', (own, name) => {
  expect(rulesetNames([own], undefined)).toEqual([name])
})

test.each([
  ['Amount (net)', 'Amount_net'],
  ['__a__', 'a'],
  ['2nd', 'value_2nd'],
  ['_', 'value'],
  [`x${'_'.repeat(MANY)}y`, 'x'],
  [`${'_'.repeat(MANY)}y`, 'y'],
])('the name of a variable from %.20s', (text, name) => {
  expect(plainName(text, 'value')).toBe(name)
})
