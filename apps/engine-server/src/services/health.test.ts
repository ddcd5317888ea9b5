import { describe, expect, test } from 'vitest'
import { createHealthService, type HealthParts } from './health.ts'

const SYNC = { status: () => ({ enabled: false }) as never, refusal: () => undefined }

const parts = (more: Partial<HealthParts> = {}): HealthParts => ({
  store: {
    mode: 'directory',
    rulesDirectory: '/rules',
    size: 3,
    rejected: [],
    probe: async () => ({ ok: true }),
    digest: async () => 'd',
  } as unknown as HealthParts['store'],
  version: '1.0.0',
  instanceId: 'eu-1',
  role: 'reader',
  debugMode: false,
  contracts: 'ruleset',
  sync: SYNC,
  audit: async () => ({ lost: 0 }) as never,
  ...more,
})

const failing = (check: string): Partial<HealthParts> => ({
  store: {
    ...parts().store,
    probe: async () => ({ ok: false, check, reason: 'full' }),
  } as unknown as HealthParts['store'],
})
const workers = (ready: number): Partial<HealthParts> => ({
  workers: () => ({ ready, total: 2 }) as unknown as ReturnType<NonNullable<HealthParts['workers']>>,
})
const platform = (refusal: string | undefined): Partial<HealthParts> => ({
  platform: { status: () => ({ registered: true }) as never, refusal: () => refusal },
})

const OK = { store_lock: 'ok', disk_writable: 'ok', accepting_requests: 'ok', sync: 'ok' }

describe('an instance is ready', () => {
  test.each<readonly [string, Partial<HealthParts>, boolean, object]>([
    ['when every check passes', {}, true, OK],
    ['not while its lock is lost', failing('store_lock'), false, { ...OK, store_lock: 'full' }],
    ['not while its disk cannot be written', failing('disk_writable'), false, { ...OK, disk_writable: 'full' }],
    ['with a worker', workers(1), true, OK],
    ['not without one', workers(0), false, { ...OK, accepting_requests: 'no worker is ready' }],
    ['not while it is behind', { sync: { ...SYNC, refusal: () => 'behind' } }, false, { ...OK, sync: 'behind' }],
    ['with its content from the platform', platform(undefined), true, { ...OK, platform: 'ok' }],
    ['not before it has that', platform('waiting'), false, { ...OK, platform: 'waiting' }],
  ])('%s', async (_, more, isReady, checks) => {
    const { isReady: found, record } = await createHealthService(parts(more)).check()
    expect([found, record.status, record.checks]).toEqual([isReady, isReady ? 'healthy' : 'unhealthy', checks])
  })

  test('not once it is shutting down, although all else is well', async () => {
    const health = createHealthService(parts())
    health.drain()
    expect((await health.check()).isReady).toBe(false)
  })

  test('if its store answers within two seconds', async () => {
    const limits: number[] = []
    const probe = async (limit: number) => {
      limits.push(limit)
      return { ok: true } as const
    }
    const { record } = await createHealthService(parts({ store: { ...parts().store, probe } })).check()
    expect([limits, record.uptime_seconds]).toEqual([[2000], 0])
  })

  test('not once it is shutting down without a worker', async () => {
    const health = createHealthService(parts(workers(0)))
    health.drain()
    const { isReady, record } = await health.check()
    expect([isReady, record.checks.accepting_requests]).toEqual([false, 'the server is shutting down'])
  })
})

describe('the health record', () => {
  const recordOf = async (more: Partial<HealthParts> = {}) => (await createHealthService(parts(more)).check()).record

  test('names the instance and its content', async () => {
    expect(await recordOf()).toMatchObject({
      version: '1.0.0',
      instance_id: 'eu-1',
      role: 'reader',
      debug_mode: false,
      storage: { mode: 'directory', rules_dir: '/rules', rules_count: 3, digest: 'd', rejected_count: 0, rejected: [] },
    })
  })

  test('counts all rejected files, and names a hundred', async () => {
    const rejected = Array.from({ length: 101 }, (_, index) => ({ file: `${index}.json`, reason: 'torn' }))
    const { storage } = await recordOf({ store: { ...parts().store, rejected } })
    expect([storage.rejected_count, storage.rejected]).toEqual([101, rejected.slice(0, 100)])
  })

  test('has only parts that the instance has', async () => {
    const bare = await recordOf()
    for (const member of ['contracts', 'workers', 'platform']) expect(bare).not.toHaveProperty(member)
    expect(await recordOf({ contracts: 'off', debugMode: true, ...workers(1), ...platform(undefined) })).toMatchObject({
      debug_mode: true,
      contracts: 'off',
      workers: { ready: 1 },
      platform: { registered: true },
    })
  })
})
