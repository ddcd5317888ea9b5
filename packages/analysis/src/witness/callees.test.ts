import { analyze, diff, replay } from '@engine/analysis'
import { decodeRuleset, type RulesetDocument } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { type Callees, NO_CALLEES, RulesetCalls } from './callees.ts'
import type { Answers } from './stubs.ts'

function decoded(document: RulesetDocument) {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

const end = (code: string, output: readonly (readonly [string, string])[] = []) => ({
  id: code,
  type: 'terminal',
  result: { code, message: '', output: output.map((one) => [...one]) },
})

/** A ruleset of one decision. */
const deciding = (name: string, condition: string) =>
  decoded({
    config: { name, entry_step: 'd' },
    steps: {
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'YES' }], default_next: 'NO' },
      YES: end('YES', [['half', 'n / 2']]),
      NO: end('NO'),
    },
  })

/** Calls `limit`, and decides by its result. */
const asking = (condition: string, mapping = '{"n": amount}') =>
  decoded({
    config: { name: 'asking', entry_step: 'ask' },
    steps: {
      ask: {
        id: 'ask',
        type: 'action',
        actions: [{ action: 'call_ruleset', ruleset_name: 'limit', input_mapping: mapping, result_variable: 'answer' }],
        next_step: 'd',
      },
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'A' }], default_next: 'B' },
      A: end('A', [['half', '$answer.output.half']]),
      B: end('B'),
    },
  })

const LIMIT = new Map([['limit', deciding('limit', 'n >= 10')]])

test('a claim that needs the answer of a called ruleset is shown with it, and unknown without', () => {
  const ruleset = asking('$answer.code == "YES"')
  const seeds = [{ amount: 4 }, { amount: 20 }]
  const unknown = (callees?: typeof LIMIT) =>
    analyze(ruleset, { seeds, ...(callees && { callees }) })
      .findings.filter(({ verdict, kind }) => verdict === 'unknown' && kind !== 'can_fail')
      .map(({ kind, place }) => `${kind} ${place}`)
  expect(unknown(LIMIT)).toEqual([])
  expect(unknown()).toContain('dead_branch /steps/d/branches/0')
})

test('an error of a called ruleset is an error of the caller', () => {
  const failing = analyze(asking('true'), { seeds: [{ amount: 'much' }], callees: LIMIT }).findings
  expect(failing.find(({ kind, place }) => kind === 'can_fail' && place === '/steps/ask')).toMatchObject({
    verdict: 'refuted',
    error: 'wrong-type',
    witness: { input: { amount: 'much' } },
  })
  const noObject = analyze(asking('true', 'amount'), { seeds: [{ amount: 1 }], callees: LIMIT }).findings
  expect(noObject.map(({ error }) => error)).toContain('call-input')
})

test('versions of which only one calls a ruleset are not proved equal', () => {
  const without = decoded({ config: { name: 'asking', entry_step: 'A' }, steps: { A: end('A') } })
  const calling = decoded({
    config: { name: 'asking', entry_step: 'ask' },
    steps: {
      ask: {
        id: 'ask',
        type: 'action',
        actions: [{ action: 'call_ruleset', ruleset_name: 'limit', result_variable: 'answer' }],
        next_step: 'A',
      },
      A: end('A'),
    },
  })
  expect(diff(without, calling).verdict).toBe('unknown')
  const found = diff(without, calling, { callees: LIMIT, seeds: [{ n: 'much' }] })
  expect(found.regions).toMatchObject([{ before: { code: 'A' }, after: { error: { code: 'wrong-type' } } }])
  expect(diff(calling, calling).verdict).toBe('equivalent')
})

test('recorded decisions are made again with called rulesets', () => {
  const [before, after] = [asking('$answer.code == "YES"'), asking('$answer.code == "NO"')]
  const records = [{ input: { amount: 4 } }, { input: { amount: 20 } }]
  expect(replay(before, after, records, LIMIT)).toMatchObject({ replayed: 2, changed: 2 })
  expect(replay(before, after, records)).toMatchObject({ replayed: 0, not_replayed: [{ count: 2 }] })
})

test('rulesets that call each other in a circle fail with the error of engines', () => {
  const ruleset = asking('true')
  const circle = new Map([
    [
      'limit',
      decoded({
        config: { name: 'limit', entry_step: 'c' },
        steps: {
          c: {
            id: 'c',
            type: 'action',
            actions: [{ action: 'call_ruleset', ruleset_name: 'asking', result_variable: 'r' }],
            next_step: 'E',
          },
          E: end('E'),
        },
      }),
    ],
    ['asking', ruleset],
  ])
  const found = analyze(ruleset, { seeds: [{ amount: 1 }], callees: circle }).findings
  expect(found.map(({ error }) => error)).toContain('call-cycle')
})

/** Ends with the answer of a service. */
const SERVED = decoded({
  config: { name: 'served', entry_step: 'ask' },
  steps: {
    ask: {
      id: 'ask',
      type: 'action',
      actions: [
        { action: 'external_call', service: 's', method: 'm', params: [['k', 'n']], result_variable: 'answer' },
      ],
      next_step: 'A',
    },
    A: end('A', [
      ['payload', '$answer.payload'],
      ['metadata', '$answer.metadata'],
      ['time', 'now_millis()'],
    ]),
  },
})

const answering = (answer: { payload?: number; metadata?: { m: number } } | undefined): Answers => ({
  take: (service, method, parameters) => {
    expect([service, method, parameters]).toEqual(['s', 'm', { k: 4 }])
    return { service, method, parameters, ...(answer && { answer }) }
  },
})

const SERVING: Callees = new Map([
  ['served', SERVED],
  ['limit', deciding('limit', 'n >= 10')],
])
const output = (payload: number | null, metadata = {}) => ({ payload, metadata, time: 9 })

test.each<
  [title: string, name: string, input: unknown, callees: Callees, answers: Answers | undefined, found: unknown]
>([
  ['a decision', 'limit', { n: 12 }, SERVING, undefined, { value: { code: 'YES', message: '', output: { half: 6 } } }],
  ['an error', 'limit', { n: 'x' }, SERVING, undefined, { error: 'wrong-type' }],
  ['no object', 'limit', [1], SERVING, undefined, { error: 'call-input' }],
  ['a ruleset that is not there', 'limit', { n: 12 }, NO_CALLEES, undefined, undefined],
  [
    'an answer',
    'served',
    { n: 4 },
    SERVING,
    answering({ payload: 7, metadata: { m: 1 } }),
    { value: { code: 'A', message: '', output: output(7, { m: 1 }) } },
  ],
  [
    'an empty answer',
    'served',
    { n: 4 },
    SERVING,
    answering({}),
    { value: { code: 'A', message: '', output: output(null) } },
  ],
  ['a call that fails', 'served', { n: 4 }, SERVING, answering(undefined), { error: 'external-call' }],
  ['a call without an answer', 'served', { n: 4 }, SERVING, { take: () => undefined }, undefined],
  ['a call without answers', 'served', { n: 4 }, SERVING, undefined, undefined],
])('a call of a ruleset has %s', (_title, name, input, callees, answers, found) => {
  for (const compiles of [true, false]) {
    const calls = new RulesetCalls(asking('true'), callees, compiles)
    expect(calls.call(name, input as never, 9, answers)).toEqual(found)
    expect(calls.call(name, input as never, 9, answers)).toEqual(found)
  }
})
