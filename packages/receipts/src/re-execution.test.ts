import { makeFunction, type ObjectValue, type Value } from '@engine/expression'
import { createProgram, decodeRuleset, type Host, type RulesetDocument } from '@engine/ruleset'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { testChain, testKey } from '../../../tests/receipts/chains.testing.ts'
import { canonicalText } from './commitment.ts'
import { programParts } from './entry.ts'
import { parseReceiptKeys } from './keys.ts'
import { reexecute, type ReExecutionParts } from './re-execution.ts'
import type { Evidence } from './receipt.ts'
import { verifyReceipt } from './verify-receipt.ts'

const { privateKey, publicText } = testKey('first')
const keys = parseReceiptKeys(publicText)
const digestOf = (document: RulesetDocument) => createHash('sha256').update(canonicalText(document)).digest('hex')

const terminal = (id: string, code: string, output: readonly Value[] = [], message = '') => ({
  id,
  type: 'terminal',
  result: { code, message, output },
})
const adult = (years: number, config: ObjectValue = {}): RulesetDocument => ({
  config: { name: 'adult', entry_step: 'start', ...config },
  steps: {
    start: {
      id: 'start',
      type: 'decision',
      branches: [{ condition: `date_diff(now(), born, "years") >= ${years}`, next_step: 'yes' }],
      default_next: 'no',
    },
    yes: terminal('yes', 'ADULT', [['age', 'date_diff(now(), born, "years")']], 'welcome'),
    no: terminal('no', 'MINOR'),
  },
})
const NOW = Date.parse('2026-11-28T00:00:00Z')

/** Decides by the first document, whose result goes into a verified receipt. */
async function decide(
  documents: readonly [RulesetDocument, ...RulesetDocument[]],
  input: ObjectValue,
  more: { readonly calls?: readonly ObjectValue[]; readonly fields?: readonly string[]; readonly now?: number } = {},
) {
  const { calls, fields, now = NOW } = more
  const programs = new Map<string, ReturnType<typeof createProgram>>()
  let next = 0
  const host: Host = {
    rulesets: { resolve: (name) => programs.get(name), generation: 0 },
    capabilities: {
      get: (name) => ({
        name,
        operations: ['*'],
        async call() {
          const { answer, error } = calls?.[next++] ?? {}
          if (typeof error === 'string') throw new Error(error)
          return answer as never
        },
      }),
    },
    log() {},
    metric() {},
    callFailed() {},
    monotonic: () => performance.now(),
    now: () => now,
    makeFunction,
    limit: () => ({ signal: new AbortController().signal, dispose() {} }),
    pause: undefined,
  }
  for (const document of documents) {
    const { ruleset, problems } = decodeRuleset(document)
    if (ruleset === undefined) throw new Error(JSON.stringify(problems))
    programs.set(ruleset.config.name, createProgram(ruleset, host))
  }
  const [document, ...others] = documents
  const { name } = document['config'] as { name: string }
  const program = programs.get(name)
  const outcome = await Promise.resolve()
    .then(() => program?.decide(input, { now }))
    .catch((error: { code: string }) => ({ error: error.code }))
  const decided = outcome as { code: string; message: string; output: Value; error?: string }
  const chain = testChain(privateKey)
  const seq = chain.add({
    input,
    ...decided,
    now,
    ...(calls === undefined ? {} : { calls }),
    ...(fields === undefined ? {} : { fields }),
    parts: programParts({ digest: digestOf(document), name, version: '1.0.0' }, undefined),
    uses: others.map((other) => ({ digest: digestOf(other), name: (other['config'] as { name: string }).name })),
  })
  const { faults, entry, receipt } = verifyReceipt(JSON.stringify(chain.receipt(chain.sign(), seq)), keys)
  if (entry === undefined || receipt === undefined) throw new Error(JSON.stringify(faults))
  expect(faults).toEqual([])
  return { entry, evidence: receipt.evidence as Evidence, documents }
}

const partsOf = (documents: readonly RulesetDocument[], engine = '0.2.0'): ReExecutionParts => {
  const contents = new Map(documents.map((document) => [digestOf(document), document]))
  return { engine, content: (digest) => contents.get(digest) }
}

