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
