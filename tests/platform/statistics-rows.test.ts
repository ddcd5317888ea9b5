import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { ACTIONS } from '../../apps/platform-server/src/access/actions.ts'
import type { Caller } from '../../apps/platform-server/src/access/caller.ts'
import { dayOf } from '../../apps/platform-server/src/features/engines/branch-counts.ts'
import { readBranchCounts } from '../../apps/platform-server/src/features/statistics/branch-counts.ts'
import { rulesetStats } from '../../apps/platform-server/src/features/statistics/ruleset-stats.ts'
import { useDatabase } from './databases.testing.ts'
import { newRolloutSteps, type ReportedEngine, type RolloutSteps } from './rollout-steps.testing.ts'

/** Counts of decisions as the database has them, in the environments `dev` and `prod`, each with one engine. */

const database = useDatabase('postgres')
let its: RolloutSteps
let engines: Readonly<Record<string, ReportedEngine>>
beforeEach(async () => {
  its = await newRolloutSteps(database())
  engines = { dev: await its.serve('dev'), prod: await its.serve('prod') }
})
const scope = () => database().scope(its.org)
const key = (environments: readonly string[] | null): Caller => ({
  kind: 'key',
  id: randomUUIDv7(),
  name: 'k',
  orgId: its.org,
  userId: null,
  scopes: ACTIONS,
  projectIds: null,
  environments,
})
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)] as const

describe('the statistics of a ruleset', () => {
  const BEGIN = Date.parse('2026-05-01T00:00:00Z')
  const at = (minute: number) => new Date(BEGIN + minute * 60_000)
  const SPAN = { from: at(0), to: at(10), stepSeconds: 300 }
  /** Count decisions of one minute. */
  async function count(minute: number, { environment = 'dev', ruleset = 'fee', digest = A, ok = 1, errors = 0 } = {}) {
    const row = { environment_id: its.environment(environment), ruleset, digest, at: at(minute), ok, errors }
    const durations = { counts: [ok + errors], sum_seconds: 0 }
    const json = { codes: JSON.stringify({ OK: ok }), durations: JSON.stringify(durations) }
    const server_id = engines[environment]?.id ?? ''
    await database().note(its.org, ({ scope: own }) =>
      own.insert('ruleset_counts', { ...row, ...json, server_id }).execute(),
    )
  }
  const stats = (caller: Caller = key(null), project = its.project) =>
    rulesetStats(scope(), project, 'fee', caller, SPAN)
  const executions = async () =>
    (await stats()).environments.map(({ environment, contents }) => [
      environment,
      contents.map((content) => [content.digest, content.executions]),
    ])

  test('are those of the requested time: its beginning counts, its end does not', async () => {
    for (const minute of [-1, 0, 9, 10]) await count(minute, { ok: 10 ** (minute < 0 ? 0 : minute === 10 ? 3 : 1) })
    expect(await executions()).toEqual([['dev', [[A, 20]]]])
    expect(await stats()).toMatchObject({
      from: SPAN.from.toISOString(),
      to: SPAN.to.toISOString(),
      step_seconds: 300,
    })
  })

  test('come in the order of environments, the content that decided last first', async () => {
    await its.change(({ scope: own }) =>
      own.update('environments').set({ position: 9 }).where('id', '=', its.environment('dev')).execute(),
    )
    await count(1)
    await count(3, { digest: B })
    await count(5, { environment: 'prod', digest: B })
    await count(7, { environment: 'prod' })
    expect(await executions()).toEqual([
      [
        'prod',
        [
          [A, 1],
          [B, 1],
        ],
      ],
      [
        'dev',
        [
          [B, 1],
          [A, 1],
        ],
      ],
    ])
  })

  test('have points of whole steps, whose counts are their own', async () => {
    await count(0, { ok: 3, errors: 1 })
    await count(4, { ok: 5 })
    await count(5, { ok: 7, errors: 2 })
    const [content] = (await stats()).environments[0]?.contents ?? []
    expect(content).toMatchObject({ executions: 18, errors: 3, codes: { OK: 15 } })
    expect(content?.points).toEqual([
      { at: at(0).toISOString(), executions: 9, errors: 1, codes: { OK: 8 } },
      { at: at(5).toISOString(), executions: 9, errors: 2, codes: { OK: 7 } },
    ])
  })

  test.each([
    ['fee', 1],
    ['fee.r12', 1],
    ['fee.rx', 0],
    ['fee.other', 0],
    ['fees', 0],
  ])('of `fee` include those of `%s`: %d', async (ruleset, counted) => {
    await count(1, { ruleset })
    expect((await stats()).environments).toHaveLength(counted)
    expect((await stats(key(null), randomUUIDv7())).environments).toEqual([])
  })

  test('are those of the environments of a key', async () => {
    for (const environment of ['dev', 'prod']) await count(1, { environment })
    const seen = async (only: readonly string[] | null) =>
      (await stats(key(only))).environments.map(({ environment }) => environment)
    expect([await seen(null), await seen(['prod']), await seen([])]).toEqual([['dev', 'prod'], ['prod'], []])
  })

  test('name the version that a content has now, or else the last one under which it was published', async () => {
    for (const [minute, digest] of [A, B, 'c'.repeat(64)].entries()) await count(minute, { digest })
    const environment_id = its.environment('dev')
    const contents = [A, B].map((digest) => ({ digest, content: '{}' }))
    const { tables } = database().unscoped
    await tables
      .insertInto('ruleset_contents')
      .values(contents)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await database().note(its.org, async ({ scope: own }) => {
      const deployment = (version: string, digest: string, minute: number) => ({
        id: randomUUIDv7(),
        environment_id,
        ruleset_name: 'fee',
        version,
        digest,
        seq: 1,
        status: 'success' as const,
        deployed_by: 'system',
        deployed_at: at(minute),
      })
      await own
        .insert('deployments', [deployment('1.2.0', A, 2), deployment('1.1.0', A, 1), deployment('2.0.0', B, 1)])
        .execute()
      await own.insert('desired_rulesets', { environment_id, name: 'fee', digest: B, version: '2.1.0' }).execute()
    })
    const versions = ((await stats()).environments[0]?.contents ?? []).map(({ version }) => version)
    expect(versions).toEqual([null, '2.1.0', '1.2.0'])
  })
})

