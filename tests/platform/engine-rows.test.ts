import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { bind, bindingOf } from '../../apps/platform-server/src/features/engines/bindings.ts'
import { bindCanaries, refuseStrangers } from '../../apps/platform-server/src/features/engines/canary-bindings.ts'
import { deliveredNames } from '../../apps/platform-server/src/features/engines/delivered-names.ts'
import { settleDeployments, supersede } from '../../apps/platform-server/src/features/engines/deployments.ts'
import {
  changesAfter,
  contentFor,
  refreshServers,
} from '../../apps/platform-server/src/features/engines/desired-state.ts'
import { servingAt } from '../../apps/platform-server/src/features/projects/repository.ts'
import { useDatabase } from './databases.testing.ts'
import { newRolloutSteps, type ReportedEngine, type RolloutSteps } from './rollout-steps.testing.ts'

// The tests store engines and their reports as rows; no server or engine runs.
const database = useDatabase('postgres')
let its: RolloutSteps
beforeEach(async () => {
  its = await newRolloutSteps(database())
})

const scope = () => database().scope(its.org)
const tables = () => database().unscoped.tables
const revisionOf = async ({ id }: ReportedEngine) =>
  (await tables().selectFrom('servers').select('desired_revision').where('id', '=', id).executeTakeFirstOrThrow())
    .desired_revision

/** Binds an engine to another environment as well. */
const bindAlso = ({ id }: ReportedEngine, environment: string, canary_only = false) =>
  its.change(async (change) => {
    const row = { environment_id: its.environment(environment), server_id: id, position: 9, canary_only }
    await change.scope.insert('environment_servers', row).execute()
    await refreshServers(change, [id])
  })
const want = (environment: string, name: string) => its.makeLive(environment, 1, name)
const drop = (environment: string, name: string, ...engines: readonly ReportedEngine[]) =>
  its.change(async (change) => {
    await change.scope
      .delete('desired_rulesets')
      .where('environment_id', '=', its.environment(environment))
      .where('name', '=', name)
      .execute()
    await refreshServers(
      change,
      engines.map(({ id }) => id),
    )
  })

