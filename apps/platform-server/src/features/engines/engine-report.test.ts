import { expect, test } from 'vitest'
import { isWell, reported } from './engine-report.ts'

const wide = Array.from({ length: 100_000 }, () => [1])

test('a health report that is too large keeps its essential members', async () => {
  const told = { problems: [], rulesets: undefined }
  expect((await reported({ ...told, health: { status: 'healthy', checks: {} } })).health).toBe(
    '{"status":"healthy","checks":{}}',
  )
  expect((await reported({ ...told, health: { status: 'healthy', checks: wide } })).health).toBe('{"status":"healthy"}')
  expect((await reported({ ...told, health: { healthy: false, wide } })).health).toBe('{"status":"unhealthy"}')
})

test('keeps the first of many problems, and none that is too large', async () => {
  const short = Array.from({ length: 1000 }, (_, index) => ({ message: `${index} `.padEnd(1000, 'x') }))
  const kept = JSON.parse((await reported({ health: null, problems: [wide, ...short], rulesets: undefined })).problems)
  expect(kept.length).toBeGreaterThan(200)
  expect(kept.length).toBeLessThan(300)
  expect(kept).toEqual(short.slice(0, kept.length))
})

test('keeps the known members of rulesets; absent members stay unchanged', async () => {
  const digest = '0'.repeat(64)
  const one = { tenant: null, name: 'a', version: '1.0.0', digest, delivered: true, more: wide }
  const { rulesets } = await reported({ health: null, problems: [], rulesets: [one, { name: 'b', digest }] })
  expect(JSON.parse(rulesets ?? '')).toEqual([
    { tenant: null, name: 'a', version: '1.0.0', digest, delivered: true },
    { name: 'b', digest },
  ])
  expect((await reported({ health: null, problems: [], rulesets: undefined })).rulesets).toBeUndefined()
})

test.each<readonly [health: unknown, isHealthy: boolean]>([
  [null, true],
  [{}, true],
  [{ healthy: true }, true],
  [{ healthy: false }, false],
  [{ status: 'healthy' }, true],
  [{ status: 'ok' }, true],
  [{ status: true }, true],
  [{ status: false }, false],
  [{ status: 'degraded' }, false],
  [{ status: 'unhealthy', healthy: true }, false],
  [{ status: 'ok', healthy: false }, true],
  ['healthy', true],
  ['ok', true],
  [true, true],
  ['down', false],
  [false, false],
])('the health report %j counts as healthy: %s', (health, isHealthy) => {
  expect(isWell(health)).toBe(isHealthy)
})
