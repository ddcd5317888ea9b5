import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { historyEntry } from '../../apps/platform-server/src/features/releases/history.ts'
import { canariesOf } from '../../apps/platform-server/src/features/rollouts/canary-progress.ts'
import { splitsIn } from '../../apps/platform-server/src/features/rollouts/canary-split.ts'
import { execute } from '../../apps/platform-server/src/features/rollouts/execute-release.ts'
import { expectedIn } from '../../apps/platform-server/src/features/rollouts/expected-transitions.ts'
import { Fenced, takeStep } from '../../apps/platform-server/src/features/rollouts/execution-step.ts'
import { abort, pause, promote, resume, rollback } from '../../apps/platform-server/src/features/rollouts/operations.ts'
import { goBack } from '../../apps/platform-server/src/features/rollouts/rollback/to-history-entry.ts'
import { executionOf } from '../../apps/platform-server/src/features/rollouts/repository.ts'
import { progressOf, stageOf } from '../../apps/platform-server/src/features/rollouts/rollout-state.ts'
import { stagesOf } from '../../apps/platform-server/src/features/rollouts/stage-counts.ts'
import { useDatabase } from './databases.testing.ts'
import { newRolloutSteps, releaseOf, type RolloutSteps, serversOf } from './rollout-steps.testing.ts'