describe('a decision is executed again', () => {
  test.each([
    ['with the clock of the decision', [adult(18)], { born: '2008-01-01' }],
    ['with another result', [adult(18)], { born: '2012-01-01' }],
    [
      'with all digits of decimals',
      [
        {
          config: { name: 'sum', entry_step: 'end', numbers: 'decimal' },
          steps: { end: terminal('end', 'SUM', [['sum', 'a + b']]) },
        },
      ],
      { a: 9007199254740993n, b: 1 },
    ],
    [
      'where it failed',
      [
        {
          config: { name: 'none', entry_step: 'start' },
          steps: {
            start: { id: 'start', type: 'decision', branches: [{ condition: 'a > 1', next_step: 'end' }] },
            end: terminal('end', 'END'),
          },
        },
      ],
      { a: 1 },
    ],
    [
      'with the rulesets that it used',
      [
        {
          config: { name: 'outer', entry_step: 'call' },
          steps: {
            call: {
              id: 'call',
              type: 'action',
              actions: [{ action: 'call_ruleset', ruleset_name: 'adult', input: '$', result_variable: 'r' }],
              next_step: 'end',
            },
            end: terminal('end', 'DONE', [['inner', '$r.code']]),
          },
        },
        adult(18),
      ],
      { born: '2008-01-01' },
    ],
  ] as const)('%s', async (_, documents, input) => {
    const { entry, evidence } = await decide(documents as never, input)
    expect(await reexecute(entry, evidence, partsOf(documents as never))).toEqual({ kind: 'equal' })
  })

  test('with fields that are committed to one by one', async () => {
    const documents = [adult(18, { receipt_fields: ['born', 'customer.id'] })] as const
    const { entry, evidence } = await decide(
      documents,
      { born: '2008-01-01', customer: { id: 1 } },
      { fields: ['born', 'customer.id'] },
    )
    expect(await reexecute(entry, evidence, partsOf(documents))).toEqual({ kind: 'equal' })
    const { born: _, ...withheld } = evidence.fields ?? {}
    expect(await reexecute(entry, { ...evidence, fields: withheld }, partsOf(documents))).toEqual({
      kind: 'not-reproducible',
      reason: 'the field `born` is withheld',
    })
  })
})

const calling = (url: string): RulesetDocument => ({
  config: { name: 'score', entry_step: 'ask' },
  steps: {
    ask: {
      id: 'ask',
      type: 'action',
      actions: [
        { action: 'external_call', service: 'bureau', method: 'score', params: [['url', url]], result_variable: 'a' },
        { action: 'external_call', service: 'bureau', method: 'limit', params: [], result_variable: 'b' },
      ],
      next_step: 'end',
    },
    end: terminal('end', 'DONE', [
      ['score', '$a.payload.score'],
      ['limit', '$b.payload'],
    ]),
  },
})
const call = (method: string, parameters: ObjectValue, answer: Value) => ({
  step: 'ask',
  service: 'bureau',
  method,
  parameters,
  answer: { payload: answer, metadata: { status: 200 } },
})
const CALLS = [call('score', { url: 'a' }, { score: 700 }), call('limit', {}, 5)]

describe('recorded answers', () => {
  test('replace the world', async () => {
    const documents = [calling('"a"')] as const
    const { entry, evidence } = await decide(documents, {}, { calls: CALLS })
    expect(evidence.output?.[1]).toBe('{"limit":5,"score":700}')
    expect(await reexecute(entry, evidence, partsOf(documents))).toEqual({ kind: 'equal' })
  })

  test('do not count calls without a result', async () => {
    const sending = {
      action: 'external_call',
      service: 'bureau',
      method: 'note',
      params: [],
    }
    const document = calling('"a"') as { steps: { ask: { actions: readonly object[] } } } & RulesetDocument
    const steps = {
      ...document.steps,
      ask: { ...document.steps.ask, actions: [sending, ...document.steps.ask.actions] },
    }
    const documents = [{ ...document, steps } as unknown as RulesetDocument] as const
    const { entry, evidence } = await decide([calling('"a"')], {}, { calls: CALLS })
    const content = () => documents[0]
    expect(await reexecute(entry, evidence, { engine: '0.2.0', content })).toEqual({ kind: 'equal' })
  })

  test('that have been swapped, left out or added are different', async () => {
    const documents = [calling('"a"')] as const
    const { entry, evidence } = await decide(documents, {}, { calls: CALLS })
    const withCalls = (calls: readonly Value[]) =>
      reexecute(entry, { ...evidence, calls: ['', canonicalText(calls)] }, partsOf(documents))
    expect(await withCalls(CALLS.toReversed())).toMatchObject({ kind: 'different', paths: ['/calls/0', '/calls/1'] })
    expect(await withCalls(CALLS.slice(0, 1))).toEqual({ kind: 'different', paths: ['/calls/1'] })
    expect(await withCalls([...CALLS, ...CALLS])).toEqual({ kind: 'different', paths: ['/calls/2'] })
  })
})

