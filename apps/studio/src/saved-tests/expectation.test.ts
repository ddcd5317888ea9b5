import { describe, expect, test } from 'vitest'
import { acceptOutcome, expectationOf, type Outcome } from './expectation.ts'

const priced: Outcome = { code: 'PRICED', message: 'Your price', output: { price: 4.9, days: 2 } }
const failed: Outcome = { code: null, message: null, output: null, error: 'no such field' }

describe('a run that is saved as a test', () => {
  test.each([
    [
      'all of it',
      priced,
      ['code', 'message', 'output'],
      { code: 'PRICED', message: 'Your price', output: priced.output },
    ],
    ['only its code', priced, ['code'], { code: 'PRICED' }],
    ['an empty message', { ...priced, message: '' }, ['message'], { message: '' }],
    ['a failure', failed, ['code'], { error: 'no such field' }],
  ] as const)('holds %s', (_title, outcome, parts, held) => {
    expect(expectationOf(outcome, new Set(parts))).toEqual(held)
  })
})

describe('a test whose new result is accepted', () => {
  test.each([
    ['holds the same parts', { code: 'OLD' }, priced, { code: 'PRICED' }],
    ['holds the same fields of the output', { output: { price: 1 } }, priced, { output: { price: 4.9 } }],
    ['holds the whole output where a field is gone', { output: { tax: 1 } }, priced, { output: priced.output }],
    [
      'holds the whole output where it did',
      { output: { price: 1 }, exact: true },
      priced,
      { output: priced.output, exact: true },
    ],
    [
      'keeps its tolerance',
      { output: { price: 1 }, tolerance: 0.1 },
      priced,
      { output: { price: 4.9 }, tolerance: 0.1 },
    ],
    ['drops the path of the old result', { code: 'A', path: ['a', 'b'] }, priced, { code: 'PRICED' }],
    [
      'holds all of the result where it held a path alone',
      { path: ['a'] },
      priced,
      { code: 'PRICED', message: 'Your price', output: priced.output },
    ],
    ['holds the failure that it became', { code: 'PRICED' }, failed, { error: 'no such field' }],
    [
      'holds the decision that a failure became',
      { error: 'no' },
      priced,
      { code: 'PRICED', message: 'Your price', output: priced.output },
    ],
  ] as const)('%s', (_title, old, outcome, held) => {
    expect(acceptOutcome(old, outcome)).toEqual(held)
  })
})
