import type { RecordingRule } from '@engine/api'
import type { Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bareDigest } from '../catalog/content-digest.ts'
import type { RecordedExecution } from '../receipts/recording.ts'
import type { StoredRuleset } from '../store/store.ts'
import { createRecorder } from './recorder.ts'
import { createSamples, type Samples } from './samples.ts'

const stored = (name: string): StoredRuleset => ({
  name,
  version: '1.0.0',
  description: null,
  stepCount: 1,
  text: `{"config":{"name":"${name}"}}`,
})

const rule = (more: Partial<RecordingRule> = {}): RecordingRule => ({
  tenant: null,
  name: 'loan',
  rate: 100,
  mask: [],
  ...more,
})

/** A recorder with one program, whose digest is known. */
async function recording(percent: number, random: () => number = Math.random, tenant?: string) {
  const samples = createSamples()
  const recorder = createRecorder({ percent, keepsAnswers: false }, samples, random)
  const content = stored('loan')
  // The recorder does not use the program.
  const program = {} as Program
  const own = recorder.forTenant(tenant)
  own.made(program, content)
  const decide = async (input: Value = { a: 1 }, code = 'A') => {
    own.decided(program, input, code, { b: 2 })
    await setImmediate()
  }
  return { samples, recorder, decide, digest: await bareDigest(content) }
}

describe('the recorder', () => {
  test('keeps nothing that the platform has not requested', async () => {
    const { samples, recorder, decide } = await recording(100)
    await decide()
    recorder.follow([rule({ name: 'other' }), rule({ tenant: 't' }), rule({ rate: 0 })])
    await decide()
    expect(samples.next()).toEqual([])
    recorder.follow([rule()])
    await decide()
    expect(samples.next()).toHaveLength(1)
    recorder.follow([])
    await decide()
    expect(samples.next()).toHaveLength(1)
  })

  test('keeps content, code, input and output, masked by the rule in effect at that moment', async () => {
    const { samples, recorder, decide, digest } = await recording(100, undefined, 'acme')
    recorder.follow([rule({ tenant: 'acme', mask: ['person.name', 'b'] })])
    const input = { person: { name: 'Ann', age: 40 } }
    await decide(input)
    expect(samples.next()).toEqual([
      {
        seq: 1,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        tenant: 'acme',
        name: 'loan',
        digest,
        code: 'A',
        input: '{"person":{"name":"***","age":40}}',
        output: '{"b":"***"}',
      },
    ])
    expect(input.person.name).toBe('Ann')
    recorder.follow([rule({ tenant: 'acme', mask: ['person'] })])
    await decide(input)
    expect(samples.next().at(-1)?.input).toBe('{"person":"***"}')
  })

  test('keeps a refused input with the broken rules, without a code and without the values that were found', async () => {
    const samples = createSamples()
    const recorder = createRecorder({ percent: 100, keepsAnswers: true }, samples, Math.random)
    const own = recorder.forTenant(undefined)
    const program = {} as Program
    own.made(program, stored('loan'))
    recorder.follow([rule({ mask: ['name'], answers: true })])
    const broken = (index: number) =>
      ({ path: `/input/${index}`, rule: 'range', expected: 'at most 1', found: 'secret' }) as const
    const violations = Array.from({ length: 101 }, (_, index) => broken(index))
    own.refused(program, { name: 'Ann', age: 4 }, violations, { now: 0, place: Promise.resolve('eu-1/x#1'), calls: [] })
    await setImmediate()
    expect(samples.next()).toEqual([
      {
        seq: 1,
        at: '1970-01-01T00:00:00.000Z',
        tenant: null,
        name: 'loan',
        digest: expect.any(String),
        violations: violations.slice(0, 100).map(({ path, expected }) => ({ path, code: 'range', expected })),
        input: '{"name":"***","age":4}',
        output: 'null',
        receipt: 'eu-1/x#1',
      },
    ])
  })

  test.each([
    [100, 25, 25],
    [10, 50, 10],
    [50, 50, 50],
  ])('of an engine with %d percent and a rule with %d percent keeps %d', async (percent, rate, expected) => {
    let turn = 0
    const { samples, recorder, decide } = await recording(percent, () => (turn++ % 100) / 100)
    recorder.follow([rule({ rate })])
    for (let count = 0; count < 100; count++) await decide()
    expect(samples.next()).toHaveLength(expected)
  })

  test('keeps the place of a receipt and the clock of its rules', async () => {
    const samples = createSamples()
    const recorder = createRecorder({ percent: 100, keepsAnswers: false }, samples, Math.random)
    const own = recorder.forTenant(undefined)
    const program = {} as Program
    own.made(program, stored('loan'))
    recorder.follow([rule()])
    own.decided(program, {}, 'A', {}, { now: 86_400_000, place: Promise.resolve('eu-1/x#1'), calls: [] })
    own.decided(program, {}, 'B', {}, { now: 0, place: Promise.resolve(undefined), calls: [] })
    own.decided(program, {}, 'C', {}, { now: 0, place: Promise.reject(new Error('disk full')), calls: [] })
    await setImmediate()
    expect(samples.next()).toMatchObject([
      { code: 'A', at: '1970-01-02T00:00:00.000Z', receipt: 'eu-1/x#1' },
      { code: 'B', at: '1970-01-01T00:00:00.000Z' },
    ])
    expect(samples.next()[1]).not.toHaveProperty('receipt')
  })

  describe('external calls', () => {
    const call = { step: 's', service: 'bureau', method: 'score' }
    const ASKED = [
      {
        ...call,
        parameters: { person: { id: 7, name: 'Ann' } },
        answer: { payload: { score: 600, person: { name: 'Ann' } }, metadata: { person: { name: 'Ann' } } },
      },
      { ...call, parameters: {}, error: 'no route to https://bureau.example?name=Ann' },
    ]
    async function decidedBy(keepsAnswers: boolean, answers: boolean | undefined, calls: RecordedExecution['calls']) {
      const samples = createSamples()
      const recorder = createRecorder({ percent: 100, keepsAnswers }, samples, Math.random)
      const own = recorder.forTenant(undefined)
      const program = {} as Program
      own.made(program, stored('loan'))
      recorder.follow([rule({ mask: ['person.name'], ...(answers !== undefined && { answers }) })])
      own.decided(program, {}, 'A', {}, { now: 0, place: Promise.resolve(undefined), calls })
      await setImmediate()
      return { wants: own.wantsAnswers(program), sample: samples.next()[0] }
    }

    test('are kept with their answers, masked and without messages of failures', async () => {
      const { wants, sample } = await decidedBy(true, true, ASKED)
      expect(wants).toBe(true)
      expect(JSON.parse(sample?.calls ?? '')).toEqual([
        {
          service: 'bureau',
          method: 'score',
          parameters: { person: { id: 7, name: '***' } },
          answer: { payload: { score: 600, person: { name: '***' } }, metadata: { person: { name: '***' } } },
        },
        { service: 'bureau', method: 'score', parameters: {}, error: 'failed' },
      ])
    })

    test.each([
      ['the engine was started without the option', false, true],
      ['the environment does not ask for them', true, false],
      ['the platform does not know of them', true, undefined],
    ])('are not kept where %s', async (_, keepsAnswers, answers) => {
      const { wants, sample } = await decidedBy(keepsAnswers, answers, ASKED)
      expect(wants).toBe(false)
      expect(sample).toMatchObject({ code: 'A' })
      expect(sample).not.toHaveProperty('calls')
    })

    test('are not requested for a ruleset whose share is 0', () => {
      const recorder = createRecorder({ percent: 100, keepsAnswers: true }, createSamples(), Math.random)
      const [own, program] = [recorder.forTenant(undefined), {} as Program]
      own.made(program, stored('loan'))
      recorder.follow([rule({ rate: 0, answers: true })])
      expect(own.wantsAnswers(program)).toBe(false)
    })

    test('that are too large are left out, and the decision is kept', async () => {
      const { sample } = await decidedBy(true, true, [{ ...call, parameters: { text: 'x'.repeat(70_000) }, error: '' }])
      expect(sample).toMatchObject({ code: 'A' })
      expect(sample).not.toHaveProperty('calls')
    })
  })

  test('skips a decision whose code no database can store', async () => {
    const { samples, recorder, decide } = await recording(100)
    recorder.follow([rule()])
    await decide({}, 'a\0b')
    await decide({}, '\ud800')
    expect(samples.next()).toEqual([])
  })

  test('skips a decision that is too large', async () => {
    const { samples, recorder, decide } = await recording(100)
    recorder.follow([rule({ mask: ['secret'] })])
    await decide({ a: 'x'.repeat(70_000) })
    expect(samples.next()).toEqual([])
    await decide({ secret: 'x'.repeat(70_000) })
    expect(samples.next()).toHaveLength(1)
  })

  test('skips a decision whose input and output are too large together', async () => {
    const samples = createSamples()
    const recorder = createRecorder({ percent: 100, keepsAnswers: false }, samples, Math.random)
    recorder.follow([rule()])
    const [program, own] = [{} as Program, recorder.forTenant(undefined)]
    own.made(program, stored('loan'))
    const text = 'x'.repeat(40_000)
    own.decided(program, { text }, 'A', { text })
    own.decided(program, { text }, 'B', {})
    await setImmediate()
    expect(samples.next().map(({ code }) => code)).toEqual(['B'])
  })
})

