import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { killAll } from '../engine-server.testing.ts'
import { answering, connections, startCrew } from '../workers.testing.ts'
import { CONNECT_TOKEN, type SimulatedPlatform, startPlatform } from './simulated-platform.testing.ts'

/** The link with `--workers`: the owner speaks to the platform, and the workers decide and count. */

let platform: SimulatedPlatform

beforeEach(async () => {
  platform = await startPlatform()
})
afterEach(() => platform.close())
afterAll(killAll)

const linked = () =>
  startCrew('--platform-url', platform.url, '--platform-connect-token', CONNECT_TOKEN, '--allow-direct-writes')
const counted = (digest: string) => platform.statistics().get(`null/rule/${digest}`)

test('all workers have the desired rulesets, their executions are added up, and their rulesets answer 409', async () => {
  const crew = await linked()
  const digest = platform.want(answering('A'))
  const [first, second] = await connections(crew.url, 2)
  if (first === undefined || second === undefined) throw new Error('there are two connections')
  for (const one of [first, second])
    await expect.poll(async () => (await one.request('GET', '/api/v1/rulesets')).body).toHaveLength(1)
  for (const one of [first, second])
    for (let count = 0; count < 5; count++) await one.request('POST', '/api/v1/execute/rule', { input: {} })
  await expect.poll(() => counted(digest)).toMatchObject({ ok: 10, error: 0, codes: { A: 10 } })
  expect((await first.request('POST', '/api/v1/rulesets', answering('B'))).status).toBe(409)
  expect((await second.request('GET', '/health')).body.platform).toMatchObject({ registered: true, revision: 1 })
  expect(await crew.stop()).toBe(0)
})

test('the counts of a worker remain when it ends', async () => {
  const crew = await linked()
  const digest = platform.want(answering('A'))
  const [first] = await connections(crew.url, 1)
  await expect.poll(async () => (await first?.request('GET', '/api/v1/rulesets'))?.body).toHaveLength(1)
  for (let count = 0; count < 7; count++) await first?.request('POST', '/api/v1/execute/rule', { input: {} })
  await expect.poll(() => counted(digest)?.ok).toBe(7)
  for (const pid of crew.pids().values()) process.kill(pid, 'SIGKILL')
  await expect.poll(() => crew.pids().size + crew.stdout().split('a worker exited').length).toBeGreaterThanOrEqual(5)
  const [after] = await connections(crew.url, 1)
  await expect.poll(async () => (await after?.request('GET', '/api/v1/rulesets'))?.body).toHaveLength(1)
  await after?.request('POST', '/api/v1/execute/rule', { input: {} })
  await expect.poll(() => counted(digest)?.ok).toBe(8)
  expect(await crew.stop()).toBe(0)
})

test('how often each branch was taken is added up, of all workers and of those that have ended', async () => {
  const crew = await linked()
  const end = (id: string) => ({ id, name: id, type: 'terminal', result: { code: id, message: '' } })
  const grade = {
    id: 'grade',
    name: 'Grade',
    type: 'decision',
    branches: [
      { condition: 'points > 90', next_step: 'A' },
      { condition: 'points > 50', next_step: 'B' },
    ],
    default_next: 'C',
  }
  const steps = { grade, A: end('A'), B: end('B'), C: end('C') }
  const digest = platform.want({ config: { name: 'rule', version: '1.0.0', entry_step: 'grade' }, steps })
  const decide = async (points: readonly number[]) => {
    const two = await connections(crew.url, 2)
    for (const one of two) {
      await expect.poll(async () => (await one.request('GET', '/api/v1/rulesets')).body).toHaveLength(1)
      for (const value of points) await one.request('POST', '/api/v1/execute/rule', { input: { points: value } })
    }
  }
  const branches = () => counted(digest)?.branches
  await decide([95, 60, 70, 10])
  await expect.poll(branches).toEqual({ grade: [2, 4, 2] })
  const ended = crew.pids().values().next().value ?? 0
  process.kill(ended, 'SIGKILL')
  await expect.poll(() => crew.stdout().includes('a worker exited')).toBe(true)
  await decide([95])
  await expect.poll(branches).toEqual({ grade: [4, 4, 2] })
  expect(await crew.stop()).toBe(0)
})
