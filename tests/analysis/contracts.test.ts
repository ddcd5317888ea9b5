import { analyze, diff, whyNot } from '@engine/analysis'
import type { Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'

type Field = { readonly [member: string]: Value }

const AGE: Field = { name: 'age', type: 'integer', required: true, minimum: 0 }

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
  ['none and one', [], [AGE], 'unknown'],
  ['another limit', [AGE], [{ ...AGE, minimum: 1 }], 'unknown'],
  ['another type', [AGE], [{ ...AGE, type: 'number' }], 'unknown'],
  ['one more field', [AGE], [AGE, { name: 'name', type: 'string', required: false }], 'unknown'],
])('versions that enforce %s and decide by the same steps', (_, before, after, verdict) => {
  const found = diff(ruleset('age > 5', 'enforce', ...before), ruleset('age > 5', 'enforce', ...after))
  expect(found.verdict).toBe(verdict)
  expect(found.unknown.map(({ place }) => place)).toEqual(verdict === 'unknown' ? ['/config/contract'] : [])
  expect(found.no_new_failure).toBe(verdict === 'unknown' ? 'unknown' : 'proved')
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
