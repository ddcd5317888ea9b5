import type { ContentStatistics } from '@engine/api'
import { expect, test } from 'vitest'
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

const report = (stats: readonly ContentStatistics[]) =>
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
