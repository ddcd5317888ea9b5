import type { CapabilityProvider } from '@engine/ruleset'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { killAll, start } from '../engine-server.testing.ts'
import { startHost } from '../http/server.testing.ts'
import { answering, connection, connections, startCrew } from '../workers.testing.ts'
import { CONNECT_TOKEN, type SimulatedPlatform, startPlatform } from './simulated-platform.testing.ts'

/** What an engine with `--sample-decisions` keeps of its decisions, and hands over. */

let platform: SimulatedPlatform

beforeEach(async () => {
  platform = await startPlatform()
  platform.recording = { tag: 'one', rules: [{ tenant: null, name: 'rule', rate: 100, mask: ['person.name'] }] }
})
afterEach(() => platform.close())
afterAll(killAll)

const LINKED = () => ['--platform-url', platform.url, '--platform-connect-token', CONNECT_TOKEN] as const
const SAMPLED = () => [...LINKED(), '--sample-decisions', '100'] as const

const input = (number: number) => ({ person: { name: 'Ann', number } })
const numbers = () =>
  platform
    .decisions()
    .map((one) => (JSON.parse(one.input) as ReturnType<typeof input>).person.number)
    .toSorted((left, right) => left - right)
/** The engine has confirmed the rules. */
async function follows(tag: string): Promise<void> {
  await expect.poll(() => platform.heartbeats.at(-1)?.recording?.tag, { timeout: 20_000 }).toBe(tag)
}

test('decisions are handed over masked, once each, even when answers get lost', async () => {
  const engine = await start(SAMPLED())
  const one = connection(engine.url)
  const digest = platform.want(answering('A'))
  await follows('one')
  await expect.poll(async () => (await one.request('GET', '/api/v1/rulesets')).body).toHaveLength(1)
  platform.loseAnswers = 2
  for (let number = 1; number <= 30; number++)
    await one.request('POST', '/api/v1/execute/rule', { input: input(number) })
  await expect.poll(numbers, { timeout: 20_000 }).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
  expect(platform.decisions()[0]).toMatchObject({
    tenant: null,
    name: 'rule',
    digest,
    code: 'A',
    input: '{"person":{"name":"***","number":1}}',
  })
  // Acknowledged samples are not sent again.
  await expect.poll(() => platform.heartbeats.at(-1)?.recording?.decisions, { timeout: 20_000 }).toEqual([])
  expect(await engine.stop()).toBe(0)
  expect(engine.stdout()).not.toContain('Ann')
})

test('an engine without the option keeps nothing and reports nothing', async () => {
  const engine = await start(LINKED())
  const one = connection(engine.url)
  platform.want(answering('A'))
  await expect.poll(async () => (await one.request('GET', '/api/v1/rulesets')).body).toHaveLength(1)
  await one.request('POST', '/api/v1/execute/rule', { input: input(1) })
  await expect.poll(() => [...platform.statistics().values()].map(({ ok }) => ok), { timeout: 20_000 }).toEqual([1])
  expect(platform.heartbeats.some((beat) => 'recording' in beat)).toBe(false)
  expect(await engine.stop()).toBe(0)
})

test('with workers the decisions of all of them are handed over, and new rules reach all', async () => {
  const crew = await startCrew(...SAMPLED())
  platform.want(answering('A'))
  await follows('one')
  const some = await connections(crew.url, 2)
  for (const one of some)
    await expect.poll(async () => (await one.request('GET', '/api/v1/rulesets')).body).toHaveLength(1)
  let number = 0
  for (const one of some)
    for (let count = 0; count < 5; count++)
      await one.request('POST', '/api/v1/execute/rule', { input: input(++number) })
  await expect.poll(numbers, { timeout: 20_000 }).toEqual(Array.from({ length: 10 }, (_, index) => index + 1))
  platform.recording = { tag: 'two', rules: [] }
  await follows('two')
  for (const one of some) await one.request('POST', '/api/v1/execute/rule', { input: input(99) })
  const before = platform.heartbeats.length
  await expect.poll(() => platform.heartbeats.length, { timeout: 20_000 }).toBeGreaterThan(before + 2)
  expect(numbers()).not.toContain(99)
  expect(await crew.stop()).toBe(0)
})

describe('external calls', () => {
  const asking = {
    config: { name: 'rule', version: '1.0.0', entry_step: 'ask' },
    steps: {
      ask: {
        id: 'ask',
        name: 'Ask',
        type: 'action',
        actions: [
          {
            action: 'external_call',
            service: 'test.rates',
            method: 'get',
            params: [['person', 'person']],
            result_variable: 'rate',
          },
        ],
        next_step: 'end',
      },
      end: {
        id: 'end',
        name: 'End',
        type: 'terminal',
        result: { code: 'A', message: '', output: [['rate', '$rate.payload.rate']] },
      },
    },
  }
  const rates: CapabilityProvider = {
    name: 'test.rates',
    operations: ['get'],
    call: async () => ({ payload: { rate: 1.5, person: { name: 'Ann' } }, metadata: {} }),
  }

  test.each([
    ['are handed over masked where both sides want them', ['--sample-answers'], true, true],
    ['stay where the platform does not ask for them', ['--sample-answers'], false, false],
    ['stay where the engine was started without the option', [], true, false],
  ])('%s', async (_, options, answers, isRecorded) => {
    platform.recording = {
      tag: 'calls',
      rules: [{ tenant: null, name: 'rule', rate: 100, mask: ['person.name'], answers }],
    }
    const engine = await startHost([rates], ...SAMPLED(), ...options)
    platform.want(asking)
    await follows('calls')
    await expect.poll(async () => (await engine.request('GET', '/api/v1/rulesets')).body).toHaveLength(1)
    const before = Date.now()
    const { status, body } = await engine.post('/api/v1/execute/rule', { input: input(1) })
    expect([status, body.output]).toEqual([200, { rate: 1.5 }])
    await expect.poll(() => platform.decisions().length, { timeout: 20_000 }).toBe(1)
    const [decision] = platform.decisions()
    const parameters = { person: { name: '***', number: 1 } }
    const answer = { payload: { rate: 1.5, person: { name: '***' } }, metadata: {} }
    expect(decision?.calls === undefined ? undefined : JSON.parse(decision.calls)).toEqual(
      isRecorded ? [{ service: 'test.rates', method: 'get', parameters, answer }] : undefined,
    )
    expect(Date.parse(decision?.at ?? '')).toBeGreaterThanOrEqual(before)
    await engine.stop()
  })
})
