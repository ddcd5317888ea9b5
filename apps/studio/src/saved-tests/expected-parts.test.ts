import { expect, test } from 'vitest'
import { expectedParts } from './expected-parts.ts'

const outcome = { code: 'PRICED', message: 'ok', output: { price: 18, carrier: 'Post' }, error: undefined }

test.each([
  ['only what the test expects', { code: 'PRICED' }, [['code', undefined, true]]],
  [
    'another code and message',
    { code: 'NONE', message: 'no' },
    [
      ['code', undefined, false],
      ['message', undefined, false],
    ],
  ],
  [
    'the output field by field',
    { output: { price: 18, days: 2 } },
    [
      ['output', 'price', true],
      ['output', 'days', false],
    ],
  ],
  [
    'further fields where none are allowed',
    { output: { price: 18 }, exact: true },
    [
      ['output', 'price', true],
      ['output', 'carrier', false],
    ],
  ],
  ['an expected null, which is not a missing field', { output: { days: null } }, [['output', 'days', false]]],
  ['an output that is no object as a whole', { output: 7 }, [['output', undefined, false]]],
])('shows %s', (_what, expected, parts) => {
  const found = expectedParts(expected, outcome)
  expect(found.map(({ part, field, isSame }) => [part, field, isSame])).toEqual(parts)
})

test('compares with nothing where the decision failed', () => {
  const failed = { code: null, message: null, output: null, error: 'no row matches' }
  expect(expectedParts({ code: 'PRICED', output: { price: 1 } }, failed).map(({ got }) => got)).toEqual([
    undefined,
    undefined,
  ])
})
