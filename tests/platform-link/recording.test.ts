import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { killAll, start } from '../engine-server.testing.ts'
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
