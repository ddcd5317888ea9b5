import { analyze, diff, whyNot } from '@engine/analysis'
import type { Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { compiledProgram, sideOf } from '../../packages/analysis/src/witness/executor.ts'
import { areSame } from '../../packages/analysis/src/witness/trail.ts'
import { chance, pick, type Random, seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'

type Field = { readonly [member: string]: Value }

const AGE: Field = { name: 'age', type: 'integer', required: true, minimum: 0 }

const SIZE: Field = { name: 'size', type: 'string', required: true, enum: ['S', 'M', 'L'] }

function ruleset(condition: string, mode: string, ...fields: readonly Field[]): Ruleset {
  const contract = { name: 'tariff', version: '1.0.0', input: { fields: [...fields] }, outputs: [] }
  const document = {
    config: { name: 'tariff', entry_step: 'start', ...(fields.length > 0 && { contract: { mode, contract } }) },
    steps: {
      start: { id: 'start', type: 'decision', branches: [{ condition, next_step: 'yes' }], default_next: 'no' },
      yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
      no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
    },
  }
  const { ruleset: decoded, problems } = decodeRuleset(document)
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

const findings = (found: Ruleset) => analyze(found).findings.map(({ kind, verdict }) => `${kind}: ${verdict}`)

test.each([
  ['age < 0', 'enforce', [AGE], ['dead_branch: proved', 'unreachable_code: proved']],
  ['age < 0', 'warn', [AGE], ['can_fail: refuted']],
  ['age < 0', 'off', [AGE], ['can_fail: refuted']],
  // An optional field may be null, which is not less than a number.
  ['age < 0', 'enforce', [{ ...AGE, required: false }], ['dead_branch: proved']],
  ['is_null(age)', 'enforce', [{ ...AGE, required: false }], []],
  ['is_null(age)', 'enforce', [AGE], ['dead_branch: proved', 'unreachable_code: proved']],
])('%s under a contract in mode %s of %j', (condition, mode, fields, expected) => {
  expect(findings(ruleset(condition, mode, ...fields))).toEqual(expect.arrayContaining(expected))
  if (expected.length === 0 || !expected.includes('dead_branch: proved'))
    expect(findings(ruleset(condition, mode, ...fields))).not.toContain('dead_branch: proved')
})

test.each([
  ['the same contract', [AGE], [AGE], 'equivalent'],
  ['none and one', [], [AGE], 'different', 'refuted'],
  ['one and none', [AGE], [], 'different', 'proved'],
  ['another limit', [AGE], [{ ...AGE, minimum: 1 }], 'different', 'refuted'],
  ['a wider limit', [{ ...AGE, minimum: 1 }], [AGE], 'different', 'proved'],
  ['another type', [AGE], [{ ...AGE, type: 'string' }], 'different', 'refuted'],
  ['one more field', [AGE], [AGE, { name: 'name', type: 'string', required: false }], 'different', 'refuted'],
  ['fewer values', [SIZE], [{ ...SIZE, enum: ['S', 'M'] }], 'different', 'refuted'],
  ['the same in other words', [SIZE], [{ ...SIZE, enum: ['L', 'S', 'M'] }], 'equivalent', 'proved'],
])('versions that enforce %s and decide by the same steps', (_, before, after, verdict, noNewFailure = 'proved') => {
  const found = diff(ruleset('age > 5', 'enforce', ...before), ruleset('age > 5', 'enforce', ...after))
  expect({ verdict: found.verdict, no_new_failure: found.no_new_failure, unknown: found.unknown }).toEqual({
    verdict,
    no_new_failure: noNewFailure,
    unknown: [],
  })
  // A refusal is a result.
  const codes = found.regions.flatMap((one) =>
    [one.before, one.after].map((side) => ('error' in side ? side.error.code : '')),
  )
  expect(codes.includes('INVALID_INPUT')).toBe(verdict === 'different')
})

/** A random field `age` of a contract. */
function randomField(random: Random): Field {
  const type = pick(random, ['string', 'number', 'integer', 'boolean', 'any', 'object', 'array<string>', 'decimal'])
  const isNumeric = ['number', 'integer', 'decimal'].includes(type)
  const values = isNumeric ? [1, 2, 6] : ['S', 'M', '']
  return {
    name: 'age',
    type,
    required: chance(random, 0.5),
    ...(isNumeric && chance(random, 0.5) && { minimum: pick(random, [0, 1, 2.5]) }),
    ...(isNumeric && chance(random, 0.5) && { maximum: pick(random, [5, 6, 7.5]) }),
    ...((isNumeric || type === 'string') && chance(random, 0.3) && { enum: values.filter(() => chance(random, 0.7)) }),
  }
}

const AGES: readonly (Value | undefined)[] = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  1,
  2,
  2.5,
  5,
  5.5,
  6,
  6.5,
  7,
  8,
  '',
  'S',
  'M',
  'x',
  [],
  ['S'],
  [1],
  {},
  { a: 1 },
]

const PAIRS = casesOf(400)

test(`no input contradicts the verdicts about ${PAIRS} pairs of contracts`, () => {
  printSeed(PAIRS)
  const random = seededRandom(SEED)
  const counts = { equivalent: 0, different: 0, unknown: 0 }
  for (let count = 0; count < PAIRS; count++) {
    const fields = [randomField(random), randomField(random)].filter(
      (field) => field['enum'] === undefined || (field['enum'] as readonly Value[]).length > 0,
    )
    const [first = AGE, second = first] = fields
    const [before, after] = [first, second].map((field) => ruleset('is_number(age) && age > 5', 'enforce', field))
    if (before === undefined || after === undefined) throw new Error('two versions')
    const found = diff(before, after)
    counts[found.verdict]++
    const sides = (age: Value | undefined) =>
      [before, after].map((one) => sideOf(compiledProgram(one), age === undefined ? {} : { age }, 0))
    for (const age of AGES) {
      const [old, young] = sides(age)
      if (old === undefined || young === undefined || areSame(old, young)) continue
      const about = JSON.stringify({ age, first, second })
      expect(found.verdict, about).not.toBe('equivalent')
      if (!('error' in old) && 'error' in young) expect(found.no_new_failure, about).not.toBe('proved')
    }
  }
  console.log(counts)
  expect(counts.unknown).toBeLessThan(PAIRS / 4)
})

test('contracts with defaults are not compared', () => {
  const other = { ...AGE, default: 3 }
  const found = diff(ruleset('age > 5', 'enforce', AGE), ruleset('age > 5', 'enforce', other))
  expect(found.unknown.map(({ place }) => place)).toContain('/config/contract')
  expect(found.verdict).not.toBe('equivalent')
})

test('versions whose difference the contract excludes are equivalent', () => {
  const versions = ['age > -5', 'age > -3'] as const
  const [before, after] = versions.map((condition) => ruleset(condition, 'enforce', AGE))
  const [open, closed] = versions.map((condition) => ruleset(condition, 'off', AGE))
  if (before === undefined || after === undefined || open === undefined || closed === undefined) throw new Error()
  expect(diff(before, after).verdict).toBe('equivalent')
  expect(diff(open, closed).verdict).toBe('different')
})

test('a counterfactual keeps the contract', () => {
  const found = whyNot(ruleset('age < 0 || age > 64', 'enforce', AGE), { age: 3 }, { code: 'YES' })
  expect(found).toMatchObject({ changes: [{ path: 'age', to: 65 }] })
})
