import { randomUUIDv7 } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Compute } from '../../apps/platform-server/src/compute/compute.ts'
import { stringifyJson } from '@engine/expression'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import { type ActiveShadow, activeShadows } from '../../apps/platform-server/src/features/shadows/active-shadows.ts'
import { startComparison } from '../../apps/platform-server/src/features/shadows/comparison.ts'
import {
  reportOf,
  shadowBy,
  shadowsOn,
  shadowsUnderWay,
} from '../../apps/platform-server/src/features/shadows/repository.ts'
import { Counts, storeCounts } from '../../apps/platform-server/src/features/shadows/shadow-counts.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { addCast, addWorld, type Cast, type World } from './world.testing.ts'

/** The results of shadows as the database has them. A world has a shadow of `kept` in `dev`. */

const database = useDatabase('postgres')
let cast: Cast
let world: World
let scope: Scope
let shadow: ActiveShadow
beforeAll(async () => {
  cast = await addCast(database())
})
beforeEach(async () => {
  world = await addWorld(database(), cast, 'server.manage', { hasProject: true, hasDrafts: true })
  scope = database().scope(world.org)
  shadow = (await activeShadows(scope, world.project))[0] as ActiveShadow
})

const update = (columns: object) =>
  database().unscoped.tables.updateTable('shadows').set(columns).where('id', '=', world.shadow).execute()
const report = async () => reportOf(scope, await shadowBy(scope, world.project, world.shadow))
const counted = (fill: (counts: Counts) => void, id = world.shadow) => {
  const counts = new Counts(world.org, id)
  fill(counts)
  return counts
}
const example = (points: number) => stringifyJson({ input: { points } })
/** A change of the result code, with an example. */
const change = (counts: Counts, from: string | null, to: string | null, points?: number) =>
  counts.differs(from, to, points === undefined ? undefined : example(points))

describe('stored counts', () => {
  test('are added to those before, with the most frequent transitions first and three examples of each', async () => {
    await storeCounts(
      database(),
      counted((counts) => {
        Object.assign(counts, { requests: 10, dropped: 1 })
        change(counts, 'A', 'B', 1)
        change(counts, 'A', 'B', 2)
        change(counts, null, 'B')
      }),
    )
    await storeCounts(
      database(),
      counted((counts) => {
        Object.assign(counts, { requests: 5, dropped: 2 })
        for (const points of [3, 4, 5]) change(counts, 'A', 'B', points)
        for (const points of [6, 7]) change(counts, 'B', 'A', points)
      }),
    )
    const examples = (...points: readonly number[]) => points.map((one) => ({ input: { points: one } }))
    expect(await report()).toMatchObject({
      requests: 15,
      changed: 8,
      dropped: 3,
      transitions: [
        { from: 'A', to: 'B', count: 5, examples: examples(1, 2, 3) },
        { from: 'B', to: 'A', count: 2, examples: examples(6, 7) },
        { from: null, to: 'B', count: 1, examples: [] },
      ],
    })
  })

  test('of a shadow that was deleted are dropped', async () => {
    const counts = counted((one) => change(one, 'A', 'B', 1), randomUUIDv7())
    await storeCounts(database(), counts)
    expect(await report()).toMatchObject({ requests: 0, changed: 0, transitions: [] })
  })

  test('have a hundred transitions at most, in one process and in the database', async () => {
    const counts = counted((one) => {
      for (let index = 0; index < 101; index++) change(one, `A${index}`, 'B', index)
      change(one, 'A5', 'B')
    })
    expect([counts.changed, counts.transitions.size, counts.transitions.get('["A5","B"]')?.count]).toEqual([
      102, 100, 2,
    ])
    await storeCounts(database(), counts)
    await storeCounts(
      database(),
      counted((one) => {
        change(one, 'new', 'B')
        change(one, 'A7', 'B')
      }),
    )
    const { changed, transitions } = await report()
    expect([changed, transitions.length]).toEqual([104, 100])
    expect(transitions.find(({ from }) => from === 'A7')?.count).toBe(2)
  })

  test('have three examples of a transition at most', () => {
    const { transitions } = counted((one) => {
      for (const points of [1, 2, 3, 4]) change(one, 'A', 'B', points)
    })
    expect(transitions.get('["A","B"]')).toEqual({ count: 4, examples: [1, 2, 3].map(example) })
  })

  test('that wait are added without their examples', () => {
    const all = counted((one) => {
      one.requests = 1
      change(one, 'A', 'B', 1)
    })
    all.addUnstored(
      counted((one) => {
        Object.assign(one, { requests: 2, dropped: 3 })
        change(one, 'A', 'B', 2)
        change(one, 'C', 'D', 3)
      }),
    )
    expect([all.requests, all.changed, all.dropped]).toEqual([3, 3, 3])
    expect([...all.transitions]).toEqual([
      ['["A","B"]', { count: 2, examples: [example(1)] }],
      ['["C","D"]', { count: 1, examples: [] }],
    ])
  })
})

