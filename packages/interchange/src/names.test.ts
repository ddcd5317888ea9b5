import { expect, test } from 'vitest'
import { plainName } from './jdm/plain-name.ts'
import { rulesetNames, unusedName, variableName } from './names.ts'

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

test.each([
  ['a', 'a'],
  ['Größe', 'Gro_e'],
  ['é', 'e'],
  ['a  b-c', 'a_b_c'],
  ['1a', '_1a'],
  ['_a', '_a'],
  ['', '_'],
  ['a'.repeat(101), 'a'.repeat(100)],
])('the variable of %.20s', (text, name) => {
  expect(variableName(text, new Set())).toBe(name)
})

test('names that are taken get a number, and are taken then', () => {
  const taken = new Set(['a', 'b-2'])
  expect(['a', 'a', 'b', 'b'].map((name) => unusedName(name, taken))).toEqual(['a-2', 'a-3', 'b', 'b-3'])
  expect(['a', 'a', 'a', 'c'].map((name) => variableName(name, taken))).toEqual(['a_2', 'a_3', 'a_4', 'c'])
  expect([...taken]).toEqual(['a', 'b-2', 'a-2', 'a-3', 'b', 'b-3', 'a_2', 'a_3', 'a_4', 'c'])
})

test.each<readonly [own: readonly string[], given: string | undefined, names: readonly string[]]>([
  [['a'], 'x y', ['x y']],
  [['a', 'b'], 'x', ['x-a', 'x-b']],
  [['a', 'a', 'A b'], undefined, ['a', 'a-2', 'A-b']],
  [['a'.repeat(99) + '--b'], undefined, ['a'.repeat(99)]],
  [[], 'x', []],
])('the rulesets %j with the name %s', (own, given, names) => {
  expect(rulesetNames(own, given)).toEqual(names)
})
