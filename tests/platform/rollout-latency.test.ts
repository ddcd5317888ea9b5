import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { charging, type Releasing, startReleasing } from './rollouts.testing.ts'

/**
 * The guard of latency, with engines whose rules call a service that answers as late as the test requires. A minute passes by
 * moving the beginning of the stage back in the database: replicas and the job know no other clock.
 */
const database = useDatabase('postgres')
let its: Releasing
let delayMs = 0
const service = createServer((request, response) => {
  request.resume()
  setTimeout(() => response.end('{}'), delayMs)
})
beforeAll(async () => {
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  its = await startReleasing(database())
})
afterAll(async () => {
  await its.stop()
  service.closeAllConnections()
  service.close()
})
beforeEach(() => {
  delayMs = 0
})

/** The same decision, after the service has answered. */
function asking(name: string, factor: string) {
  const plain = charging(name, factor)
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`
  const [set, end] = plain.steps
  const externalCalls = [{ type: 'http', target: url, resultVariable: 'answer' }]
  return { ...plain, steps: [{ ...set, externalCalls }, end] }
}

/** A release of a content that is executed; its path. */
async function deploy(name: string, ruleset: object): Promise<string> {
  const release = await its.release([{ name, from_seq: await its.save(name, ruleset) }], 'prod')
  const { status, text } = await its.post(`${release}/execute`)
  expect(status, text).toBe(202)
  return release
}

const MINUTE_MS = 60_000
/** Seconds of a stage that ends on the test's command. */
const LONG = 3600

/** A stage with a fifth of the traffic for one of two contents, once it is running. */
async function begun(contents: { readonly stable: object; readonly canary: object }, name: string, duration_s = LONG) {
  await its.serving('prod', '--network-http-policy', 'open')
  await its.reaches(await deploy(name, contents.stable), 'completed')
  const settings = { stages: [{ percent: 20, duration_s }], on_failure: 'rollback', on_inconclusive: 'promote' }
  const path = `${its.team.P}/environments/prod/canary`
  expect((await its.team.owner.request('PUT', path, settings)).status).toBe(200)
  const release = await deploy(name, contents.canary)
  await expect.poll(async () => (await its.get(`${release}/execution`)).stage).not.toBeNull()
  return { release, execution: (await its.get(`${release}/execution`)).id as string }
}

let key = 0
/** So many decisions of new keys, which none of them fails. */
async function traffic(name: string, count: number): Promise<void> {
  const some = async () => {
    for (let sent = 0; sent < count / 4; sent++)
      expect((await its.decide('prod', name, `user-${key++}`)).status).toBe(200)
  }
  await Promise.all([some(), some(), some(), some()])
}

const canaryOf = (execution: string) =>
  database()
    .unscoped.tables.selectFrom('release_canaries')
    .selectAll()
    .where('execution_id', '=', execution)
    .executeTakeFirstOrThrow()

/** Age the stage by a minute, with the answers of the control so far; the latency limit is in milliseconds. */
async function calibrated(name: string, execution: string): Promise<number> {
  // The quantile needs a hundred answers of the control.
  const counted = async () => {
    await traffic(name, 40)
    const { evidence } = await canaryOf(execution)
    return Object.values(evidence).reduce((sum, count) => sum + count, 0)
  }
  await expect.poll(counted).toBeGreaterThanOrEqual(100)
  expect((await canaryOf(execution)).control_p99_us).toBeNull()
  await database()
    .unscoped.tables.updateTable('release_canaries')
    .set({ begun_at: new Date(Date.now() - MINUTE_MS - 1000) })
    .where('execution_id', '=', execution)
    .execute()
  await expect.poll(async () => (await canaryOf(execution)).control_p99_us).not.toBeNull()
  return ((await canaryOf(execution)).control_p99_us ?? 0) / 1000
}

const verdictOf = async (release: string) => {
  const events = (await its.events(release)).filter(({ type }) => type === 'stage_verdict')
  return events.at(-1)?.data as Verdict | undefined
}
interface Verdict {
  readonly decision: string
  readonly reason: string
  readonly latency: Latency
}
interface Latency {
  readonly canary: number
  readonly stable: number
  readonly e: number
}

test('a candidate that answers more slowly, without an error, is found and rolled back', async () => {
  const name = newName()
  const { release, execution } = await begun({ stable: charging(name, '2'), canary: asking(name, '3') }, name)
  const limit = await calibrated(name, execution)
  delayMs = 2 * limit + 20
  await expect
    .poll(async () => {
      await traffic(name, 8)
      return (await its.get(release)).status
    })
    .toMatch(/^roll/)
  await its.reaches(release, 'rolled_back')
  const verdict = await verdictOf(release)
  expect(verdict).toMatchObject({ decision: 'rollback', reason: 'the candidate answers more slowly' })
  expect(verdict?.latency.canary).toBeGreaterThan(verdict?.latency.stable ?? Infinity)
  expect((await its.decide('prod', name)).body.output.fee).toBe(20)
})

test('a stage of less than a minute has no guard of latency', async () => {
  const name = newName()
  delayMs = 100
  const { release, execution } = await begun({ stable: charging(name, '2'), canary: asking(name, '3') }, name, 1)
  await traffic(name, 8)
  await its.reaches(release, 'completed')
  expect((await canaryOf(execution)).control_p99_us).toBeNull()
  expect((await verdictOf(release))?.latency).toEqual({ canary: 0, stable: 0, e: 1 })
  const preview = async (duration_s: number) => {
    const settings = { stages: [{ percent: 50, duration_s }] }
    await its.team.owner.request('PUT', `${its.team.P}/environments/prod/canary`, settings)
    const asked = { title: 'x', rulesets: [{ name, from_seq: 1 }], environments: ['prod'] }
    return (await its.post(`${its.team.P}/releases/preview`, asked)).body.blocked.map(
      ({ code }: { readonly code: string }) => code,
    )
  }
  expect([await preview(59), await preview(60)]).toEqual([['no_latency_guard'], []])
})

// The last one: its release is still on its way when it ends.
test('a candidate that answers faster than the control is promoted', async () => {
  const name = newName()
  const { release, execution } = await begun({ stable: asking(name, '2'), canary: charging(name, '3') }, name)
  const limit = await calibrated(name, execution)
  delayMs = 2 * limit + 20
  await expect
    .poll(async () => {
      await traffic(name, 8)
      return (await slowOf(execution)).stable
    })
    .toBeGreaterThanOrEqual(10)
  await endStage(execution)
  await expect.poll(async () => (await verdictOf(release))?.decision).toBe('promote')
  expect((await verdictOf(release))?.latency.e).toBeLessThan(1)
})

/** First slow answers of keys, as the replicas have stored them. */
async function slowOf(execution: string): Promise<{ readonly stable: number }> {
  const rows = await database()
    .unscoped.tables.selectFrom('canary_counts')
    .select('slow')
    .where('execution_id', '=', execution)
    .where('arm', '=', 'stable')
    .where('code', '=', '')
    .execute()
  return { stable: rows.reduce((sum, { slow }) => sum + slow, 0) }
}

/** End the time of the stage. A round that reports a verdict also stores the stage: repeat until it has ended. */
async function endStage(execution: string): Promise<void> {
  const { tables } = database().unscoped
  const isOver = async () => {
    const row = await tables
      .selectFrom('release_executions')
      .select('stage')
      .where('id', '=', execution)
      .executeTakeFirstOrThrow()
    if (row.stage === null) return true
    const stage = JSON.stringify({ ...(row.stage as object), ends_at: new Date(0).toISOString() })
    await tables.updateTable('release_executions').set({ stage }).where('id', '=', execution).execute()
    return false
  }
  await expect.poll(isOver, { interval: 100 }).toBe(true)
}
