import { expect, test } from 'vitest'
import { decodeRuleset } from './decode.ts'
import { inputUse } from './input-use.ts'
import { inputsOf } from './inputs.ts'
import type { Ruleset } from './model.ts'

function rulesetOf(conditions: readonly string[], contract?: object): Ruleset {
  const { ruleset } = decodeRuleset({
    config: { name: 'r', entry_step: 'a', ...(contract && { contract: { mode: 'enforce', contract } }) },
    steps: {
      a: {
        id: 'a',
        type: 'decision',
        branches: conditions.map((condition) => ({ condition, next_step: 'b' })),
        default_next: 'c',
      },
      b: { id: 'b', type: 'terminal', result: { code: 'YES', message: '', output: [['n', 'extra.n']] } },
      c: { id: 'c', type: 'terminal', result: { code: 'NO', message: '' } },
    },
  } as never)
  return ruleset as Ruleset
}

const RULES = rulesetOf(['age >= 18 && country in ["DE", "FR"]', 'customer.tier == "gold"', '-1 < items[0].price'])

test.each([
  [{ aeg: 20, country: 'DE' }, ['a', 'c'], { age: 'aeg', 'customer.tier': null, items: null }, { aeg: 'age' }],
  [
    { age: 1, country: 'DE', customer: { teir: 'gold' }, items: [] },
    ['a', 'c'],
    { 'customer.tier': 'customer.teir' },
    { 'customer.teir': 'customer.tier' },
  ],
  // Also by a field that only other steps read.
  [
    { age: 1, country: 'DE', custmer: { tier: 'gold' }, items: [], extr: 1 },
    ['a', 'c'],
    { 'customer.tier': 'custmer' },
    { custmer: 'customer', extr: 'extra' },
  ],
  [{ age: 1, country: 'DE', customer: { tier: null }, items: 1 }, ['a', 'b'], { 'extra.n': null }, {}],
  [{ age: 1, country: 'DE', customer: { tier: null }, items: 1 }, ['a', 'c'], {}, {}],
])('the fields of %j that are missing and unread after %j', (input, visited, missing, unread) => {
  const found = inputUse(RULES, visited, input)
  const pairs = (fields: typeof found.read_but_missing) =>
    Object.fromEntries(fields.map(({ field, nearest }) => [field, nearest]))
  expect([pairs(found.read_but_missing), pairs(found.given_but_unread)]).toEqual([missing, unread])
})

test('at most 100 fields are listed, and none where a rule reads the whole input', () => {
  const input = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]))
  expect(inputUse(RULES, ['a'], input).given_but_unread).toHaveLength(100)
  expect(inputUse(rulesetOf(['len($) > 1']), ['a'], input).given_but_unread).toEqual([])
})

test('the inputs of a ruleset have the types of the constants that they are compared with', () => {
  expect(inputsOf(RULES)).toEqual({
    fields: [
      { path: 'age', types: ['number'], required: false, steps: ['a'] },
      { path: 'country', types: ['string'], required: false, steps: ['a'] },
      { path: 'customer.tier', types: ['string'], required: false, steps: ['a'] },
      { path: 'extra.n', types: [], required: false, steps: ['b'] },
      { path: 'items[0].price', types: ['number'], required: false, steps: ['a'] },
    ],
    codes: ['NO', 'YES'],
  })
})

test('a contract names types and required fields, also of fields that no step reads', () => {
  const contract = {
    name: 'r',
    version: '1.0.0',
    input: {
      fields: [
        { name: 'age', type: 'integer', required: true },
        { name: 'note', type: 'string' },
      ],
    },
    outputs: [],
  }
  expect(inputsOf(rulesetOf(['age > 1'], contract)).fields).toEqual([
    { path: 'age', types: ['integer'], required: true, steps: ['a'] },
    { path: 'extra.n', types: [], required: false, steps: ['b'] },
    { path: 'note', types: ['string'], required: false, steps: [] },
  ])
})
