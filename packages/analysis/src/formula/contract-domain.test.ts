import type { ObjectValue } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { assumedDomain, contractDomain, contractText } from './contract-domain.ts'

function ruleset(fields: readonly ObjectValue[], mode = 'enforce'): Ruleset {
  const contract = { name: 'c', version: '1.0.0', input: { fields }, outputs: [] }
  const { ruleset: decoded, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'X', contract: { mode, contract } },
    steps: { X: { id: 'X', type: 'terminal', result: { code: 'X', message: '' } } },
  })
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

const NUMBER = { name: 'n', type: 'number', required: true }

test.each<[title: string, field: ObjectValue, other?: ObjectValue]>([
  ['name', { ...NUMBER, name: 'm' }],
  ['type', { ...NUMBER, type: 'integer' }],
  ['presence', { ...NUMBER, required: false }],
  ['least value', { ...NUMBER, minimum: 2 }, { ...NUMBER, minimum: 3 }],
  ['greatest value', { ...NUMBER, maximum: 2 }, { ...NUMBER, maximum: 3 }],
  ['values', { ...NUMBER, type: 'string', enum: ['a'] }, { ...NUMBER, type: 'string', enum: ['b'] }],
  ['digits', { ...NUMBER, type: 'decimal', digits: 5 }, { ...NUMBER, type: 'decimal', digits: 6 }],
  [
    'decimals',
    { ...NUMBER, type: 'decimal', digits: 5, decimals: 2 },
    { ...NUMBER, type: 'decimal', digits: 5, decimals: 1 },
  ],
])('the text of a contract has the %s', (_title, field, other = NUMBER) => {
  const text = contractText(ruleset([field]))
  expect(text).toBe(contractText(ruleset([field])))
  for (const one of [NUMBER, other]) expect(text).not.toBe(contractText(ruleset([one])))
})

test.each<[field: ObjectValue, domain: object]>([
  [NUMBER, { types: ['number'], required: true, integer: false }],
  [
    { ...NUMBER, required: false },
    { types: ['number', 'null'], required: false, integer: false },
  ],
  [
    { ...NUMBER, type: 'integer' },
    { types: ['number'], required: true, integer: true },
  ],
  [
    { ...NUMBER, type: 'string', enum: ['a'] },
    { types: ['string'], required: true, integer: false, values: ['a'] },
  ],
  [
    { ...NUMBER, minimum: 1 },
    { types: ['number'], required: true, integer: false, minimum: 1 },
  ],
  [
    { ...NUMBER, maximum: 1 },
    { types: ['number'], required: true, integer: false, maximum: 1 },
  ],
  [
    { ...NUMBER, type: 'boolean' },
    { types: ['boolean'], required: true, integer: false },
  ],
  [
    { ...NUMBER, type: 'object' },
    { types: ['object'], required: true, integer: false },
  ],
])('the domain of %j', (field, domain) => {
  const expected = [[field['name'], domain]]
  expect([...contractDomain(ruleset([field]))]).toEqual(expected)
  expect([...contractDomain(ruleset([field], 'warn'))]).toEqual([])
  expect([...assumedDomain(ruleset([field], 'warn'))]).toEqual(expected)
})