describe('samples', () => {
  const sample = { at: '', tenant: null, name: 'loan', digest: '', code: 'A', input: '{}', output: '{}' }
  const numbers = (samples: Samples) => samples.next().map(({ seq }) => seq)

  test('are sent again until they are acknowledged', () => {
    const samples = createSamples()
    for (let count = 0; count < 3; count++) samples.add(sample, 10)
    expect([numbers(samples), numbers(samples)]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    samples.add(sample, 10)
    samples.heard(3)
    expect(numbers(samples)).toEqual([4])
    samples.heard(2)
    expect(numbers(samples)).toEqual([4])
    samples.heard(4)
    expect(numbers(samples)).toEqual([])
  })

  test('are bounded: the oldest go first, and a heartbeat takes a part of them', () => {
    const samples = createSamples()
    for (let count = 0; count < 600; count++) samples.add(sample, 10)
    expect([numbers(samples)[0], numbers(samples).length]).toEqual([101, 200])
    for (let count = 0; count < 100; count++) samples.add(sample, 64 * 1024)
    const sent = numbers(samples)
    expect(sent.at(-1)).toBeLessThan(700)
    samples.heard(sent.at(-1) ?? 0)
    // 4 MiB of 64 KiB each, of which 1 MiB goes with a heartbeat.
    expect(numbers(samples).length).toBeLessThanOrEqual(16)
    expect(numbers(samples)[0]).toBe((sent.at(-1) ?? 0) + 1)
    expect(samples.take().length).toBeLessThanOrEqual(64)
    expect(numbers(samples)).toEqual([])
  })
})
