import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { casesOf } from '../cases.testing.ts'
import { adultCheck, startServer, type TestServer } from '../http/server.testing.ts'
import { MixedRequests } from './mixed-requests.testing.ts'

const REQUESTS = casesOf(20_000)
/** Requests after which caches and code are as large as they become. */
const WARM_UP = Math.ceil(REQUESTS / 2)
/** MiB that the heap may differ between two collections. */
const MAX_GROWTH_MIB = 8
/** Resources of the test runner and of Node itself, by the names of `getActiveResourcesInfo`. */
const FOREIGN = /^(?:MessagePort|PipeWrap|FSReqPromise|TTYWrap|CloseReq|TickObject|Immediate)$/

let directory: string
let server: TestServer
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-lifetime-'))
})
afterEach(async () => {
  await server.stop()
  vi.useRealTimers()
  await rm(directory, { recursive: true })
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapMiB(): number {
  collect()
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/** For the connections of the clients to close, on a machine under load. */
const CLOSE_WAIT_MS = 30_000

/** Timers and handles of this process by their kind. */
function resources(): Readonly<Record<string, number>> {
  const names = process.getActiveResourcesInfo().filter((name) => !FOREIGN.test(name))
  return Object.fromEntries(Array.from(Map.groupBy(names, String), ([name, those]) => [name, those.length]))
}

test(`after ${REQUESTS} mixed requests a server is as it was`, async () => {
  server = await startServer('--rules-dir', directory, '--max-versions', '3', '--grpc-addr', '127.0.0.1:0')
  const files = async () =>
    (await readdir(directory, { recursive: true })).filter((name) => !/\d{2,}/.test(name)).length
  const before = { listeners: process.eventNames().map((name) => process.listenerCount(name)) }
  const measured = async (from: number, to: number) => {
    const requests = new MixedRequests(server.url, server.grpc)
    const old = await requests.counters()
    const already = requests.sent
    await requests.prepare()
    await requests.send(from, to)
    await requests.prepare()
    const answers = await requests.answers()
    const { sent } = requests
    const counters = await requests.counters()
    requests.close()
    await expect.poll(() => resources()['TCPSocketWrap'] ?? 0, { timeout: CLOSE_WAIT_MS }).toBe(0)
    expect({
      http: counters.http - old.http,
      grpc: counters.grpc - old.grpc,
      executions: counters.executions - old.executions,
    }).toEqual({ ...sent, http: sent.http - already.http + 1 })
    return { answers, files: await files(), resources: resources(), heap: heapMiB() }
  }
  const warm = await measured(0, WARM_UP)
  const last = await measured(WARM_UP, REQUESTS)
  expect({ ...last, heap: 0 }).toEqual({ ...warm, heap: 0 })
  expect(last.heap - warm.heap).toBeLessThan(MAX_GROWTH_MIB)
  expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(before.listeners)
}, 600_000)

const DAY_MS = 86_400_000

test.each([
  ['a day back', -DAY_MS],
  ['ten years ahead', 3650 * DAY_MS],
  ['to 1970', -Date.now()],
])('a clock that jumps %s changes no decision, no limit and no readiness', async (_what, jump) => {
  const start = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  server = await startServer('--multi-tenancy-enabled')
  await server.post('/api/v1/tenants', { id: 'slow', qps_limit: 2 })
  await server.post('/api/v1/rulesets', adultCheck())
  await server.post('/api/v1/rulesets', adultCheck(), { 'x-tenant-id': 'slow' })
  const decide = (headers = {}) => server.post('/api/v1/execute/adult-check', { input: { age: 20 } }, headers)
  const burst = async () => {
    const found: number[] = []
    for (let count = 0; count < 12; count++) found.push((await decide({ 'x-tenant-id': 'slow' })).status)
    return found
  }
  const first = await decide()
  await burst()
  vi.setSystemTime(start + jump)
  const after = await decide()
  expect([after.status, after.body.code, after.body.duration_us < 60_000_000]).toEqual([200, first.body.code, true])
  expect(after.body.duration_us).toBeGreaterThanOrEqual(0)
  // Time that has not passed fills no allowance, and time that was taken back empties none.
  expect((await burst()).filter((status) => status === 429).length).toBeGreaterThan(5)
  expect((await server.request('GET', '/healthz/ready')).status).toBe(200)
  const { body } = await server.request('GET', '/health')
  expect(body.uptime_seconds).toBeGreaterThanOrEqual(0)
  expect(body.uptime_seconds).toBeLessThan(600)
  const { body: evaluated } = await server.post('/api/v1/eval', { expression: 'now_millis()' })
  expect(Math.abs(evaluated.result - (start + jump))).toBeLessThan(60_000)
})
