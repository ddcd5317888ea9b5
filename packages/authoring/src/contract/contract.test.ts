import type { Value } from '@engine/expression'
import { Compile } from 'typebox/schema'
import { describe, expect, test } from 'vitest'
import { type Contract, decodeContract, hasFittingExample } from './contract.ts'
import { contractSchema } from './json-schema.ts'
import { checkInput } from './contract-use.ts'

const contract = (field: object) =>
  ({
    name: 'c',
    version: '1.0.0',
    input: { fields: [{ name: 'n', type: 'number', required: true, ...field }] },
    outputs: [{ code: 'A', fields: [] }],
  }) as Contract

const problemsOf = (field: object) =>
  decodeContract(contract(field) as unknown as Value).problems.map(({ path, code }) => `${path} ${code}`)

test.each<[string, object, readonly string[]]>([
  ['a decimal', { type: 'decimal', digits: 12, decimals: 2, default: 9.99, enum: [9.99, 5] }, []],
  [
    'a default of too many decimals',
    { type: 'decimal', decimals: 1, default: 9.99 },
    ['/input/fields/0/default bad-default'],
  ],
  ['digits of a number', { digits: 3 }, ['/input/fields/0/digits digits-of-other-type']],
  ['more decimals than digits', { type: 'decimal', digits: 2, decimals: 3 }, ['/input/fields/0/decimals bad-digits']],
  ['a fraction of a digit', { type: 'decimal', digits: 2.5 }, ['/input/fields/0/digits bad-digits']],
  ['a range of one number', { minimum: 5, maximum: 5 }, []],
  ['a range', { minimum: 4, maximum: 5 }, []],
  ['a minimum alone', { minimum: 5 }, []],
  ['a maximum alone', { maximum: -5 }, []],
  ['a range without a number', { minimum: 6, maximum: 5 }, ['/input/fields/0/minimum bad-range']],
  ['a default at the minimum', { minimum: 5, maximum: 6, default: 5 }, []],
  ['a default at the maximum', { minimum: 5, maximum: 6, default: 6 }, []],
  ['a default below the minimum', { minimum: 5, default: 4.999 }, ['/input/fields/0/default bad-default']],
  ['a default above the maximum', { maximum: 6, default: 6.001 }, ['/input/fields/0/default bad-default']],
  ['a default of another type', { default: '5' }, ['/input/fields/0/default bad-default']],
])('%s', (_, field, problems) => expect(problemsOf(field)).toEqual(problems))

describe('a range includes its bounds, in the contract and in its schema', () => {
  const ranged = contract({ minimum: 5, maximum: 7 })
  const validator = Compile(contractSchema(ranged, new Map()))
  test.each<[number, boolean]>([
    [4.999_999, false],
    [5, true],
    [6, true],
    [7, true],
    [7.000_001, false],
  ])('%d: %s', (n, isTaken) => {
    expect(checkInput(ranged, { n }, new Map()).length === 0).toBe(isTaken)
    expect(validator.Check({ n })).toBe(isTaken)
  })
})

test.each([
  ['string', 'text', true],
  ['string', 1, false],
  ['string', null, true],
  ['string', undefined, true],
  ['no type', 1, true],
  ['array<number>', [1, 2], true],
  ['array<number>', [1, '2'], false],
  ['concept:line', { price: 1 }, true],
  ['concept:line', { price: 'x' }, false],
] as const)('an example of the type %s: %j', (type, example, isFitting) => {
  const concepts = new Map([['line', [{ name: 'price', type: 'number' }]]])
  const fact = { name: 'a', type, ...(example !== undefined && { example }) }
  expect(hasFittingExample(fact, concepts)).toBe(isFitting)
})