describe('the branch counts of a content', () => {
  async function count(environment: string, days: number, { ruleset = 'fee', digest = A, executions = 1 } = {}) {
    const row = { environment_id: its.environment(environment), ruleset, digest, executions }
    const day = dayOf(new Date(Date.now() - days * 86_400_000))
    const branches = JSON.stringify({ step: [executions, 0] })
    const server_id = engines[environment]?.id ?? ''
    await database().note(its.org, ({ scope: own }) =>
      own.insert('branch_counts', { ...row, day, branches, server_id }).execute(),
    )
  }
  const counts = async (caller: Caller = key(null), project = its.project) =>
    (await readBranchCounts(scope(), project, 'fee', caller, A)).environments.map((one) => [
      one.environment,
      one.executions,
      one.branches,
    ])

  test('are summed over thirty days by environment, in their order, for the content alone', async () => {
    await its.change(({ scope: own }) =>
      own.update('environments').set({ position: 9 }).where('id', '=', its.environment('dev')).execute(),
    )
    for (const [days, executions] of [
      [0, 1],
      [29, 10],
      [30, 100],
    ] as const)
      await count('dev', days, { executions })
    await count('dev', 1, { executions: 1000, digest: B })
    await count('dev', 1, { executions: 2000, ruleset: 'other' })
    await count('prod', 0, { executions: 3 })
    await count('prod', 0, { executions: 4, ruleset: 'fee.r1' })
    const prod = ['prod', 7, { step: [7, 0] }]
    expect(await counts()).toEqual([prod, ['dev', 11, { step: [11, 0] }]])
    expect(await counts(key(['prod']))).toEqual([prod])
    expect(await counts(key(null), randomUUIDv7())).toEqual([])
  })
})
