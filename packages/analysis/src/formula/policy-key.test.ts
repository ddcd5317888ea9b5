import { type EvaluationPolicy, LENIENT } from '@engine/expression'
import { expect, test } from 'vitest'
import { keyOf } from './policy-key.ts'

const defaults = (entries: readonly (readonly [string, number])[]): EvaluationPolicy => ({
  ...LENIENT,
  mode: 'default',
  defaults: new Map(entries),
})

test.each<[what: string, one: EvaluationPolicy, other: EvaluationPolicy, isSame: boolean]>([
  ['the same', LENIENT, { ...LENIENT }, true],
  ['another mode', LENIENT, { ...LENIENT, mode: 'strict' }, false],
  ['decimals', LENIENT, { ...LENIENT, numbers: 'decimal' }, false],
  ['defaults that the mode does not read', LENIENT, { ...LENIENT, defaults: new Map([['a', 1]]) }, true],
  ['other defaults', defaults([['a', 1]]), defaults([['a', 2]]), false],
  [
    'defaults in another order',
    defaults([
      ['a', 1],
      ['b', 2],
    ]),
    defaults([
      ['b', 2],
      ['a', 1],
    ]),
    true,
  ],
])('a policy with %s has the same key: %#', (_what, one, other, isSame) => {
  expect(keyOf(one) === keyOf(other)).toBe(isSame)
  expect(keyOf(one)).toBe(keyOf(one))
})
