import { makeFunction, numberOfText, stringifyJson, type Value } from '@engine/expression'
import { decodeRuleset, type Inspection, type Ruleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import type { Case } from './case.ts'
import { pathOf, runCase, stubbedHost } from './run.ts'

const HOST = { now: () => Date.UTC(2026, 0, 31), monotonic: () => 0, makeFunction }

function ruleset(document: Value): Ruleset {
  const { ruleset: decoded, problems } = decodeRuleset(document)
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

/** Calls `card.score`, and returns its payload. */
const CALLING = ruleset({
  config: { name: 'calling', entry_step: 'call' },
  steps: {
    call: {
      id: 'call',
      name: 'call',
      type: 'action',
      actions: [{ action: 'external_call', service: 'card', method: 'score', params: [], result_variable: 'score' }],
      next_step: 'end',
    },
    end: {
      id: 'end',
      name: 'end',
      type: 'terminal',
      result: {
        code: 'OK',
        message: '',
        output: [
          ['score', '$score.payload'],
          ['at', 'now()'],
        ],
      },
    },
  },
})

const run = (one: Partial<Case>, host: Parameters<typeof runCase>[2] = HOST) =>
  runCase(CALLING, { name: 'one', input: {}, expect: {}, ...one }, host)

describe('a number of more digits than a double has', () => {
  const text = '0.1000000000000000000001'
  const document = (numbers: string) => ({
    config: { name: 'numbers', entry_step: 'end', numbers },
    steps: {
      end: { id: 'end', name: 'end', type: 'terminal', result: { code: 'OK', message: '', output: [['n', 'n']] } },
    },
  })
  const output = async (numbers: string) => {
    const one: Case = { name: 'one', input: { n: numberOfText(text) ?? null }, expect: {} }
    const { inspection } = await runCase(ruleset(document(numbers)), one, HOST)
    return stringifyJson(inspection.result?.output ?? null)
  }

  test('is exact for a ruleset that computes exactly, and a double for one that computes with doubles', async () => {
    expect([await output('decimal'), await output('double')]).toEqual([`{"n":${text}}`, '{"n":0.1}'])
  })
})

describe('a call is answered by the stubs of its case', () => {
  test.each<[string, Partial<Case>, string[]]>([
    ['a value', { stubs: { 'card.score': 7 }, expect: { output: { score: 7 } } }, []],
    ['null', { stubs: { 'card.score': null }, expect: { output: { score: null } } }, []],
    ['an error makes the call fail', { stubs: { 'card.score': { error: 'busy' } }, expect: { code: 'OK' } }, ['error']],
    [
      'the failure has the text of the stub',
      { stubs: { 'card.score': { error: 'busy' } }, expect: { error: 'busy' } },
      [],
    ],
    [
      'an object that has more than an error is a value',
      {
        stubs: { 'card.score': { error: 'busy', score: 1 } },
        expect: { output: { score: { error: 'busy', score: 1 } } },
      },
      [],
    ],
    ['an error that is not text is a value', { stubs: { 'card.score': { error: 1 } }, expect: { code: 'OK' } }, []],
    ['without a stub the call fails', { stubs: {}, expect: { error: 'no stub' } }, []],
    ['a stub of another method does not count', { stubs: { 'card.rate': 7 }, expect: { error: 'no stub' } }, []],
    [
      'an inherited member does not count',
      { stubs: Object.create({ 'card.score': 7 }) as {}, expect: { error: 'no stub' } },
      [],
    ],
  ])('%s', async (_, one, kinds) => {
    const { failures } = await run(one)
    expect(failures.map(({ kind }) => kind)).toEqual(kinds)
  })
})

test('a case runs at its own time, or else at that of the run', async () => {
  const stubs = { 'card.score': 1 }
  const outputOf = async (one: Partial<Case>) => (await run({ stubs, ...one })).inspection.result?.output
  expect(await outputOf({})).toMatchObject({ at: '2026-01-31T00:00:00.000Z' })
  expect(await outputOf({ now: '2020-02-29T12:00:00Z' })).toMatchObject({ at: '2020-02-29T12:00:00.000Z' })
})

test('problems with the contract come first, and the time is that of the execution', async () => {
  let time = 0
  const result = await runCase(
    CALLING,
    { name: 'one', input: { a: 1 }, expect: { code: 'NO' }, stubs: { 'card.score': 1 } },
    { ...HOST, monotonic: () => time++ },
    { contract: (input) => [{ path: '', code: 'x', severity: 'error', message: `wrong: ${JSON.stringify(input)}` }] },
  )
  expect(result.failures).toEqual([
    { kind: 'contract', message: 'wrong: {"a":1}' },
    { kind: 'code', message: 'code: expected "NO", found "OK"' },
  ])
  expect(result.duration).toBeGreaterThan(0)
})

test('the steps converted from one step of the author are named once, and a step entered again is named each time', () => {
  const entered = (...ids: string[]) =>
    ({
      steps: ids.map((id) => ({ id, name: id, type: 'action', branches: [], variables: {} })),
    }) as unknown as Inspection
  const stepOf = (id: string) => id.replace(/_\d$/, '')
  expect(pathOf(entered('a', 'a_1', 'a_2', 'b', 'a'), stepOf)).toEqual(['a', 'b', 'a'])
  expect(pathOf(entered('a', 'a', 'b'), stepOf)).toEqual(['a', 'a', 'b'])
})

test('rulesets that a case may call are those of the run, each compiled once', () => {
  const host = stubbedHost({}, { ...HOST, rulesets: new Map([['calling', CALLING]]) })
  expect(host.rulesets.resolve('other')).toBeUndefined()
  const program = host.rulesets.resolve('calling')
  expect(program).toBeDefined()
  expect(host.rulesets.resolve('calling')).toBe(program)
})
