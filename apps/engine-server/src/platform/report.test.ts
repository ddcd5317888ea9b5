import type { ContentStatistics } from '@engine/api'
import { describe, expect, test } from 'vitest'
import { storedRuleset } from '../store/store.ts'
import { createReport } from './report.ts'

const row = (name: string, branches: number): ContentStatistics => ({
  tenant: null,
  name,
  digest: '0'.repeat(64),
  ok: 1,
  error: 0,
  codes: { A: 1 },
  duration: { counts: [1], sum_seconds: 0 },
  branches: { step: Array.from({ length: branches }, () => 0) },
})

const report = (stats: readonly ContentStatistics[], more: object = {}) =>
  createReport({
    session: 'one',
    version: '0.0.0',
    capabilities: [],
    hasTenants: false,
    health: async () => ({
      record: {
        status: 'healthy',
        version: '0.0.0',
        uptime_seconds: 1,
        rulesets: 0,
        checks: {},
        storage: { digest: null },
      } as never,
    }),
    rulesets: () => [],
    ownership: { has: () => false },
    statistics: async () => stats,
    delivery: { revision: 0, problems: [] },
    ...more,
  })

test('a heartbeat has a limited number of branches, and the next one the other contents', async () => {
  const told = report(['a', 'b', 'c', 'd'].map((name) => row(name, 60_000)))
  const sent: (readonly string[])[] = []
  for (let beat = 0; beat < 3; beat++) {
    const heartbeat = await told.next(0)
    sent.push(heartbeat.stats.map(({ name }) => name))
    told.heard(heartbeat)
  }
  expect(sent).toEqual([['a', 'b'], ['c', 'd'], []])
})

test('a content with more branches than that is sent alone', async () => {
  const heartbeat = await report([row('a', 200_000), row('b', 1)]).next(0)
  expect(heartbeat.stats.map(({ name }) => name)).toEqual(['a'])
})

test('a heartbeat describes the process, the delivery and its problems, by tenants where there are some', async () => {
  const problems = Array.from({ length: 1001 }, (_, index) => ({ tenant: 'b', name: `r${index}`, digest: null }))
  const told = { version: '2.0.0', capabilities: ['jit'], session: 'two', delivery: { revision: 7, problems } }
  for (const hasTenants of [true, false]) {
    const beat = await report([], { ...told, hasTenants }).next(20)
    expect(beat).toMatchObject({
      session: 'two',
      version: '2.0.0',
      capabilities: ['jit'],
      applied_revision: 7,
      digest: null,
      wait_ms: 20,
    })
    expect(beat).not.toHaveProperty('receipts')
    expect([beat.problems.length, beat.problems[0]]).toEqual([
      1000,
      { tenant: hasTenants ? 'b' : null, name: 'r0', digest: null },
    ])
  }
  const chains = { chains: [], kept: [] }
  expect((await report([], { receipts: async () => chains }).next(0)).receipts).toBe(chains)
})

describe('the rulesets of an engine', () => {
  const stored = (name: string, version = '1.0.0') =>
    storedRuleset({ config: { name, version, entry_step: 'end' }, steps: {} })
  const health =
    (digest: string | null, checks: object = {}) =>
    async () =>
      ({ record: { uptime_seconds: 7, checks, storage: { digest } } }) as never

  test('are named once for each digest of them, and again when the platform has forgotten them', async () => {
    let digest: string | null = 'd1'
    const told = report([], { health: () => health(digest)(), rulesets: () => [['default', stored('fee')]] })
    const isNamed = async () => {
      const beat = await told.next(0)
      told.heard(beat)
      return beat.rulesets !== undefined
    }
    const named = [await isNamed(), await isNamed()]
    digest = 'd2'
    named.push(await isNamed(), await isNamed())
    told.forget()
    named.push(await isNamed(), await isNamed())
    digest = null
    named.push(await isNamed(), await isNamed())
    expect(named).toEqual([true, false, true, false, true, false, true, true])
  })

  test('are named with their tenants, and those of the platform as delivered', async () => {
    const ownership = { has: (tenant: string, name: string) => tenant === 'a' && name === 'fee' }
    const rulesets = () => [
      ['a', stored('fee', '1'.repeat(300))],
      ['b', stored('fee')],
    ]
    for (const hasTenants of [true, false]) {
      const { rulesets: named } = await report([], { hasTenants, ownership, rulesets }).next(0)
      expect(named).toMatchObject([
        { tenant: hasTenants ? 'a' : null, name: 'fee', version: '1'.repeat(256), delivered: true },
        { tenant: hasTenants ? 'b' : null, name: 'fee', version: '1.0.0' },
      ])
      expect(named?.[1]).not.toHaveProperty('delivered')
    }
  })

  test('that are its own are named up to a thousand, and all that are delivered', async () => {
    const one = stored('fee')
    const rulesets = () => Array.from({ length: 1003 }, (_, index) => [index < 2 ? 'a' : 'b', one])
    const ownership = { has: (tenant: string) => tenant === 'a' }
    const { rulesets: named } = await report([], { ownership, rulesets, hasTenants: true }).next(0)
    expect(named?.filter(({ delivered }) => delivered !== true)).toHaveLength(1000)
    expect(named).toHaveLength(1002)
  })

  test.each([
    ['healthy', { store: 'ok' }],
    ['healthy', { store: 'ok', platform: 'waits' }],
    ['unhealthy', { store: 'ok', disk: 'full' }],
  ])('make a %s engine with the checks %j', async (status, checks) => {
    const { health: told } = await report([], { health: health('d', checks) }).next(0)
    expect(told).toMatchObject({ status, uptime_seconds: 7 })
    expect(told.checks).not.toHaveProperty('platform')
  })
})

describe('executions', () => {
  test('are sent again where they have changed, or the platform has forgotten them', async () => {
    const stats = [row('a', 1), row('b', 1)]
    const told = report(stats)
    const sent = async () => {
      const beat = await told.next(0)
      told.heard(beat)
      return beat.stats.map(({ name }) => name)
    }
    expect([await sent(), await sent()]).toEqual([['a', 'b'], []])
    stats[1] = { ...row('b', 1), error: 1 }
    expect(await sent()).toEqual(['b'])
    told.forget()
    expect(await sent()).toEqual(['a', 'b'])
  })
})

test('rules of recording are followed once for each tag, and their samples are given up as they are heard', async () => {
  const followed: unknown[] = []
  const heard: number[] = []
  const recording = {
    pending: async () => [{ seq: 3 }, { seq: 4 }],
    follow: async (rules: unknown) => void followed.push(rules),
    heard: (seq: number) => void heard.push(seq),
  }
  const told = report([], { recording })
  for (const tag of ['t1', 't1', 't2']) await told.follow({ tag, rules: [] })
  await told.follow(undefined)
  const beat = await told.next(5)
  expect([beat.recording, beat.wait_ms, followed.length]).toEqual([
    { tag: 't2', decisions: [{ seq: 3 }, { seq: 4 }] },
    5,
    2,
  ])
  told.heard(beat)
  expect(heard).toEqual([4])
  told.forget()
  expect((await told.next(0)).recording?.tag).toBeNull()
  expect(await report([]).next(0)).not.toHaveProperty('recording')
})