// The steps of an execution by stored rows and a clock that the test moves: no server, no engine, no waiting.
const database = useDatabase('postgres')
let its: RolloutSteps
beforeEach(async () => {
  its = await newRolloutSteps(database())
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const stage = (percent: number, duration_s = 3600) => ({ percent, duration_s, min_requests: 0 })
const conflict = (code: string) => expect.objectContaining({ details: [expect.objectContaining({ code })] })
/** The release that an operation has made. */
const idOf = ({ release }: { readonly release: { readonly id: string } }) => release.id

/** A release from content 1 to content 2 in its first stage, and an engine that has both. */
async function inCanary(canary: Parameters<RolloutSteps['set']>[1]['canary'] = {}) {
  await its.set('prod', { canary: { stages: [stage(50)], ...canary } })
  const engine = await its.serve('prod')
  await its.makeLive('prod', 1)
  const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
  await its.run(execution)
  return { release, execution, engine }
}

/** A release of content 2 over content 1 that is completed. */
async function completed() {
  const engine = await its.serve('prod')
  await its.makeLive('prod', 1)
  const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
  expect(await its.run(execution)).toMatchObject({ status: 'completed' })
  return { release, execution, engine }
}

describe('before the first delivery', () => {
  test('an environment that is held waits once; it is not held again, and rollbacks are not held', async () => {
    await its.set('prod', { hold_before: true })
    await its.serve('prod')
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    expect(await its.step(execution)).toMatchObject({ status: 'paused', step: 'preflight', next_run_at: null })
    expect(await its.events(release)).toEqual(['execution_started', 'execution_paused'])
    expect(await its.live('prod')).toEqual({ fee: 1 })
    await resume(its.operating(), release)
    expect(await its.run(execution)).toMatchObject({ status: 'completed' })
    const back = await rollback(its.operating(), release, undefined)
    expect(await its.run(back.execution.id)).toMatchObject({ status: 'completed' })
    expect(await its.live('prod')).toEqual({ fee: 1 })
  })

  test('content that became live since is not overwritten', async () => {
    await its.serve('prod')
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.makeLive('prod', 3)
    expect(await its.step(execution)).toMatchObject({
      status: 'failed',
      error: 'the live content of `prod` is not the base of the release',
    })
    expect([(await releaseOf(its, release)).status, await its.live('prod')]).toEqual(['failed', { fee: 3 }])
  })

  test('content of the release that is live already is no obstacle', async () => {
    await its.serve('prod')
    await its.makeLive('prod', 1)
    const [, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.makeLive('prod', 2)
    expect(await its.run(execution)).toMatchObject({ status: 'completed' })
  })

  test.each<[title: string, engines: readonly boolean[], error: string]>([
    ['no engine', [], 'no engine serves `prod`'],
    ['silent engines alone', [false, false], 'no engine of `prod` is healthy'],
  ])('%s fails a release, and its rollback is delivered later', async (_title, engines, error) => {
    await its.makeLive('prod', 1)
    for (const isHealthy of engines) {
      const engine = await its.serve('prod')
      if (!isHealthy) engine.fallSilent()
    }
    its.pass(HOUR)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    expect(await its.step(execution)).toMatchObject({
      status: 'failed',
      error,
      environment_id: its.environment('prod'),
    })
    expect(await its.live('prod')).toEqual({ fee: 1 })
    const back = await rollback(its.operating(), release, 'as a precaution')
    expect(await its.run(back.execution.id)).toMatchObject({ status: 'completed' })
  })

  test('silent engines are skipped, and reported', async () => {
    const [present, away] = [await its.serve('prod'), await its.serve('prod')]
    away.fallSilent()
    its.pass(HOUR)
    const [release, execution] = await its.start([{ base: null, content: 1 }], 'prod')
    expect(await its.run(execution)).toMatchObject({ status: 'completed' })
    expect((await serversOf(its, execution)).map(({ server_id, status }) => [server_id, status])).toEqual([
      [present.id, 'live'],
      [away.id, 'skipped'],
    ])
    const passed = await eventsOf(release, 'preflight_passed')
    expect(passed).toEqual([{ servers: 1, skipped: 1 }])
  })

  test('an engine without tenants that another environment has given the same ruleset fails it', async () => {
    const engine = await its.serve('prod', { tenants: false })
    await its.makeLive('prod', 1)
    await its.makeLive('dev', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.change(async ({ scope }) => {
      const other = { environment_id: its.environment('dev'), server_id: engine.id, position: 0 }
      await scope.insert('environment_servers', other).execute()
    })
    const { status, error } = await its.step(execution)
    expect([status, error]).toEqual(['failed', expect.stringContaining('has no tenants')])
    expect(await its.events(release)).toEqual(['execution_started', 'execution_failed'])
  })

  test('an engine with tenants has the ruleset of each environment', async () => {
    const engine = await its.serve('prod')
    await its.makeLive('prod', 1)
    await its.makeLive('dev', 1)
    const [, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.change(async ({ scope }) => {
      const other = { environment_id: its.environment('dev'), server_id: engine.id, position: 0 }
      await scope.insert('environment_servers', other).execute()
    })
    expect(await its.run(execution)).toMatchObject({ status: 'completed' })
    expect(await engine.desired()).toEqual(['fee', 'fee'])
  })

  test('a step by a replica whose claim was taken over stores nothing', async () => {
    await its.serve('prod')
    const [release, execution] = await its.start([{ base: null, content: 1 }], 'prod')
    const claimed = { org_id: its.org, id: execution, fence: 7 }
    await expect(takeStep({ database: database(), heartbeatMs: 1000 }, claimed)).rejects.toBeInstanceOf(Fenced)
    expect(await its.events(release)).toEqual(['execution_started'])
    expect(await its.step(execution)).toMatchObject({ step: 'full' })
  })
})

async function eventsOf(release: string, type: string) {
  const all = await its.database
    .scope(its.org)
    .read('release_events')
    .selectFrom('release_events')
    .select('data')
    .where('release_id', '=', release)
    .where('type', '=', type)
    .orderBy('seq')
    .execute()
  return all.map(({ data }) => data)
}

/** Names of the environments of events. */
async function placesOf(release: string, type: string) {
  const all = await its.database
    .scope(its.org)
    .read('release_events')
    .selectFrom('release_events')
    .select('environment')
    .where('release_id', '=', release)
    .where('type', '=', type)
    .orderBy('seq')
    .execute()
  return all.map(({ environment }) => environment)
}

describe('delivery', () => {
  test('the content becomes desired, and is done when every engine has it', async () => {
    const [first, second] = [await its.serve('prod'), await its.serve('prod')]
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.step(execution)
    expect(await its.live('prod')).toEqual({ fee: 1 })
    expect(await its.step(execution)).toMatchObject({ step: 'verify' })
    expect(await its.live('prod')).toEqual({ fee: 2 })
    expect(await its.step(execution)).toMatchObject({ step: 'verify' })
    await first.take()
    expect(await its.step(execution)).toMatchObject({ step: 'verify' })
    expect((await serversOf(its, execution)).map(({ status }) => status)).toEqual(['live', 'delivering'])
    await second.take()
    expect(await its.step(execution)).toMatchObject({ step: 'done', next_run_at: expect.any(Date) })
    expect(await its.step(execution)).toMatchObject({ status: 'completed', ended_at: expect.any(Date) })
    expect((await releaseOf(its, release)).status).toBe('completed')
    expect(await its.events(release)).toEqual([
      'execution_started',
      'environment_started',
      'preflight_passed',
      // Each engine: delivering, then live.
      'server_state',
      'server_state',
      'server_state',
      'server_state',
      'environment_completed',
      'execution_completed',
    ])
  })

  test('an engine that has not taken it within a minute fails it; the content stays desired', async () => {
    const [first, second] = [await its.serve('prod'), await its.serve('prod')]
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    for (let count = 0; count < 3; count++) await its.step(execution)
    await first.take()
    its.pass(MINUTE - 1)
    expect(await its.step(execution)).toMatchObject({ status: 'running', step: 'verify' })
    its.pass(1)
    expect(await its.step(execution)).toMatchObject({
      status: 'failed',
      error: `\`${second.name}\` has not taken it within 60 s. Delivered to 1 of 2 engines of \`prod\`; the others take it when they return: roll back to undo`,
    })
    expect([(await releaseOf(its, release)).status, await its.live('prod')]).toEqual(['failed', { fee: 2 }])
  })

  test.each<[title: string, retried: boolean, status: string]>([
    ['for good fails the release', false, 'failed'],
    ['that is tried again does not', true, 'running'],
  ])('a refusal by an engine %s', async (_title, retried, status) => {
    const engine = await its.serve('prod', { tenants: false })
    const [, execution] = await its.start([{ base: null, content: 1 }], 'prod')
    await its.step(execution)
    await its.step(execution)
    const [{ digest }] = (await its.database
      .scope(its.org)
      .read('desired_rulesets')
      .selectFrom('desired_rulesets')
      .select('digest')
      .execute()) as [{ digest: string }]
    await engine.report({ problems: JSON.stringify([{ name: 'fee', digest, message: 'no', retried, tenant: null }]) })
    expect((await its.step(execution)).status).toBe(status)
  })

  test('environments come one after another, each with its own live content', async () => {
    await its.serve('dev')
    await its.serve('prod')
    await its.makeLive('prod', 1)
    await its.makeLive('dev', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'dev', 'prod')
    const seen: string[] = []
    for (let count = 0; count < 40; count++) {
      const live = `${(await its.live('dev'))['fee']}${(await its.live('prod'))['fee']}`
      if (seen.at(-1) !== live) seen.push(live)
      const row = await its.step(execution)
      if (row.ended_at !== null) break
      if (row.step === 'verify') for (const engine of its.engines()) await engine.take()
    }
    expect(seen).toEqual(['11', '21', '22'])
    expect((await its.events(release)).filter((type) => type.startsWith('environment_'))).toEqual([
      'environment_started',
      'environment_completed',
      'environment_started',
      'environment_completed',
    ])
  })

  test('a removal takes the ruleset away', async () => {
    const engine = await its.serve('prod')
    await its.makeLive('prod', 1)
    const [, execution] = await its.start([{ base: 1, content: null }], 'prod')
    expect(await its.run(execution)).toMatchObject({ status: 'completed' })
    expect([await its.live('prod'), await engine.desired()]).toEqual([{}, []])
  })

  test('a queued deployment of an older content is replaced by that of the release', async () => {
    await its.serve('prod')
    const first = await its.start([{ base: null, content: 1 }], 'prod')
    await its.step(first[1])
    await its.step(first[1])
    expect(await deployments()).toEqual(['1 queued'])
    await abandon(first)
    const [, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.step(execution)
    await its.step(execution)
    expect(await deployments()).toEqual(['1 failed', '2 queued'])
  })

  /** End an execution where it is. */
  const abandon = async ([release, execution]: readonly [string, string]) =>
    its.change(async ({ scope }) => {
      await scope
        .update('release_executions')
        .set({ status: 'failed', ended_at: new Date() })
        .where('id', '=', execution)
        .execute()
      await scope.update('releases').set({ status: 'failed' }).where('id', '=', release).execute()
    })

  const deployments = async () =>
    (
      await its.database
        .scope(its.org)
        .read('deployments')
        .selectFrom('deployments')
        .select(['seq', 'status'])
        .orderBy('deployed_at')
        .execute()
    ).map(({ seq, status }) => `${seq} ${status}`)
})

describe('a canary', () => {
  test('candidates are delivered beside the live content, then the stage begins', async () => {
    await its.set('prod', { canary: { stages: [stage(0.4, 60)] } })
    const engine = await its.serve('prod')
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start(
      [
        { base: 1, content: 2 },
        { name: 'new', base: null, content: 5 },
      ],
      'prod',
    )
    expect(await its.step(execution)).toMatchObject({ step: 'canary', stage: null })
    const { number } = await releaseOf(its, release)
    // A ruleset that nothing decides yet has no candidate.
    expect(await engine.desired()).toEqual(['fee', `fee.r${number}`])
    expect(await its.step(execution)).toMatchObject({ step: 'canary', stage: null })
    await engine.take()
    expect(stageOf(await its.step(execution))).toEqual({
      index: 0,
      percent: 0.4,
      ends_at: new Date(its.now() + MINUTE).toISOString(),
      verdict: null,
    })
    const [row] = await stagesOf(its.database.scope(its.org), execution, its.environment('prod'))
    expect(row).toMatchObject({
      basis_points: 40,
      begun_at: new Date(its.now()),
      ends_at: new Date(its.now() + MINUTE),
      ended_at: null,
    })
    expect((await its.live('prod'))['fee']).toBe(1)
  })

  test('its progress has each stage, begun or not, and what both sides have answered', async () => {
    const { execution } = await inCanary({
      stages: [stage(10, 60), { ...stage(50, 120), min_requests: 7 }],
      alpha: 0.05,
    })
    await its.count(execution, { canary: [100, 3], stable: [900, 9] })
    const row = await its.step(execution)
    const [canary, ...others] = await canariesOf(its.database.scope(its.org), row)
    const begun_at = new Date(its.now()).toISOString()
    const ends_at = new Date(its.now() + MINUTE).toISOString()
    const none = { canary: 0, stable: 0 }
    expect(canary).toMatchObject({
      environment: 'prod',
      alpha: 0.05,
      on_failure: 'pause',
      on_inconclusive: 'hold',
      slow_above_ms: null,
      stages: [
        {
          index: 0,
          percent: 10,
          duration_s: 60,
          min_requests: 0,
          begun_at,
          ends_at,
          ended_at: null,
          requests: { canary: 100, stable: 900 },
          errors: { canary: 3, stable: 9 },
        },
        {
          index: 1,
          percent: 50,
          duration_s: 120,
          min_requests: 7,
          begun_at: null,
          ends_at: null,
          ended_at: null,
          requests: none,
          errors: none,
        },
      ],
      predicted: null,
    })
    expect(canary?.measures).not.toBeNull()
    expect(others).toEqual([])
  })

  test('engines for candidates alone get them alone, and are needed', async () => {
    await its.set('prod', { canary: { stages: [stage(50)] } })
    const engine = await its.serve('prod')
    const separate = await its.serve('prod', { canaryOnly: true })
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.step(execution)
    const { number } = await releaseOf(its, release)
    expect([await engine.desired(), await separate.desired()]).toEqual([['fee'], [`fee.r${number}`]])
    await engine.take()
    expect(await its.step(execution)).toMatchObject({ stage: null })
    await separate.take()
    expect(stageOf(await its.step(execution))).toMatchObject({ index: 0 })
    await abort(its.operating(), release)
    separate.fallSilent()
    its.pass(HOUR)
    const [, next] = await its.start([{ base: 1, content: 3 }], 'prod')
    expect(await its.step(next)).toMatchObject({ error: 'no engine for the canaries of `prod` is healthy' })
  })

  test('a stage that is inconclusive at its end is held, until a person promotes it', async () => {
    const { release, execution } = await inCanary()
    its.pass(HOUR - 1)
    await its.step(execution)
    expect(stageOf(await its.step(execution))?.verdict).toBeNull()
    its.pass(1)
    expect(stageOf(await its.step(execution))?.verdict).toMatchObject({ decision: 'hold' })
    its.pass(HOUR)
    expect(await its.step(execution)).toMatchObject({ status: 'running', step: 'canary' })
    expect(await promote(its.operating(), release)).toMatchObject({ step: 'full', stage: null, status: 'running' })
    expect(await eventsOf(release, 'stage_passed')).toEqual([{ index: 0 }])
    expect(await placesOf(release, 'stage_passed')).toEqual(['prod'])
    expect(await its.run(execution)).toMatchObject({ status: 'completed' })
    expect(await its.live('prod')).toEqual({ fee: 2 })
    await expect(promote(its.operating(), release)).rejects.toEqual(conflict('wrong_state'))
  })

  test('it is promoted through its stages, and candidates leave the engines a moment after the last', async () => {
    const { release, execution, engine } = await inCanary({
      stages: [stage(10, 60), stage(50, 60)],
      on_inconclusive: 'promote',
    })
    its.pass(MINUTE)
    expect(stageOf(await its.step(execution))).toMatchObject({ index: 1, percent: 50 })
    const stages = await stagesOf(its.database.scope(its.org), execution, its.environment('prod'))
    expect(stages.map(({ ended_at }) => ended_at)).toEqual([new Date(its.now()), null])
    its.pass(MINUTE)
    expect(await its.step(execution)).toMatchObject({ step: 'full', stage: null })
    await its.step(execution)
    await engine.take()
    expect(await its.step(execution)).toMatchObject({ step: 'done' })
    expect(await engine.desired()).toHaveLength(2)
    expect(await its.step(execution)).toMatchObject({ status: 'completed' })
    expect(await engine.desired()).toEqual(['fee'])
    const types = (await its.events(release)).filter((type) => type.startsWith('stage_'))
    expect(types.filter((type) => type !== 'stage_verdict')).toEqual([
      'stage_started',
      'stage_passed',
      'stage_started',
      'stage_passed',
    ])
  })

  const FAILING = { canary: [2000, 400], stable: [2000, 0] } as const

  test('a candidate that fails more often is rolled back, by a release of its own', async () => {
    const { release, execution, engine } = await inCanary({ on_failure: 'rollback' })
    await its.count(execution, FAILING)
    expect(await its.step(execution)).toMatchObject({ status: 'failed', ended_at: expect.any(Date) })
    expect((await releaseOf(its, release)).status).toBe('rolling_back')
    const back = await rollbackOf(release)
    expect(back).toMatchObject({ kind: 'rollback', status: 'executing', rollback_of: release })
    expect(await its.run(back.execution_id ?? '')).toMatchObject({ status: 'completed' })
    expect((await releaseOf(its, release)).status).toBe('rolled_back')
    // The ended execution still takes its candidates away.
    await its.step(execution)
    expect([await its.live('prod'), await engine.desired()]).toEqual([{ fee: 1 }, ['fee']])
    expect((await its.events(release)).slice(-2)).toEqual(['server_state', 'rollback_completed'])
  })

  test('or is paused with its remaining time, and continues with it', async () => {
    const { release, execution } = await inCanary({ on_failure: 'pause' })
    its.pass(MINUTE)
    await its.count(execution, FAILING)
    expect(await its.step(execution)).toMatchObject({ status: 'paused', progress: { remaining_ms: HOUR - MINUTE } })
    expect((await releaseOf(its, release)).status).toBe('paused')
  })

  test('errors of an earlier stage count in the next one', async () => {
    const { execution } = await inCanary({
      stages: [stage(50, 60), stage(50, 3600)],
      on_inconclusive: 'promote',
      on_failure: 'pause',
    })
    its.pass(MINUTE)
    expect(stageOf(await its.step(execution))).toMatchObject({ index: 1 })
    await its.count(execution, { stage: 0, ...FAILING })
    expect(await its.step(execution)).toMatchObject({ status: 'paused' })
  })

  test('a pause stops the time of its stage, and a resumed stage has what was left', async () => {
    const { release, execution } = await inCanary()
    // Operations use the time of the database.
    const until = async () => Date.parse(stageOf(await its.step(execution))?.ends_at ?? '')
    const before = await until()
    await pause(its.operating(), release)
    const { progress } = await pausedRow(execution)
    await expect(pause(its.operating(), release)).rejects.toEqual(conflict('wrong_state'))
    const resumed = await resume(its.operating(), release)
    expect(resumed).toMatchObject({ status: 'running' })
    const after = Date.parse(stageOf(resumed)?.ends_at ?? '')
    expect(after).toBeGreaterThanOrEqual(before)
    expect(progress.remaining_ms).toBeGreaterThan(HOUR - 10 * MINUTE)
    const [row] = await stagesOf(its.database.scope(its.org), execution, its.environment('prod'))
    expect(row?.ends_at.getTime()).toBe(after)
    expect(resumed.progress).not.toHaveProperty('remaining_ms')
  })

  const pausedRow = async (execution: string) => {
    const row = await its.database
      .scope(its.org)
      .read('release_executions')
      .selectFrom('release_executions')
      .selectAll()
      .where('id', '=', execution)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ status: 'paused', next_run_at: null })
    return row
  }

  test('an abort ends it without a trace on engines; nothing is aborted once content is live', async () => {
    const { release, execution, engine } = await inCanary()
    expect(await abort(its.operating(), release)).toMatchObject({ status: 'cancelled', stage: null })
    expect((await its.events(release)).slice(-2)).toEqual(['server_state', 'execution_cancelled'])
    expect(await serversOf(its, execution)).toMatchObject([{ status: 'rolled_back', server_id: engine.id }])
    expect(await engine.desired()).toHaveLength(2)
    await its.step(execution)
    expect([await engine.desired(), await its.live('prod')]).toEqual([['fee'], { fee: 1 }])
    await its.set('prod', { canary: {} })
    const [late, next] = await its.start([{ base: 1, content: 3 }], 'prod')
    await its.step(next)
    await its.step(next)
    await expect(abort(its.operating(), late)).rejects.toEqual(conflict('wrong_state'))
  })

  test.each([
    ['that serve the environment have its live content again', false],
    ['for candidates alone have none', true],
  ])('after an abort, engines %s; one that failed keeps its state', async (_, canaryOnly) => {
    await its.set('prod', { canary: { stages: [stage(50)] } })
    if (canaryOnly) await its.serve('prod')
    const [engine, failed] = [await its.serve('prod', { canaryOnly }), await its.serve('prod', { canaryOnly })]
    await its.makeLive('prod', 1)
    const { tables } = database().unscoped
    const live = await tables
      .selectFrom('desired_rulesets')
      .select('digest')
      .where('environment_id', '=', its.environment('prod'))
      .executeTakeFirstOrThrow()
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.run(execution)
    await tables.updateTable('release_servers').set({ status: 'failed' }).where('server_id', '=', failed.id).execute()
    await abort(its.operating(), release)
    const states = new Map((await serversOf(its, execution)).map((row) => [row.server_id, row]))
    expect(states.get(engine.id)).toMatchObject({ status: 'rolled_back', digest: canaryOnly ? null : live.digest })
    expect(states.get(failed.id)).toMatchObject({ status: 'failed' })
  })

  test('the first minute fixes the limit of slow answers', async () => {
    const { execution } = await inCanary()
    await its.change(({ scope }) =>
      scope
        .update('release_canaries')
        .set({ evidence: JSON.stringify({ 10: 990, 40: 10 }) })
        .where('execution_id', '=', execution)
        .execute(),
    )
    const limit = async () =>
      (await stagesOf(its.database.scope(its.org), execution, its.environment('prod')))[0]?.control_p99_us
    its.pass(MINUTE - 1)
    await its.step(execution)
    expect(await limit()).toBeNull()
    its.pass(1)
    await its.step(execution)
    expect(await limit()).toBeGreaterThan(0)
  })
})

const rollbackOf = (release: string) =>
  its.database
    .scope(its.org)
    .read('releases')
    .selectFrom('releases')
    .selectAll()
    .where('rollback_of', '=', release)
    .executeTakeFirstOrThrow()

describe('a rollback', () => {
  test('restores the earlier content, and ends the release with it', async () => {
    const { release, execution, engine } = await completed()
    const made = await rollback(its.operating(), release, 'too dear')
    expect(made.release).toMatchObject({ kind: 'rollback', status: 'executing', description: 'too dear' })
    expect((await releaseOf(its, release)).status).toBe('rolling_back')
    expect(await its.live('prod')).toEqual({ fee: 2 })
    expect(await its.run(made.execution.id)).toMatchObject({ status: 'completed' })
    expect([await its.live('prod'), (await releaseOf(its, release)).status]).toEqual([{ fee: 1 }, 'rolled_back'])
    expect(await serversOf(its, execution)).toMatchObject([{ server_id: engine.id, status: 'rolled_back' }])
    expect((await its.events(release)).slice(-3)).toEqual(['rollback_started', 'server_state', 'rollback_completed'])
  })

  test('its engines are told back in each of its environments', async () => {
    const engines = { dev: await its.serve('dev'), prod: await its.serve('prod') }
    for (const name of ['dev', 'prod']) await its.makeLive(name, 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'dev', 'prod')
    expect(await its.run(execution)).toMatchObject({ status: 'completed' })
    const before = (await placesOf(release, 'server_state')).length
    const back = await rollback(its.operating(), release, undefined)
    expect(await its.run(back.execution.id)).toMatchObject({ status: 'completed' })
    const places = await placesOf(release, 'server_state')
    const told = await eventsOf(release, 'server_state')
    expect(told.map((data, index) => ({ ...(data as object), environment: places[index] })).slice(before)).toEqual(
      expect.arrayContaining(
        (['dev', 'prod'] as const).map((environment) =>
          expect.objectContaining({ environment, server_id: engines[environment].id, from: 'live', to: 'rolled_back' }),
        ),
      ),
    )
    expect(told).toHaveLength(before + 2)
  })

  test('that fails leaves the release as one whose rollback failed, and can be tried again', async () => {
    const { release, engine } = await completed()
    const made = await rollback(its.operating(), release, undefined)
    for (let count = 0; count < 3; count++) await its.step(made.execution.id)
    its.pass(MINUTE)
    expect(await its.step(made.execution.id)).toMatchObject({ status: 'failed' })
    expect((await releaseOf(its, release)).status).toBe('rollback_failed')
    await engine.take()
    const again = await rollback(its.operating(), release, undefined)
    expect(await its.run(again.execution.id)).toMatchObject({ status: 'completed' })
    expect((await releaseOf(its, release)).status).toBe('rolled_back')
  })

  test('engines that it has skipped keep their state in the release', async () => {
    const { release, execution, engine } = await completed()
    engine.fallSilent()
    its.pass(HOUR)
    const made = await rollback(its.operating(), release, undefined)
    await its.run(made.execution.id)
    expect(await serversOf(its, execution)).toMatchObject([{ status: 'live' }])
    expect(await serversOf(its, made.execution.id)).toMatchObject([{ status: 'skipped' }])
  })

  test('of a release that is being delivered ends its execution', async () => {
    await its.serve('prod')
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.step(execution)
    await its.step(execution)
    const made = await rollback(its.operating(), release, 'stop')
    expect(await its.step(execution)).toMatchObject({ status: 'failed', error: 'stop' })
    expect(await its.run(made.execution.id)).toMatchObject({ status: 'completed' })
    expect(await its.live('prod')).toEqual({ fee: 1 })
  })

  test('is refused where nothing was live before', async () => {
    await its.serve('prod')
    const [release, execution] = await its.start([{ base: null, content: 1 }], 'prod')
    await its.run(execution)
    await expect(rollback(its.operating(), release, undefined)).rejects.toEqual(conflict('no_baseline'))
  })

  test('is refused after a later release, and while another one is on its way', async () => {
    const { release } = await completed()
    const [later, execution] = await its.start([{ base: 2, content: 3 }], 'prod')
    await expect(rollback(its.operating(), release, undefined)).rejects.toEqual(conflict('busy'))
    expect((await releaseOf(its, release)).status).toBe('completed')
    await its.run(execution)
    await expect(rollback(its.operating(), release, undefined)).rejects.toEqual(conflict('wrong_state'))
    expect((await releaseOf(its, later)).status).toBe('completed')
  })

  test('of several environments restores those that the release has reached', async () => {
    await its.serve('dev')
    await its.makeLive('dev', 1)
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'dev', 'prod')
    expect(await its.run(execution)).toMatchObject({ status: 'failed', error: 'no engine serves `prod`' })
    expect([await its.live('dev'), await its.live('prod')]).toEqual([{ fee: 2 }, { fee: 1 }])
    const made = await rollback(its.operating(), release, undefined)
    await its.run(made.execution.id)
    expect([await its.live('dev'), await its.live('prod')]).toEqual([{ fee: 1 }, { fee: 1 }])
  })
})

describe('the start of an execution', () => {
  /** A policy of `prod` whose freeze window is always open. */
  const freeze = () =>
    its.change(({ scope }) =>
      scope
        .insert('release_policies', {
          id: randomUUIDv7(),
          project_id: its.project,
          name: 'freeze',
          priority: 0,
          enabled: true,
          environments: [its.environment('prod')],
          min_count: 0,
          roles: [],
          exclude_authors: false,
          auto_run_tests: false,
          require_contract_mode: null,
          max_changed: null,
          require_coverage: null,
          freeze_window: JSON.stringify({ cron: '0 0 * * *', duration: '1d' }),
          created_by: 'system',
        })
        .execute(),
    )

  test('a freeze window keeps a release back, but neither an emergency nor a rollback', async () => {
    const { release: before } = await completed()
    const late = await its.release([{ base: 2, content: 3 }], 'prod')
    await freeze()
    await expect(its.execute(late)).rejects.toEqual(conflict('frozen'))
    const { id } = await execute(its.operating(), late, { emergency_reason: 'outage' })
    expect(await its.run(id)).toMatchObject({ status: 'completed', emergency_reason: 'outage' })
    const made = await rollback(its.operating(), late, undefined)
    expect(await its.run(made.execution.id)).toMatchObject({ status: 'completed' })
    expect(await its.live('prod')).toEqual({ fee: 2 })
    expect((await releaseOf(its, before)).status).toBe('completed')
  })

  test('a rollback that failed is executed again while a window is open', async () => {
    const { release } = await completed()
    const made = await rollback(its.operating(), release, undefined)
    for (let count = 0; count < 3; count++) await its.step(made.execution.id)
    its.pass(MINUTE)
    await its.step(made.execution.id)
    await freeze()
    const again = await execute(its.operating(), idOf(made), {})
    expect(await its.run(again.id)).toMatchObject({ status: 'completed' })
    expect(await its.live('prod')).toEqual({ fee: 1 })
  })

  test('another release on its way in the environment, or another live content, refuses it', async () => {
    await its.serve('prod')
    await its.serve('dev')
    await its.makeLive('prod', 1)
    const [first, second] = [
      await its.release([{ base: 1, content: 2 }], 'prod'),
      await its.release([{ base: 1, content: 3 }], 'prod'),
    ]
    const elsewhere = await its.release([{ base: null, content: 9 }], 'dev')
    const execution = await its.execute(first)
    await expect(its.execute(second)).rejects.toEqual(conflict('busy'))
    const other = await its.execute(elsewhere)
    await its.run(other)
    await its.run(execution)
    await expect(its.execute(second)).rejects.toEqual(conflict('stale'))
    await expect(its.execute(first)).rejects.toEqual(conflict('wrong_state'))
    expect(await its.live('prod')).toEqual({ fee: 2 })
  })

  test('a release whose approvals no longer suffice waits for approvals again', async () => {
    await its.serve('prod')
    const release = await its.release([{ base: null, content: 1 }], 'prod')
    await its.change(({ scope }) =>
      scope.update('environments').set({ requires_release: true }).where('id', '=', its.environment('prod')).execute(),
    )
    await expect(its.execute(release)).rejects.toEqual(conflict('approvals_missing'))
    expect((await releaseOf(its, release)).status).toBe('pending_approval')
  })
})

describe('expected changes of results', () => {
  const code = (name: string) => ({ code: name, message: '', output: {} })
  /** Recorded decisions went from PRICED to NO_DELIVERY; some inputs go from PRICED to REFUSED, or failed. */
  const IMPACT = {
    records: {
      transitions: [
        { from: 'PRICED', to: 'NO_DELIVERY', count: 4 },
        { from: 'PRICED', to: 'PRICED', count: 9 },
      ],
    },
    diff: {
      regions: [
        { before: code('PRICED'), after: code('NO_DELIVERY') },
        { before: code('PRICED'), after: code('A B') },
        { before: { error: { code: 'NO_MATCH', step: 'x' } }, after: code('PRICED') },
        { before: code('PRICED'), after: { error: { code: 'NO_MATCH', step: 'x' } } },
      ],
    },
  }
  const NAMED = '`PRICED->NO_DELIVERY`, `PRICED->A B`, `error:NO_MATCH->PRICED`'

  /** A release of content 2 over content 1 in these environments, whose impact is known in some of them. */
  async function predicted(environments: readonly string[], known: readonly string[] = environments) {
    for (const name of environments) {
      await its.set(name, { canary: { stages: [stage(10)], alpha: 0.05 } })
      await its.serve(name)
      await its.makeLive(name, 1)
    }
    const release = await its.release([{ base: 1, content: 2 }], ...environments)
    for (const name of known)
      await its.change(({ scope }) =>
        scope
          .update('release_targets')
          .set({ impact: JSON.stringify(IMPACT) })
          .where('release_id', '=', release)
          .where('environment_id', '=', its.environment(name))
          .execute(),
      )
    return release
  }
  const shift = {
    canary: [150, 0],
    stable: [1350, 0],
    codes: { PRICED: [40, 900], NO_DELIVERY: [110, 450], 'group 0': [150, 1350] },
  } as const
  const EXPECTED = [{ from: 'PRICED', to: 'NO_DELIVERY' }]

  test.each<[string, readonly { readonly from: string; readonly to: string; readonly share?: number }[], object]>([
    ['nothing', [], { decision: 'hold', reason: 'the candidate gives other result codes' }],
    ['what happens', EXPECTED, { decision: 'continue' }],
    ['at most a twentieth of it', [{ from: 'PRICED', to: 'NO_DELIVERY', share: 0.05 }], { decision: 'hold' }],
    [
      'something else',
      [{ from: 'error:NO_MATCH', to: 'PRICED' }],
      { decision: 'hold', reason: 'the candidate gives other result codes than expected' },
    ],
  ])('of a stage that expects %s', async (_title, expect_, verdict) => {
    const release = await predicted(['prod'])
    const { id } = await execute(its.operating(), release, { expect: [...expect_] })
    await its.run(id)
    await its.count(id, shift)
    const stored = await its.step(id)
    const [canary] = await canariesOf(its.database.scope(its.org), stored)
    expect(canary?.measures?.codes.counts).toEqual({
      PRICED: { canary: 40, stable: 900 },
      NO_DELIVERY: { canary: 110, stable: 450 },
    })
    const isHeld = (canary?.measures?.codes.e ?? 0) >= (canary?.measures?.codes.alarm ?? 0)
    const [last] = (await eventsOf(release, 'stage_verdict')).slice(-1)
    expect(isHeld ? last : { decision: 'continue' }).toMatchObject(verdict)
  })

  test('are shown beside the codes that recorded decisions of all rulesets predict', async () => {
    await its.set('prod', { canary: { stages: [stage(10)] } })
    await its.serve('prod')
    for (const name of ['fee', 'toll']) await its.makeLive('prod', 1, name)
    const targets = ['fee', 'toll'].map((name) => ({ name, base: 1, content: 2 }))
    const release = await its.release(targets, 'prod')
    const codes = {
      fee: { replayed: 5, codes: [{ code: 'A', before: 5, after: 3 }, { code: null, before: 0, after: 2 }, 1] },
      toll: {
        replayed: 2,
        codes: [
          { code: 'A', before: 1, after: 2 },
          { code: 'B', before: 1, after: 0 },
        ],
      },
    }
    const { tables } = database().unscoped
    for (const [name, records] of Object.entries(codes))
      await tables
        .updateTable('release_targets')
        .set({ impact: JSON.stringify({ records }) })
        .where('release_id', '=', release)
        .where('name', '=', name)
        .execute()
    const [canary] = await canariesOf(its.database.scope(its.org), await its.run(await its.execute(release)))
    expect(canary?.predicted).toEqual({
      replayed: 7,
      codes: { A: { before: 6, after: 5 }, B: { before: 1, after: 0 }, '': { before: 0, after: 2 } },
    })
  })

  test('are kept with the execution, and stand in its first event and in the audit', async () => {
    const release = await predicted(['prod'])
    const expected = [
      { from: 'PRICED', to: 'A B', share: 0.25 },
      { from: 'error:NO_MATCH', to: 'PRICED' },
    ]
    const execution = await execute(its.operating(), release, { expect: expected })
    const shown = [
      { from: 'PRICED', to: 'A B', share: 0.25, environments: ['prod'] },
      { from: 'error:NO_MATCH', to: 'PRICED', share: null, environments: ['prod'] },
    ]
    const scope = its.database.scope(its.org)
    expect((await executionOf(scope, execution)).expected).toEqual(shown)
    const told = shown.map(({ environments: _, ...transition }) => transition)
    expect(await eventsOf(release, 'execution_started')).toMatchObject([{ expected: told }])
    const audited = await scope
      .read('audit_entries')
      .selectFrom('audit_entries')
      .select('after')
      .where('action', '=', 'release.executed')
      .execute()
    expect(audited).toMatchObject([{ after: { expected: told } }])
    await its.run(execution.id)
    const [split] = (await splitsIn(scope, its.project)).values()
    expect(split?.groups).toEqual(
      new Map([
        ['PRICED', 'group 0'],
        ['A%20B', 'group 0'],
        ['', 'group 0'],
      ]),
    )
  })

  test('apply where the impact names them, and nowhere else', async () => {
    const release = await predicted(['dev', 'prod'], ['dev'])
    const execution = await execute(its.operating(), release, { expect: EXPECTED })
    const places = ['dev', 'prod'].map((name) => expectedIn(progressOf(execution), its.environment(name)))
    expect(places).toEqual([[{ from: 'PRICED', to: 'NO_DELIVERY', share: undefined }], []])
  })

  test.each<[string, { readonly from: string; readonly to: string }[], string, string]>([
    [
      'that the impact does not name',
      [...EXPECTED, { from: 'NO_DELIVERY', to: 'PRICED' }],
      '/expect/1',
      `is \`NO_DELIVERY->PRICED\`, which the impact of the release does not name: it names ${NAMED}`,
    ],
    [
      'to an error',
      [{ from: 'PRICED', to: 'error:NO_MATCH' }],
      '/expect/0/to',
      'is an error, and failures are never expected',
    ],
    ['without an effect', [{ from: 'PRICED', to: 'PRICED' }], '/expect/0/to', 'is the same result as `from`'],
    ['twice', [...EXPECTED, ...EXPECTED], '/expect/1', 'has been named before'],
  ])('one %s is refused, and nothing begins', async (_title, wanted, path, message) => {
    const release = await predicted(['prod'])
    await expect(execute(its.operating(), release, { expect: wanted })).rejects.toMatchObject({
      code: 'invalid-request',
      details: [{ path, message }],
    })
    expect((await releaseOf(its, release)).status).toBe('approved')
  })

  test('a release without an impact has none', async () => {
    const release = await predicted(['prod'], [])
    await expect(execute(its.operating(), release, { expect: EXPECTED })).rejects.toMatchObject({
      details: [{ message: expect.stringMatching(/it names none$/) }],
    })
  })
})

describe('an entry of the history', () => {
  const entries = async () => {
    const scope = its.database.scope(its.org)
    const rows = await scope.read('live_history').selectFrom('live_history').select('id').orderBy('at').execute()
    return Promise.all(rows.map(({ id }) => historyEntry(scope, its.project, 'fee', id, its.operating().acting.caller)))
  }

  test('is restored by a release of its own; the one that is live is refused', async () => {
    await completed()
    const [first, last] = await entries()
    if (first === undefined || last === undefined) throw new Error('there is no history')
    await expect(goBack(its.operating(), 'fee', last, undefined)).rejects.toEqual(conflict('wrong_state'))
    const made = await goBack(its.operating(), 'fee', first, 'too dear')
    expect(made.release).toMatchObject({ kind: 'rollback', description: 'too dear' })
    expect(await its.run(made.execution.id)).toMatchObject({ status: 'completed' })
    expect(await its.live('prod')).toEqual({ fee: 1 })
  })

  test('is refused when the live content changes while it is prepared', async () => {
    await completed()
    const [first] = await entries()
    if (first === undefined) throw new Error('there is no history')
    const racing: Database = {
      ...its.database,
      async change(...parts) {
        await its.makeLive('prod', 7)
        return its.database.change(...parts)
      },
    }
    await expect(goBack(its.operating(racing), 'fee', first, undefined)).rejects.toEqual(conflict('stale'))
    expect(await its.live('prod')).toEqual({ fee: 7 })
  })

  test('is refused while a release is on its way there', async () => {
    await completed()
    const [first] = await entries()
    if (first === undefined) throw new Error('there is no history')
    await its.start([{ base: 2, content: 3 }], 'prod')
    await expect(goBack(its.operating(), 'fee', first, undefined)).rejects.toEqual(conflict('busy'))
  })
})
