import { TYPE, typeText, type Value } from '@engine/expression'
import { createProgram, decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { testHost } from '../../../ruleset/src/host.testing.ts'
import type { DraftConfig, DraftRuleset, DraftStep } from '../draft/model.ts'
import { typeOfText } from '../engine/static-type.ts'
import { type Contract, decodeContract, type InputField, type Output } from '../contract/contract.ts'
import { convertHeld } from './contract-conversion.ts'

const contractOf = (
  fields: readonly InputField[],
  outputs: readonly Output[] = [{ code: 'OK', fields: [] }],
): Contract => ({
  name: 'x',
  version: '1.0.0',
  input: { fields },
  outputs,
})

const terminal = (output: { readonly [name: string]: string }): DraftStep => ({
  id: 'end',
  type: 'terminal',
  code: 'OK',
  output: Object.entries(output).map(([name, value]) => ({ name, value })),
})
const draftOf = (output: { readonly [name: string]: string }, config: Partial<DraftConfig> = {}): DraftRuleset => ({
  config: { name: 'x', ...config },
  startStepId: 'end',
  steps: [terminal(output)],
})

const held = (draft: DraftRuleset, contract: Contract) =>
  convertHeld(draft, { subRules: new Map(), contract: { contract, concepts: new Map() } })

function decided(draft: DraftRuleset, contract: Contract, input: Value): Value {
  const { ruleset } = decodeRuleset(held(draft, contract).ruleset ?? {})
  if (ruleset === undefined) throw new Error('the engine does not take it')
  return (createProgram(ruleset, testHost()).decide(input) as { readonly output: Value }).output
}

describe('a default of the contract applies where the input has no such field', () => {
  const contract = contractOf([
    { name: 'order.total', type: 'number', required: true, default: 5 },
    { name: 'tier', type: 'string', default: 'gold' },
    { name: 'note', type: 'string' },
  ])
  const draft = draftOf({ total: 'order.total', tier: 'tier', note: 'note' })

  test.each<readonly [Value, Value]>([
    [{}, { total: 5, tier: 'gold', note: null }],
    [{ order: {} }, { total: 5, tier: 'gold', note: null }],
    [
      { order: { total: 0 }, tier: 'silver', note: 'a' },
      { total: 0, tier: 'silver', note: 'a' },
    ],
  ])('%j', (input, output) => expect(decided(draft, contract, input)).toEqual(output))

  test('and one of the draft itself wins, however its path is written', () => {
    const own = draftOf(
      { total: 'order.total', tier: 'tier' },
      { fieldMissing: 'default', defaults: { '$.order.total': 9 } },
    )
    expect(decided(own, contract, {})).toEqual({ total: 9, tier: 'gold' })
  })

  test('a draft that fails where a field is missing still does, with a warning', () => {
    const strict = draftOf({ total: 'order.total', tier: 'tier' }, { fieldMissing: 'strict' })
    expect(held(strict, contract).problems).toMatchObject([
      { path: '/config/fieldMissing', code: 'unused-defaults', severity: 'warning' },
    ])
    expect(() => decided(strict, contract, {})).toThrow(/order/)
  })

  test('defaults of a draft that it does not use stay unused', () => {
    const own = draftOf({ note: 'note' }, { defaults: { note: 'own' } })
    expect(held(own, contract).problems).toMatchObject([
      { path: '/config/defaults', code: 'unused-defaults', severity: 'warning' },
    ])
    expect(decided(own, contract, {})).toEqual({ note: null })
  })

  test('a contract without defaults changes nothing', () => {
    expect(held(draftOf({}), contractOf([])).ruleset).toEqual({
      config: { name: 'x', entry_step: 'end' },
      steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } } },
    })
  })
})

describe('outputs are held to the contract with warnings', () => {
  const contract = contractOf(
    [{ name: 'age', type: 'integer' }],
    [
      {
        code: 'OK',
        fields: [
          { name: 'limit', type: 'number' },
          { name: 'tags', type: 'array<string>' },
        ],
      },
    ],
  )
  test.each<readonly [string, { readonly [name: string]: string }, readonly string[]]>([
    ['all of them', { limit: 'age * 2', tags: '["a"]' }, []],
    ['of a type that is not known', { limit: '$x', tags: 'map([1], v => "a")' }, []],
    ['none', {}, ['/steps/0/output missing-output', '/steps/0/output missing-output']],
    [
      'one that is misspelt',
      { limt: '1', tags: '[]' },
      ['/steps/0/output missing-output', '/steps/0/output/0/name undeclared-output'],
    ],
    ['of another type', { limit: '"a"', tags: '[]' }, ['/steps/0/output/0/value output-type']],
    ['of the type of a field', { limit: '1', tags: 'age' }, ['/steps/0/output/1/value output-type']],
    ['null', { limit: 'null', tags: '[]' }, ['/steps/0/output/0/value output-type']],
  ])('%s', (_title, output, expected) => {
    const found = held(draftOf(output), contract).problems.filter(({ code }) => code.includes('output'))
    expect(found.map(({ path, code }) => `${path} ${code}`)).toEqual(expected)
    expect(found.every(({ severity, step_id }) => severity === 'warning' && step_id === 'end')).toBe(true)
  })

  test('thousands of terminals that lack thousands of outputs are reported in bounded time', () => {
    const fields = Array.from({ length: 5000 }, (_, index) => ({ name: `o${index}`, type: 'number' }))
    const steps = Array.from({ length: 5000 }, (_, index): DraftStep => ({
      id: `t${index}`,
      type: 'terminal',
      code: 'OK',
    }))
    const draft: DraftRuleset = { config: { name: 'x' }, startStepId: 't0', steps }
    const { problems } = held(draft, contractOf([], [{ code: 'OK', fields }]))
    expect(problems.filter(({ code }) => code === 'missing-output').length).toBe(1000)
  })
})

test('whole numbers beyond 2^53 are named as they are', () => {
  const big = 12_345_678_901_234_567_890n
  const wrong = decodeContract({
    name: 'x',
    version: '1.0.0',
    input: {
      fields: [
        { name: 'a', type: 'string', default: big },
        { name: 'b', type: 'boolean', enum: [true, big] },
      ],
    },
    outputs: [],
  })
  expect(wrong.problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
    `/input/fields/0/default the default ${big} does not satisfy the field itself`,
    `/input/fields/1/enum/1 the value ${big} is not of the type \`boolean\` of the field`,
  ])
  const contract = contractOf([{ name: 'a', type: 'integer', enum: [big] }])
  const [problem] = held(draftOf({ b: 'a == 3' }), contract).problems
  expect(problem?.message).toContain(`one of \`${big}\``)
})

test.each([
  ['1 + 2', TYPE.number],
  ['if a then "x" else null', TYPE.string | TYPE.null],
  ['[1]', TYPE.array],
  ['$x', TYPE.any],
  ['1 +', TYPE.any],
  ['', TYPE.any],
])('the type of `%s` is known', (text, type) => {
  expect(typeText(typeOfText(text, undefined))).toBe(typeText(type))
})
