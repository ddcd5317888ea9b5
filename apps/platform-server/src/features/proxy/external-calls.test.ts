import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { callsOf, makesNoExternalCalls } from './external-calls.ts'

const EXTERNAL: Value = { action: 'external_call', service: 's', method: 'm' }
const calling = (name: string): Value => ({ action: 'call_ruleset', ruleset_name: name })

test.each<[string, Value, boolean, readonly string[]]>([
  ['a step', { steps: { a: { actions: [EXTERNAL] } } }, true, []],
  ['a branch', { steps: { a: { branches: [{ actions: [EXTERNAL] }] } } }, true, []],
  ['a sub-rule', { steps: {}, sub_rules: { s: { steps: { a: { actions: [EXTERNAL] } } } } }, true, []],
  ['a call', { steps: { a: { actions: [calling('b'), calling('c')] } } }, false, ['b', 'c']],
  ['the older word', { steps: { a: { actions: [{ action: 'call_rule_set', ruleset_name: 'b' }] } } }, false, ['b']],
  ['a text', { steps: { a: { actions: [{ action: 'log', message: 'external_call' }] } } }, false, []],
])('actions in %s are found', (_, document, isExternal, rulesets) => {
  expect(callsOf(document)).toEqual({ isExternal, rulesets: new Set(rulesets) })
})

const known = new Map(
  Object.entries({
    plain: callsOf({}),
    external: callsOf({ steps: { a: { actions: [EXTERNAL] } } }),
    over: callsOf({ steps: { a: { actions: [calling('external')] } } }),
    cycle: callsOf({ steps: { a: { actions: [calling('cycle')] } } }),
    gone: callsOf({ steps: { a: { actions: [calling('nowhere')] } } }),
  }),
)
const contents = new Map(
  Object.entries({
    plain: ['plain'],
    external: ['external'],
    over: ['over'],
    cycle: ['cycle'],
    gone: ['gone'],
    unknown: ['unread'],
    changing: ['plain', 'external'],
  }),
)
test.each([
  ['plain', true],
  ['cycle', true],
  ['external', false],
  ['over', false],
  ['gone', false],
  ['unknown', false],
  ['changing', false],
  ['local', false],
])('`%s` may be executed twice: %s', (ruleset, may) => {
  expect(makesNoExternalCalls({ of: (digest) => known.get(digest) }, contents, ruleset)).toBe(may)
})
