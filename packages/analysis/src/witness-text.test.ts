import { expect, test } from 'vitest'
import type { Witness } from './verdict.ts'
import { witnessOf } from './witness-of.ts'
import { witnessText } from './witness-text.ts'

const CALL = { service: 's', method: 'm', parameters: { p: 1 } }

test.each<[Witness, string]>([
  [{ input: { n: 1 } }, '{"n":1}'],
  [{ input: {}, now: 5 }, '{} at 5 ms'],
  [{ input: {}, now: 0 }, '{} at 0 ms'],
  [{ input: {}, stubs: [] }, '{}'],
  [{ input: {}, stubs: [CALL] }, '{}, where s.m({"p":1}) fails'],
  [{ input: {}, stubs: [{ ...CALL, answer: { payload: 7, metadata: {} } }] }, '{}, where s.m({"p":1}) answers 7'],
  [
    { input: {}, now: 1, stubs: [{ ...CALL, answer: { payload: 7, metadata: { k: 'v' } } }, CALL] },
    '{} at 1 ms, where s.m({"p":1}) answers 7 with {"k":"v"} and s.m({"p":1}) fails',
  ],
] as never)('%j in words: %s', (witness, text) => {
  expect(witnessText(witness)).toBe(text)
})

test.each([
  [{ input: { n: 1 } }, { input: { n: 1 } }],
  [
    { input: {}, now: 0 },
    { input: {}, now: 0 },
  ],
])('the witness of the candidate %j has no member more', (candidate, witness) => {
  expect(witnessOf(candidate)).toStrictEqual(witness)
})