describe('another decision is different', () => {
  test('by other rules under the same digest', async () => {
    const { entry, evidence } = await decide([adult(18)], { born: '2008-01-01' })
    const other = { engine: '0.2.0', content: () => adult(21) }
    expect(await reexecute(entry, evidence, other)).toEqual({
      kind: 'different',
      paths: ['/code', '/message', '/output/age'],
    })
  })

  test('with another clock', async () => {
    const documents = [adult(18)] as const
    const { entry, evidence } = await decide(documents, { born: '2008-11-28' })
    expect(await reexecute({ ...entry, now: NOW - 1 }, evidence, partsOf(documents))).toMatchObject({
      kind: 'different',
    })
  })

  test('at the places of its output that differ, in lists and objects, also where one is missing', async () => {
    const documentOf = (output: Value): RulesetDocument => ({
      config: { name: 'sum', entry_step: 'end' },
      steps: { end: terminal('end', 'SUM', [['of', JSON.stringify(output)]]) },
    })
    const { entry, evidence } = await decide([documentOf([1, [2, 3], [4]])], {})
    const pathsOf = async (output: Value) => {
      const again = await reexecute(entry, evidence, { engine: '0.2.0', content: () => documentOf(output) })
      return again.kind === 'different' ? again.paths : again.kind
    }
    expect(await pathsOf([1, [2, 3], [4]])).toBe('equal')
    expect(await pathsOf([1, [2, 5], [4]])).toEqual(['/output/of/1/1'])
    expect(await pathsOf([0, [2, 3], [5]])).toEqual(['/output/of/0', '/output/of/2/0'])
    expect(await pathsOf([1, [2, 3]])).toEqual(['/output/of/2'])
    expect(await pathsOf([1, [2, 3], [4], 6])).toEqual(['/output/of/3'])
    expect(await pathsOf([1, 2, [4]])).toEqual(['/output/of/1'])
  })

  test('when it fails now, or failed then', async () => {
    const documents = [adult(18)] as const
    const { entry, evidence } = await decide(documents, { born: '2008-01-01' })
    expect(await reexecute({ ...entry, error: 'no-branch', result: undefined }, evidence, partsOf(documents))).toEqual({
      kind: 'different',
      paths: ['/error'],
    })
  })
})

describe('what cannot be executed again', () => {
  test.each([
    ['no evidence of the input', {}, {}, /no evidence of the input/],
    ['an input that is not JSON', { input: ['', '{'] }, {}, /is not valid JSON/],
    ['an input that is a list', { input: ['', '[]'] }, {}, /not an object/],
    ['a time-out', undefined, { error: 'timeout', result: undefined }, /time limit/],
    ['calls without evidence', undefined, { trust: { calls: 'x', input: '' } }, /no evidence of the external calls/],
    [
      'calls of which one is none',
      { input: ['', '{}'], calls: ['', canonicalText([{ service: 's', method: 'm', parameters: {}, error: 'x' }, 1])] },
      { trust: { calls: 'x', input: '' } },
      /not a list of calls/,
    ],
    ['another major version', undefined, { engine: '1.0.0' }, /engine 1.0.0 decided/],
    [
      'rules that nobody has',
      undefined,
      { ruleset: { digest: '0'.repeat(64), name: 'adult', version: '1' } },
      /content 0{64} of `adult`/,
    ],
  ] as const)('%s', async (_, shown, changed, reason) => {
    const documents = [adult(18)] as const
    const { entry, evidence } = await decide(documents, { born: '2008-01-01' })
    const again = await reexecute({ ...entry, ...changed }, shown ?? evidence, partsOf(documents))
    expect(again).toEqual({ kind: 'not-reproducible', reason: expect.stringMatching(reason) })
  })

  test('a decision whose result is withheld', async () => {
    const documents = [adult(18)] as const
    const { entry, evidence } = await decide(documents, { born: '2008-01-01' })
    const { output: _, ...withheld } = evidence
    expect(await reexecute(entry, withheld, partsOf(documents))).toMatchObject({ kind: 'not-reproducible' })
  })
})
