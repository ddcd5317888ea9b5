import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { decodeMapping, ruleFor } from './mapping.ts'

const RULE = { ruleset: 'r', permit: ['YES'] }
const read = (changes: { readonly [name: string]: Value } = {}) => decodeMapping({ rules: [RULE], ...changes })

test('what a mapping does not state', () => {
  const { rules, ...rest } = read()
  expect(rest).toEqual({
    base: undefined,
    entities: undefined,
    unknownSubject: undefined,
    maxEvaluations: 1000,
    maxCandidates: 100_000,
    context: new Set(['code', 'reason']),
  })
  expect(rules).toMatchObject([
    {
      subjects: undefined,
      actions: undefined,
      resources: undefined,
      ruleset: 'r',
      permit: new Set(['YES']),
      candidates: [],
    },
  ])
})

test('what a mapping states', () => {
  const limits = { max_evaluations: 100_000, max_candidates: 10_000_000 }
  expect(read({ entities: 'e.jsonl', unknown_subject: 'rules', ...limits })).toMatchObject({
    entities: 'e.jsonl',
    unknownSubject: 'rules',
    maxEvaluations: 100_000,
    maxCandidates: 10_000_000,
  })
  expect(read({ max_evaluations: 1, max_candidates: 1 })).toMatchObject({ maxEvaluations: 1, maxCandidates: 1 })
})

test.each<[context: Value, parts: readonly string[]]>([
  [[], []],
  [['output'], ['output']],
  [
    ['reason', 'code'],
    ['code', 'reason'],
  ],
])('the context %j', (context, parts) => {
  expect([...read({ context }).context]).toEqual(parts)
})

describe('the base', () => {
  test.each([
    ['https://pdp.example.com', 'https://pdp.example.com'],
    ['https://pdp.example.com/', 'https://pdp.example.com'],
    ['https://pdp.example.com:8443/a//', 'https://pdp.example.com:8443/a'],
  ])('%s', (base, result) => expect(read({ base }).base).toBe(result))

  test.each([
    'pdp',
    'http://a.example',
    'https://a.example?b',
    'https://a.example/#b',
    'https://u@a.example',
    'https://:p@a.example',
  ])('%s is refused', (base) =>
    expect(() => read({ base })).toThrow('`base` must be an address such as `https://pdp.example.com`'),
  )
})

test.each<[changes: { readonly [name: string]: Value }, message: string]>([
  [{ max_evaluations: 0 }, '`max_evaluations` must be a whole number from 1 to 100000, found `0`'],
  [{ max_evaluations: 100_001 }, '`max_evaluations` must be a whole number from 1 to 100000, found `100001`'],
  [{ max_candidates: 0 }, '`max_candidates` must be a whole number from 1 to 10000000, found `0`'],
  [{ max_candidates: 10_000_001 }, '`max_candidates` must be a whole number from 1 to 10000000, found `10000001`'],
  [{ entities: 5 }, '`entities` must be a string of 1 to 1024 characters'],
  [{ unknown_subject: 'allow' }, '`unknown_subject` must be one of `deny`, `rules`'],
  [{ context: 'code' }, '`context` must be a list of 1 to 1000 strings'],
  [{ context: ['code', 'trace'] }, '`context[1]` must be one of `code`, `reason`, `output`'],
  [{ rules: [{ ...RULE, ruleset: 'a b' }] }, '`rules[0].ruleset` is no name of a ruleset'],
  [{ rules: [RULE, { ruleset: 'r' }] }, '`rules[1].permit` is missing: the result codes that permit'],
  [{ rules: [{ ...RULE, subject: 1 }] }, '`rules[0].subject` must be a string'],
  [{ rules: [{ ...RULE, action: [] }] }, '`rules[0].action` must be a list of 1 to 1000 strings'],
  [{ rules: [{ ...RULE, resource: [''] }] }, '`rules[0].resource[0]` must be a string'],
  [{ rules: [{ ...RULE, actions: ['a', 'a'] }] }, '`rules[0].actions[1]` repeats `a`'],
])('%j is refused', (changes, message) => expect(() => read(changes)).toThrow(message))

describe('the rule of a request', () => {
  const mapping = decodeMapping({
    rules: [
      { ...RULE, ruleset: 'one', subject: 'user', action: 'read', resource: 'door' },
      { ...RULE, ruleset: 'some', subject: ['user', 'robot'], action: ['read', 'write'], resource: ['door', 'gate'] },
      { ...RULE, ruleset: 'any', subject: '*', action: '*', resource: 'record' },
      { ...RULE, ruleset: 'writers', action: 'write' },
    ],
  })
  test.each([
    ['user', 'read', 'door', 'one'],
    ['robot', 'read', 'door', 'some'],
    ['user', 'write', 'gate', 'some'],
    ['guest', 'open', 'record', 'any'],
    ['guest', 'write', 'door', 'writers'],
    ['guest', 'read', 'door', undefined],
    ['user', 'open', 'door', undefined],
    ['user', 'read', 'wall', undefined],
  ])('%s, %s, %s', (subject, action, resource, ruleset) => {
    expect(ruleFor(mapping, subject, action, resource)?.ruleset).toBe(ruleset)
  })
})
