import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { CommitOutcomeUnknown } from '../../apps/platform-server/src/database/availability.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { stageCounts } from '../../apps/platform-server/src/features/rollouts/stage-counts.ts'
import type { Split } from '../../apps/platform-server/src/features/rollouts/canary-split.ts'
import { startTally, type Tally } from '../../apps/platform-server/src/features/rollouts/tally.ts'
import type { Answered } from '../../apps/platform-server/src/features/rollouts/tally-batch.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { addCast, addWorld } from './world.testing.ts'

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let org: OrgId
  let split: Split
  beforeAll(async () => {
    const world = await addWorld(database(), await addCast(database()), 'release.execute', {
      hasProject: true,
      hasDrafts: true,
      hasRelease: true,
    })
    org = world.org
    split = await openStage(database(), world)
  })
  const tallies: Tally[] = []
  afterAll(() => Promise.all(tallies.map((tally) => tally.stop())))

  const answered = (more: Partial<Answered>): Answered => ({
    org,
    split,
    side: 'canary',
    key: undefined,
    isError: false,
    code: undefined,
    milliseconds: 1,
    ...more,
  })

  test('replicas count every request, and the first event of each key once', async () => {
    const { log, lines } = memoryLog()
    const replicas = [0, 1].map(() => startTally(database(), log))
    tallies.push(...replicas)
    const keys = Array.from({ length: 200 }, () => randomUUID())
    for (let round = 0; round < 3; round++)
      for (const [index, key] of keys.entries()) {
        const isError = index % 2 === 0
        const side = index % 4 < 2 ? 'canary' : 'stable'
        const request = answered({ key, side, isError, code: isError ? undefined : 'DONE', milliseconds: 50 })
        replicas[(index + round) % 2]?.count(request)
      }
    // Each request without a key is a separate unit.
    for (let count = 0; count < 7; count++) replicas[0]?.count(answered({ isError: true }))
    await Promise.all(replicas.map((replica) => replica.stop()))
    expect(lines).toEqual([])
    const [counts] = await stageCounts(database().scope(org), split.executionId, split.environmentId)
    expect(counts).toEqual({
      share: 0.1,
      requests: { canary: 307, stable: 300 },
      errors: { canary: 57, stable: 50 },
      slow: { canary: 100, stable: 100 },
      codes: new Map([['DONE', { canary: 50, stable: 50 }]]),
      groups: new Map(),
    })
  })

  test('results of a group are counted with it, failures too, and once for each key', async () => {
    const tally = startTally(database(), memoryLog().log)
    tallies.push(tally)
    const groups = new Map([
      ['PRICED', 'group 0'],
      ['A%20B', 'group 0'],
      ['', 'group 1'],
    ])
    const linked = { ...split, groups }
    const key = randomUUID()
    for (const code of ['PRICED', 'A%20B', 'PRICED', 'OTHER', '%zz'])
      tally.count(answered({ split: linked, key, code }))
    tally.count(answered({ split: linked, key: randomUUID(), side: 'stable', code: 'A%20B' }))
    tally.count(answered({ split: linked, code: 'PRICED' }))
    tally.count(answered({ split: linked, side: 'stable', isError: true }))
    await tally.stop()
    const [counts] = await stageCounts(database().scope(org), split.executionId, split.environmentId)
    expect(counts?.groups).toEqual(
      new Map([
        [0, { canary: 2, stable: 1 }],
        [1, { canary: 0, stable: 1 }],
      ]),
    )
    expect(Object.fromEntries(counts?.codes ?? [])).toMatchObject({
      PRICED: { canary: 2, stable: 0 },
      'A B': { canary: 1, stable: 1 },
      OTHER: { canary: 1, stable: 0 },
      '%zz': { canary: 1, stable: 0 },
    })
  })

  describe('while the database is unavailable', () => {
    const AWAY = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    /** A tally whose database fails as often as there are errors. */
    function tallyBehind(errors: Error[]) {
      const attempts = { count: 0 }
      const dropped: number[] = []
      const failing: Database = {
        ...database(),
        note(...parts) {
          attempts.count++
          const error = errors.shift()
          return error === undefined ? database().note(...parts) : Promise.reject(error)
        },
      }
      const tally = startTally(failing, memoryLog().log, (requests) => void dropped.push(requests))
      tallies.push(tally)
      return { tally, dropped, attempts }
    }
    const errorsOfCanary = async () => {
      const [counts] = await stageCounts(database().scope(org), split.executionId, split.environmentId)
      return [counts?.requests.canary ?? 0, counts?.errors.canary ?? 0] as const
    }

    test('counts wait, and each is stored once when the database returns', async () => {
      const [requests, errors] = await errorsOfCanary()
      const { tally, dropped, attempts } = tallyBehind([AWAY, AWAY])
      const key = randomUUID()
      tally.count(answered({ key, isError: true }))
      await expect.poll(() => attempts.count, { timeout: 30_000 }).toBe(1)
      tally.count(answered({ key, isError: true }))
      tally.count(answered({ key: randomUUID(), isError: true }))
      await expect.poll(errorsOfCanary, { timeout: 30_000 }).toEqual([requests + 3, errors + 2])
      await tally.stop()
      expect(await errorsOfCanary()).toEqual([requests + 3, errors + 2])
      expect(dropped).toEqual([])
    })

    test('counts whose commit has an unknown outcome are dropped, never repeated', async () => {
      const before = await errorsOfCanary()
      const { tally, dropped } = tallyBehind([new CommitOutcomeUnknown(AWAY)])
      tally.count(answered({ isError: true }))
      tally.count(answered({}))
      await tally.stop()
      expect([await errorsOfCanary(), dropped]).toEqual([before, [2]])
    })

    test('counts beyond the bound are dropped, and those that wait are dropped by a stop', async () => {
      const { tally, dropped } = tallyBehind(Array<Error>(100).fill(AWAY))
      for (let count = 0; count < 99_600; count++) tally.count(answered({ key: `${count}`, isError: true }))
      await tally.stop()
      expect(dropped).toEqual([...Array<number>(100).fill(1), 99_500])
    })
  })
})

/** A stage of the world's execution, and how the proxy sees it. */
async function openStage(
  database: Database,
  { org, release, execution }: { readonly org: OrgId; readonly release: string; readonly execution: string },
): Promise<Split> {
  const { environment_id } = await database
    .scope(org)
    .read('release_executions')
    .selectFrom('release_executions')
    .select('environment_id')
    .where('id', '=', execution)
    .executeTakeFirstOrThrow()
  const environmentId = environment_id ?? ''
  await database.note(org, ({ scope }) =>
    scope
      .insert('release_canaries', {
        execution_id: execution,
        environment_id: environmentId,
        release_id: release,
        stage: 0,
        basis_points: 1000,
        ends_at: new Date(),
        control_p99_us: 20_000,
        ended_at: null,
      })
      .execute(),
  )
  const candidates = new Map([['rule', 'rule.r1']])
  return {
    executionId: execution,
    environmentId,
    releaseId: release,
    stage: 0,
    percent: 10,
    slowMs: 20,
    candidates,
    groups: new Map(),
  }
}
