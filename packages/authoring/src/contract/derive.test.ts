import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { convertDraft } from '../convert/convert.ts'
import type { DraftRuleset, TerminalStep } from '../draft/model.ts'
import { deriveContract } from './derive.ts'
import { declaredFields } from './declared-fields.ts'

const DRAFT: DraftRuleset = {
  config: { name: 'loan', fieldMissing: 'default', defaults: { tier: 'silver' } },
  startStepId: 'd',
  steps: [
    {
      id: 'd',
      type: 'decision',
      branches: [
        { id: '1', condition: 'user.age >= 18 && tier in ["gold", "silver"]', nextStepId: 'a' },
        { id: '2', condition: 'vip == true || len(items[0].price) > 1 || note == note2', nextStepId: 'no' },
      ],
      defaultNextStepId: 'no',
    },
    { id: 'a', type: 'action', assignments: [{ name: 'rate', value: 'base * 2' }], nextStepId: 'yes' },
    {
      id: 'yes',
      type: 'terminal',
      code: 'YES',
      output: [
        { name: 'limit', value: 'base' },
        { name: 'rate', value: '$rate' },
        { name: 'kind', value: '"a"' },
      ],
    },
    { id: 'no', type: 'terminal', code: 'NO' },
  ],
}

const derived = (samples: Parameters<typeof deriveContract>[1], draft = DRAFT) => {
  const decoded = decodeRuleset(convertDraft(draft).ruleset ?? {}).ruleset
  if (decoded === undefined) throw new Error('the draft of the test has problems')
  return deriveContract(decoded, samples)
}

/** A draft of one condition, both of whose ways lead to the same end. */
const branching = (condition: string, output?: TerminalStep['output']): DraftRuleset => ({
  config: { name: 'd' },
  startStepId: 's',
  steps: [
    {
      id: 's',
      type: 'decision',
      branches: [{ id: 'b', condition, nextStepId: 'end' }],
      defaultNextStepId: 'end',
    },
    { id: 'end', type: 'terminal', code: 'DONE', ...(output && { output }) },
  ],
})

test('a contract has the fields that a ruleset reads and the codes that it gives', () => {
  expect(derived([])).toEqual({
    name: 'loan',
    version: '1.0.0',
    input: {
      fields: [
        { name: 'base', type: 'number' },
        { name: 'items', type: 'array<any>' },
        { name: 'note', type: 'any' },
        { name: 'note2', type: 'any' },
        { name: 'tier', type: 'string', default: 'silver' },
        { name: 'user.age', type: 'number' },
        { name: 'vip', type: 'boolean' },
      ],
    },
    outputs: [
      {
        code: 'YES',
        fields: [
          { name: 'limit', type: 'number' },
          { name: 'rate', type: 'any' },
          { name: 'kind', type: 'string' },
        ],
      },
      { code: 'NO', fields: [] },
    ],
  })
})

test('samples add required fields and types that expressions leave open', () => {
  const samples = [
    { user: { age: 1 }, base: 1.5, items: [{ price: 1 }], note: 'x', vip: 1 },
    { user: { age: 2 }, base: 2, items: [], note: null, vip: true },
  ]
  const fields = new Map(derived(samples).input.fields.map(({ name, ...field }) => [name, field]))
  expect(fields.get('user.age')).toEqual({ type: 'number', required: true })
  expect(fields.get('items')).toEqual({ type: 'array<object>', required: true })
  expect(fields.get('note')).toEqual({ type: 'string' })
  // The rule and a sample contradict each other.
  expect(fields.get('vip')).toEqual({ type: 'any', required: true })
  expect(fields.get('tier')).toEqual({ type: 'string', default: 'silver' })
})

test('the ruleset satisfies the contract that is derived from it', () => {
  const { problems } = convertDraft(DRAFT, { fields: declaredFields(derived([])) })
  expect(problems).toEqual([])
})

test.each<[condition: string, type: string]>([
  ['x - 1 > y', 'number'],
  ['x * 2 > y', 'number'],
  ['x / 2 > y', 'number'],
  ['x % 2 > y', 'number'],
  ['1 - x > y', 'number'],
  ['x == "a"', 'string'],
  ['x != true', 'boolean'],
  ['x < 5', 'number'],
  ['x <= 5', 'number'],
  ['x > 5', 'number'],
  ['5 >= x', 'number'],
  ['x in ["a"]', 'string'],
  ['x not in [1]', 'number'],
  ['x && y == 1', 'boolean'],
  ['x == y', 'any'],
])('in the condition %s the field has the type %s', (condition, type) => {
  const { fields } = derived([], branching(condition)).input
  expect(fields.find(({ name }) => name === 'x')?.type).toBe(type)
})

test.each<[value: string, type: string]>([
  ['"a"', 'string'],
  ['5', 'number'],
  ['amount - 1', 'number'],
  ['amount * 2', 'number'],
  ['amount / 2', 'number'],
  ['amount % 2', 'number'],
  ['amount', 'number'],
  ['amount + 1', 'any'],
  ['unknown', 'any'],
])('the output %s has the type %s', (value, type) => {
  const draft = branching('amount > 1', [{ name: 'o', value }])
  expect(derived([], draft).outputs).toEqual([{ code: 'DONE', fields: [{ name: 'o', type }] }])
})
