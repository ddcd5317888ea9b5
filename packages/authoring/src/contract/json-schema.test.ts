import { stringifyJson } from '@engine/expression'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Compile } from 'typebox/schema'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { seededRandom } from '../../../ruleset/src/random.testing.ts'
import { contractSchema } from './json-schema.ts'
import { contractOpenApi } from './openapi.ts'
import { CONCEPTS, randomContract, randomInput } from './random-contract.testing.ts'
import { checkInput } from './contract-use.ts'

const CONTRACTS = casesOf(2000)
const INPUTS_EACH = 10

const ajv = new Ajv2020({ strict: false })

test(`JSON Schema accepts the inputs that the contract accepts: ${CONTRACTS} random contracts`, () => {
  printSeed(CONTRACTS)
  const random = seededRandom(SEED)
  const seen = { taken: 0, refused: 0 }
  for (let count = 0; count < CONTRACTS; count++) {
    const contract = randomContract(random)
    const schema = contractSchema(contract, CONCEPTS)
    const validator = Compile(schema)
    expect(ajv.validateSchema(schema), stringifyJson(schema)).toBe(true)
    for (let round = 0; round < INPUTS_EACH; round++) {
      const input = randomInput(random)
      const problems = checkInput(contract, input, CONCEPTS)
      if (validator.Check(input) !== (problems.length === 0))
        throw new Error(stringifyJson({ problems: JSON.stringify(problems), input, contract, schema }))
      seen[problems.length === 0 ? 'taken' : 'refused']++
    }
  }
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan((CONTRACTS * INPUTS_EACH) / 50)
}, 600_000)

test.each([
  ['no outputs', { outputs: [] }, '#/$defs/decision'],
  ['no outputs and no fields', { outputs: [], input: { fields: [] } }, '#/$defs/decision'],
  ['a list of no values', { input: { fields: [{ name: 'a', type: 'string', required: true, enum: [] }] } }, '#'],
])('a contract with %s has a schema that validators compile, and that accepts nothing there', (_what, parts, at) => {
  const contract = {
    name: 'c',
    version: '1.0.0',
    input: { fields: [] },
    outputs: [{ code: 'A', fields: [] }],
    ...parts,
  }
  const schema = contractSchema(contract, CONCEPTS)
  const check = new Ajv2020({ strict: false }).addSchema(schema, 'c').getSchema(`c${at}`)
  const answer = { code: 'A', message: '', output: {} }
  expect([check?.(answer), check?.({ ...answer, a: 'x' })]).toEqual([false, false])
})

test('the schema describes each field, and has only the concepts that it reaches', () => {
  const field = { name: 'at', type: 'concept:tree', description: 'the place', sensitive: true, default: {} }
  const contract = {
    name: 'c',
    version: '1.2.0',
    description: 'of the bank',
    input: { fields: [field] },
    outputs: [{ code: 'YES', fields: [{ name: 'limit', type: 'number' }] }],
  }
  const unused = new Map([...CONCEPTS, ['unused', []]])
  const { $defs, ...schema } = contractSchema(contract, unused)
  expect(schema).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'c',
    description: 'of the bank',
    'x-contract-version': '1.2.0',
    type: 'object',
    properties: {
      at: {
        anyOf: [{ $ref: '#/$defs/concept.tree' }, { type: 'null' }],
        description: 'the place',
        default: {},
        'x-sensitive': true,
      },
    },
  })
  expect(Object.keys($defs as object)).toEqual(['decision', 'concept.point', 'concept.tree'])
  const decision = Compile({ $defs, $ref: '#/$defs/decision' } as object)
  const answer = { code: 'YES', message: '', output: { limit: 1 } }
  expect(decision.Check(answer)).toBe(true)
  for (const wrong of [{ code: 'NO' }, { output: {} }, { output: { limit: 'x' } }])
    expect(decision.Check({ ...answer, ...wrong })).toBe(false)
})

test('a decimal is a number whose digits are an extension', () => {
  const field = { name: 'amount', type: 'decimal', required: true, digits: 12, decimals: 2 }
  const { properties } = contractSchema(
    { name: 'c', version: '1.0.0', input: { fields: [field] }, outputs: [] },
    CONCEPTS,
  )
  expect(properties).toEqual({ amount: { type: 'number', 'x-digits': 12, 'x-decimals': 2 } })
})

test('OpenAPI has the same schemas, and every reference leads somewhere', () => {
  const random = seededRandom(SEED)
  for (let count = 0; count < 50; count++) {
    const contract = randomContract(random)
    const document = contractOpenApi(contract, CONCEPTS)
    const text = stringifyJson(document)
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(text, name).toContain(`"${decodeURIComponent(name)}":{`)
    const { components } = document as { components: { schemas: object } }
    const validator = Compile({ components, $ref: '#/components/schemas/Input' } as object)
    const input = randomInput(random)
    expect(validator.Check(input)).toBe(checkInput(contract, input, CONCEPTS).length === 0)
  }
})