describe('the desired rulesets of an engine', () => {
  test('are those of its environments, each as a tenant', async () => {
    const engine = await its.serve('dev')
    await bindAlso(engine, 'prod')
    await want('dev', 'fee')
    await want('prod', 'fee')
    await want('prod', 'tax')
    const changes = await changesAfter(tables(), engine.id, 0)
    expect(changes.map(({ tenant, name }) => [tenant, name])).toEqual(
      [
        [its.environment('dev'), 'fee'],
        [its.environment('prod'), 'fee'],
        [its.environment('prod'), 'tax'],
      ].toSorted((one, other) => (one.join('/') < other.join('/') ? -1 : 1)),
    )
  })

  test('of an engine without tenants have none, and no name twice', async () => {
    const engine = await its.serve('dev', { tenants: false })
    await want('dev', 'fee')
    await want('prod', 'fee')
    await expect(bindAlso(engine, 'prod')).rejects.toThrow(`\`${engine.name}\` has no tenants, and another environment`)
    expect(await changesAfter(tables(), engine.id, 0)).toMatchObject([{ tenant: null, name: 'fee' }])
  })

  test('change their revision only with their content', async () => {
    const engine = await its.serve('dev')
    const none = await revisionOf(engine)
    await want('dev', 'fee')
    const first = await revisionOf(engine)
    await want('dev', 'fee')
    await want('prod', 'fee')
    expect([first > none, await revisionOf(engine)]).toEqual([true, first])
    await its.makeLive('dev', 2, 'fee')
    expect(await revisionOf(engine)).toBeGreaterThan(first)
  })

  test('after a revision are what has changed since: deleted ones, unless the engine begins', async () => {
    const engine = await its.serve('dev')
    await want('dev', 'fee')
    await want('dev', 'tax')
    const before = await revisionOf(engine)
    await drop('dev', 'fee', engine)
    const after = await revisionOf(engine)
    const names = async (revision: number) =>
      (await changesAfter(tables(), engine.id, revision)).map((change) => [change.name, 'deleted' in change])
    expect(await names(before)).toEqual([['fee', true]])
    expect(await names(0)).toEqual([['tax', false]])
    expect(await names(after)).toEqual([])
    await drop('dev', 'fee', engine)
    expect(await revisionOf(engine)).toBe(after)
  })

  test.each<[string, boolean, readonly string[], readonly string[]]>([
    ['an engine for candidates alone has them, and the others the live content', true, ['fee'], ['fee.r7']],
    ['where there is none, all have both', false, ['fee', 'fee.r7'], []],
  ])('%s', async (_title, hasCanaries, ofBound, ofCanary) => {
    const engine = await its.serve('dev')
    const canary = await its.serve('prod')
    if (hasCanaries) await bindAlso(canary, 'dev', true)
    await want('dev', 'fee')
    await want('dev', 'fee.r7')
    expect([await engine.desired(), await canary.desired()]).toEqual([ofBound, ofCanary])
  })

  test('have contents, which no other engine is given', async () => {
    const [engine, other] = [await its.serve('dev'), await its.serve('prod')]
    await want('dev', 'fee')
    const [change] = await changesAfter(tables(), engine.id, 0)
    const digest = change !== undefined && 'digest' in change ? (change.digest ?? '') : ''
    expect(JSON.parse(await contentFor(database(), engine.id, digest)).config).toMatchObject({ name: 'fee' })
    for (const [id, of] of [
      [other.id, digest],
      [engine.id, '0'.repeat(64)],
      [engine.id, digest.toUpperCase()],
    ] as const)
      await expect(contentFor(database(), id, of)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('names that the platform delivers to an engine without tenants', () => {
  const names = async (...engines: readonly ReportedEngine[]) =>
    [
      ...(await deliveredNames(
        tables(),
        engines.map(({ id }) => id),
      )),
    ].toSorted((one, other) => (one < other ? -1 : 1))

  test('are those that it has or still has to delete', async () => {
    const [engine, withTenants] = [await its.serve('dev', { tenants: false }), await its.serve('prod')]
    await want('dev', 'fee')
    await want('dev', 'tax')
    await want('prod', 'other')
    await engine.take()
    await drop('dev', 'tax', engine)
    expect(await names(engine)).toEqual(['fee', 'tax'])
    await engine.take()
    expect(await names(engine)).toEqual(['fee'])
    expect(await names(engine, withTenants)).toEqual(['fee'])
    expect(await names()).toEqual([])
  })

  test.each<[string, string, string, readonly string[]]>([
    ['another record of its address', 'http://engine:1', 'pending', ['fee', 'tax']],
    ['a record of another address', 'http://engine:2', 'proved', ['fee']],
  ])('count by %s', async (_title, url, identity, expected) => {
    const [engine, other] = [await its.serve('dev', { tenants: false }), await its.serve('prod', { tenants: false })]
    await want('dev', 'fee')
    await want('prod', 'tax')
    await engine.report({ url: 'http://engine:1' })
    await other.report({ url, identity })
    expect(await names(engine)).toEqual(expected)
  })

  test.each<[string, readonly string[]]>([
    ['proved', ['fee', 'tax']],
    ['unsupported', ['fee', 'tax']],
    ['pending', ['fee']],
    ['failed', ['fee']],
  ])('of another organization count if the identity of the engine is %s', async (identity, expected) => {
    const engine = await its.serve('dev', { tenants: false })
    await want('dev', 'fee')
    const foreign = await newRolloutSteps(database())
    const other = await foreign.serve('dev', { tenants: false })
    await foreign.makeLive('dev', 1, 'tax')
    const url = `http://${engine.id}:1`
    await engine.report({ url })
    await other.report({ url, identity })
    expect(await names(engine)).toEqual(expected)
  })
})

describe('a deployment', () => {
  /** A deployment that waits for engines of dev; and its digest. */
  async function queued(name = 'fee'): Promise<{ readonly id: string; readonly digest: string }> {
    const id = randomUUIDv7()
    await want('dev', name)
    const { digest } = await tables()
      .selectFrom('desired_rulesets')
      .select('digest')
      .where('environment_id', '=', its.environment('dev'))
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    const row = { id, environment_id: its.environment('dev'), ruleset_name: name, version: '1.0.0', seq: 1, digest }
    const rest = { status: 'queued', release_note: '', deployed_by: 'system' } as const
    await its.change((change) => change.scope.insert('deployments', { ...row, ...rest }).execute())
    return { id, digest }
  }
  const statusOf = async ({ id }: { readonly id: string }) =>
    (
      await scope()
        .read('deployments')
        .selectFrom('deployments')
        .select('status')
        .where('id', '=', id)
        .executeTakeFirst()
    )?.status
  const settle = ({ id }: ReportedEngine) => its.change((change) => settleDeployments(change.scope, id))

  interface Reported {
    readonly held?: Readonly<Record<string, unknown>>
    readonly problem?: Readonly<Record<string, unknown>>
    readonly tenants?: boolean
  }
  test.each<[string, Reported, string]>([
    ['succeeds when the engine has the content', { held: {} }, 'success'],
    ['waits while the engine has it for another tenant', { held: { tenant: 'other' } }, 'queued'],
    ['waits while the engine has it under another name', { held: { name: 'tax' } }, 'queued'],
    ['waits while the engine has another content', { held: { digest: '0'.repeat(64) } }, 'queued'],
    ['waits while the engine has nothing', {}, 'queued'],
    [
      'succeeds without a tenant at an engine that has none',
      { held: { tenant: undefined }, tenants: false },
      'success',
    ],
    ['fails when the engine has refused it', { problem: { retried: false } }, 'failed'],
    ['waits while the engine tries again', { problem: { retried: true } }, 'queued'],
    ['waits when the engine has refused another content', { problem: { retried: false, name: 'tax' } }, 'queued'],
    ['succeeds when the engine has it after all', { held: {}, problem: { retried: false } }, 'success'],
  ])('%s', async (_title, { held, problem, tenants = true }, status) => {
    const engine = await its.serve('dev', { tenants })
    const deployment = await queued()
    const one = { ...(tenants && { tenant: its.environment('dev') }), name: 'fee', digest: deployment.digest }
    await engine.report({
      current_rulesets: JSON.stringify(held === undefined ? [] : [{ ...one, ...held }]),
      problems: JSON.stringify(problem === undefined ? [] : [{ ...one, ...problem }]),
    })
    await settle(engine)
    expect(await statusOf(deployment)).toBe(status)
  })

  test('waits for each engine of its environment, but for none of its candidates alone', async () => {
    const [first, second, canary] = [
      await its.serve('dev'),
      await its.serve('dev'),
      await its.serve('dev', { canaryOnly: true }),
    ]
    const deployment = await queued()
    await first.take()
    await settle(first)
    expect(await statusOf(deployment)).toBe('queued')
    await second.take()
    await settle(canary)
    expect(await statusOf(deployment)).toBe('queued')
    await settle(second)
    expect(await statusOf(deployment)).toBe('success')
  })

  test('that waits is replaced by a newer one of its ruleset alone', async () => {
    const [fee, tax, done] = [await queued(), await queued('tax'), await queued()]
    await its.change(async (change) => {
      await change.scope.update('deployments').set({ status: 'success' }).where('id', '=', done.id).execute()
      await supersede(change.scope, its.environment('prod'), 'fee')
    })
    expect(await statusOf(fee)).toBe('queued')
    await its.change((change) => supersede(change.scope, its.environment('dev'), 'fee'))
    expect([await statusOf(fee), await statusOf(tax), await statusOf(done)]).toEqual(['failed', 'queued', 'success'])
  })
})

describe('the engines of an environment', () => {
  const acting = () => its.operating().acting
  const idsOf = (...engines: readonly ReportedEngine[]) => engines.map(({ id }) => id)

  test('are replaced as a whole, in their order, and have what they should at once', async () => {
    const [first, second, third] = [await its.serve('dev'), await its.serve('prod'), await its.serve('prod')]
    await want('dev', 'fee')
    expect(await bind(acting(), 'dev', idsOf(third, second))).toEqual({
      environment: 'dev',
      server_ids: idsOf(third, second),
    })
    expect(await bindingOf(acting().place, acting().caller, 'dev')).toMatchObject({ server_ids: idsOf(third, second) })
    expect([await first.desired(), await second.desired(), await third.desired()]).toEqual([[], ['fee'], ['fee']])
    await bind(acting(), its.environment('dev'), [])
    expect(await third.desired()).toEqual([])
    expect(await bindingOf(acting().place, acting().caller, undefined)).toEqual({
      environment: 'prod',
      server_ids: idsOf(second, third),
    })
  })

  test('are not those of its candidates, which replace one another alone', async () => {
    const [bound, canary] = [await its.serve('dev'), await its.serve('dev', { canaryOnly: true })]
    const serving = await servingAt(scope(), its.environment('dev'))
    const bindThese = (engines: readonly ReportedEngine[] | undefined) =>
      its.change((change) => bindCanaries(change, its.environment('dev'), serving, engines && idsOf(...engines)))
    await expect(bind(acting(), 'dev', idsOf(bound, canary))).rejects.toThrow(
      'is for the canaries of the environment alone',
    )
    await expect(bindThese([canary, bound])).rejects.toThrow('serves the environment: candidates go to others alone')
    await bindThese(undefined)
    expect(await servingAt(scope(), its.environment('dev'))).toEqual({ bound: idsOf(bound), canaries: idsOf(canary) })
    await want('dev', 'fee.r7')
    expect([await bound.desired(), await canary.desired()]).toEqual([[], ['fee.r7']])
    await bindThese([])
    expect([await bound.desired(), await canary.desired()]).toEqual([['fee.r7'], []])
    expect(await servingAt(scope(), its.environment('dev'))).toEqual({ bound: idsOf(bound), canaries: [] })
  })

  test.each<[string, (engine: string, foreign: string) => readonly string[], string]>([
    ['of another organization', (engine, foreign) => [engine, foreign], 'is not an engine of this organization'],
    ['by a text that is no id', (engine) => [engine, 'x'], 'is not an engine of this organization'],
    ['twice', (engine) => [engine, engine], 'is listed twice'],
  ])('an engine %s is refused at its place', async (_title, servers, message) => {
    const engine = await its.serve('dev')
    const foreign = await (await newRolloutSteps(database())).serve('dev')
    const refused = refuseStrangers({ scope: scope() }, servers(engine.id, foreign.id), '/list')
    await expect(refused).rejects.toMatchObject({ details: [{ path: '/list/1', message }] })
  })
})
