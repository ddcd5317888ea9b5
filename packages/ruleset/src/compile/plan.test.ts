import { LENIENT, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { decoded, documentWith } from '../decode/document.testing.ts'
import { planOf } from './plan.ts'
import { isTooLarge } from './size-limit.ts'

const decision = (count: number, condition: (index: number) => string): Value =>
  documentWith({
    steps: {
      first: {
        id: 'first',
        type: 'decision',
        branches: Array.from({ length: count }, (_, index) => ({ condition: condition(index), next_step: 'end' })),
        default_next: 'end',
      },
    },
  })

test.each<[what: string, document: Value, large: boolean]>([
  ['a few branches', decision(10, (index) => `len(x) > ${index}`), false],
  ['many branches that an index finds', decision(19_000, (index) => `x == ${index}`), false],
  ['many branches, each about a path of its own', decision(19_000, (index) => `x${index} == 1`), true],
  ['many branches that no index finds', decision(19_000, (index) => `len(x) > ${index}`), true],
  ['a few large conditions', decision(10, () => `a${' || b'.repeat(4000)}`), true],
])('whether code is generated for %s', (_what, document, large) => {
  expect(isTooLarge(planOf(decoded(document), LENIENT))).toBe(large)
})