describe('a comparison', () => {
  /** Answers each task in turn, the last one for good. */
  function comparing(...outcomes: readonly object[]) {
    const tasks: object[] = []
    const compute = {
      run: async (task: object) => {
        tasks.push(task)
        const outcome = outcomes[Math.min(tasks.length, outcomes.length) - 1]
        if (outcome instanceof Error) throw outcome
        return outcome
      },
    } as unknown as Compute
    return { comparison: startComparison(database(), compute, memoryLog().log), tasks }
  }
  const done = (result: object) => ({ kind: 'done', result })
  const bodies = { request: {}, answer: {} } as never

  test.each<readonly [string, object, object]>([
    ['the same result', done({ kind: 'compared', changed: false }), { requests: 1, changed: 0, dropped: 0 }],
    [
      'another result',
      done({ kind: 'compared', changed: true, from: 'A', to: 'B', example: example(1) }),
      { requests: 1, changed: 1, dropped: 0 },
    ],
    ['nothing to compare', done({ kind: 'skipped' }), { requests: 0, changed: 0, dropped: 0 }],
    ['too much time', { kind: 'over', message: '' }, { requests: 0, changed: 0, dropped: 1 }],
    ['a defect', new Error('broken'), { requests: 0, changed: 0, dropped: 1 }],
  ])('with %s counts as it should', async (_what, outcome, counts) => {
    const { comparison, tasks } = comparing(outcome)
    comparison.offer(shadow, bodies)
    // Those that wait at the end are dropped, and this one has begun.
    await Promise.resolve()
    await comparison.stop()
    expect(await report()).toMatchObject(counts)
    expect(tasks).toEqual([
      { kind: 'shadow', digest: shadow.digest, document: '{}', mask: shadow.mask, request: {}, answer: {} },
    ])
  })

  test('of a request that is dropped, comes too late, or while 64 wait counts as dropped', async () => {
    const { comparison, tasks } = comparing({ kind: 'done', result: { kind: 'compared', changed: false } })
    comparison.dropped(shadow)
    // The comparison of the first one begins immediately.
    for (let index = 0; index < 66; index++) comparison.offer(shadow, bodies)
    await vi.waitFor(() => expect(tasks).toHaveLength(65))
    const stopped = comparison.stop()
    comparison.offer(shadow, bodies)
    await stopped
    expect(await report()).toMatchObject({ requests: 65, dropped: 1 + 1 + 1 })
  })
})

describe('shadows', () => {
  test('under way have the mask of their environment and contract, and end at their time', async () => {
    await database()
      .unscoped.tables.updateTable('environments')
      .set({ recording: JSON.stringify({ rate: 0, retention_days: 1, mask: ['card'] }) })
      .where('id', '=', world.environment)
      .execute()
    const [active] = await activeShadows(scope, world.project)
    expect(active).toMatchObject({
      org: world.org,
      id: world.shadow,
      environment: world.environment,
      ruleset: 'kept',
      percent: 1,
      mask: ['card'],
    })
    const end = new Date(active?.endsAt ?? 0)
    const at = async (time: number, project = world.project) =>
      (await shadowsUnderWay(scope, project, new Date(time))).length
    expect([await at(end.getTime() - 1), await at(end.getTime())]).toEqual([1, 0])
    expect(await at(0, randomUUIDv7())).toBe(0)
    await update({ ends_at: new Date() })
    expect(await activeShadows(scope, world.project)).toEqual([])
  })

  test('are those of a project, and of the environments that a key has', async () => {
    const page = { limit: 10, sort: 'created_at', descending: true, after: undefined, contains: undefined } as const
    const count = async (only: readonly string[] | null, project = world.project) =>
      (await shadowsOn(scope, project, page, only)).length
    expect([await count(null), await count(['dev']), await count(['prod']), await count([])]).toEqual([1, 1, 0, 0])
    expect(await count(null, randomUUIDv7())).toBe(0)
    const unknown = expect.objectContaining({ code: 'not-found' })
    await expect(shadowBy(scope, randomUUIDv7(), world.shadow)).rejects.toEqual(unknown)
    await expect(shadowBy(scope, world.project, 'x')).rejects.toEqual(unknown)
  })
})
