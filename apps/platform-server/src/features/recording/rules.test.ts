import { expect, test } from 'vitest'
import { type RecordedRuleset, rulesFor } from './rules.ts'

const RECORDED: RecordedRuleset = {
  tenant: 'e',
  name: 'offer@candidate',
  ruleset: 'offer',
  project: 'p',
  environment: 'e',
  rate: 0.25,
  mask: ['card.number', 'name'],
  answers: false,
}
const RULE = { tenant: 'e', name: 'offer@candidate', rate: 0.25, mask: ['card.number', 'name'] }

test.each<readonly [string, Partial<RecordedRuleset>, object]>([
  ['the name on the engine, the rate and the masked fields', {}, RULE],
  ['no tenant on an engine without tenants', { tenant: null }, { ...RULE, tenant: null }],
  ['that answers of external calls are recorded', { answers: true }, { ...RULE, answers: true }],
])('a rule for an engine has %s', (_, more, rule) => {
  expect(rulesFor([{ ...RECORDED, ...more }]).rules).toEqual([rule])
})

test.each<readonly [string, Partial<RecordedRuleset>]>([
  ['tenant', { tenant: null }],
  ['name', { name: 'offer' }],
  ['rate', { rate: 0.5 }],
  ['mask', { mask: ['name'] }],
  ['answers', { answers: true }],
])('the tag changes with the %s', (_, more) => {
  expect(rulesFor([{ ...RECORDED, ...more }]).tag).not.toBe(rulesFor([RECORDED]).tag)
})

test('the tag does not change with the owner of the decisions, which engines do not have', () => {
  const other = { ...RECORDED, project: 'q', ruleset: 'other', environment: 'f' }
  expect(rulesFor([other])).toEqual(rulesFor([RECORDED]))
})
