import { createHash, randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { proxyToken } from '../../apps/platform-server/src/features/engines/registration.ts'
import {
  createDestinations,
  type Destinations,
  isReachable,
} from '../../apps/platform-server/src/features/proxy/destinations.ts'
import { NO_CANARY } from '../../apps/platform-server/src/features/projects/model.ts'
import { newEnvironment } from '../../apps/platform-server/src/features/projects/service.ts'
import { useDatabase } from './databases.testing.ts'
import { newRolloutSteps, type RolloutSteps } from './rollout-steps.testing.ts'

// The proxy reads projects from rows that the tests store; no server or engine runs.
const database = useDatabase('postgres')
let its: RolloutSteps
beforeEach(async () => {
  its = await newRolloutSteps(database())
})

const KEY = Buffer.alloc(32, 1)

function destinations(keptMs = 60_000) {
  const known = createDestinations({ database: database(), key: KEY, heartbeatIntervalSecs: 1 }, keptMs, () => {})
  onTestFinished(() => known.close())
  return known
}

async function environments(project = its.project): Promise<Readonly<Record<string, Destinations>>> {
  const found = await destinations().find(its.org, project)
  expect(found?.project.id).toBe(project)
  return Object.fromEntries((found?.environments ?? []).map((one) => [one.name, one]))
}

/** The destinations of `prod`. */
async function prod(): Promise<Destinations> {
  const { prod: found } = await environments()
  if (found === undefined) throw new Error('there is no `prod`')
  return found
}

/** Make a content live without a release. */
async function publish(name: string, document: object): Promise<string> {
  const content = JSON.stringify({ id: randomUUIDv7(), steps: document })
  const digest = createHash('sha256').update(content).digest('hex')
  await database().unscoped.tables.insertInto('ruleset_contents').values({ digest, content }).execute()
  const live = { environment_id: its.environment('prod'), name, version: '', digest, release_id: null }
  await its.change(({ scope }) => scope.insert('desired_rulesets', live).execute())
  return digest
}

const call = (ruleset_name: string) => ({ action: 'call_ruleset', ruleset_name })

test('a project that does not exist has no destinations, nor has that of another organization', async () => {
  const other = await newRolloutSteps(database())
  expect(await destinations().find(its.org, randomUUIDv7())).toBeUndefined()
  expect(await destinations().find(its.org, other.project)).toBeUndefined()
})

test('each environment has its engines in their order, those for candidates apart', async () => {
  const names: Record<string, string[]> = { prod: [], canaries: [], dev: [] }
  for (const [environment, canaryOnly] of [
    ['prod', false],
    ['prod', true],
    ['dev', false],
    ['prod', false],
  ] as const)
    names[canaryOnly ? 'canaries' : environment]?.push((await its.serve(environment, { canaryOnly })).name)
  // The last one becomes the first.
  const [first = '', second = ''] = names['prod'] ?? []
  const { tables } = database().unscoped
  const servers = await tables.selectFrom('servers').select(['id', 'name']).where('org_id', '=', its.org).execute()
  await tables
    .updateTable('environment_servers')
    .set({ position: -1 })
    .where('server_id', '=', servers.find(({ name }) => name === second)?.id ?? '')
    .execute()
  const found = await environments()
  const shown = Object.fromEntries(
    Object.entries(found).map(([name, { engines, canaries }]) => [
      name,
      [engines.map((one) => one.name), canaries.map((one) => one.name)],
    ]),
  )
  expect(shown).toEqual({ dev: [names['dev'], []], prod: [[second, first], names['canaries']] })
})

test('projects of an organization are apart', async () => {
  const id = randomUUIDv7()
  const named = { id, name: id, current_environment: 'prod', created_by: 'system' }
  const environment = newEnvironment(id, 'prod', 0, 'system')
  await its.serve('prod')
  await its.makeLive('prod', 1)
  await its.change(async ({ scope }) => {
    await scope.insert('projects', named).execute()
    await scope.insert('environments', environment).execute()
  })
  const other = await environments(id)
  expect(Object.keys(other)).toEqual(['prod'])
  expect(other['prod']).toMatchObject({ id: environment.id, engines: [], canaries: [], live: new Set() })
  expect(Object.keys(await environments()).toSorted()).toEqual(['dev', 'prod'])
})

test('the settings of the canary are those of each environment', async () => {
  const split = { ...NO_CANARY, canary_percentage: 20, canary_target_env_id: its.environment('dev') }
  await its.set('prod', { canary: split })
  const { dev, prod: found } = await environments()
  expect([found?.canary, dev?.canary.canary_percentage]).toEqual([expect.objectContaining(split), 0])
})

describe('during the stage of a canary', () => {
  const stages = [{ percent: 50, duration_s: 3600, min_requests: 0 }]

  test('the candidate is no live ruleset, and each content belongs to its release', async () => {
    await its.set('prod', { canary: { stages } })
    await its.serve('prod')
    const earlier = await its.makeLive('prod', 1)
    const before = await prod()
    expect([before.split, [...before.live], [...before.releases.values()]]).toEqual([undefined, ['fee'], [earlier]])
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.run(execution)
    const { dev, prod: found } = await environments()
    expect(found?.split).toMatchObject({ executionId: execution, releaseId: release, percent: 50 })
    expect([...(found?.live ?? [])]).toEqual(['fee'])
    expect(new Set(found?.releases.values())).toEqual(new Set([earlier, release]))
    expect([dev?.split, dev?.live.size, dev?.releases.size]).toEqual([undefined, 0, 0])
  })
})

test('content that a release replaces belongs to the release before it, until engines have the new one', async () => {
  const earlier = await its.makeLive('prod', 1)
  const [before = ''] = (await prod()).releases.keys()
  const release = await its.release([{ base: 1, content: 2 }], 'prod')
  const another = await publish('another', {})
  const { tables } = database().unscoped
  await tables
    .updateTable('release_targets')
    .set({ base_release_id: earlier })
    .where('release_id', '=', release)
    .execute()
  await its.change(({ scope }) =>
    scope
      .update('desired_rulesets')
      .set({ release_id: release, digest: another })
      .where('environment_id', '=', its.environment('prod'))
      .where('name', '=', 'fee')
      .execute(),
  )
  expect((await prod()).releases).toEqual(
    new Map([
      [before, earlier],
      [another, release],
    ]),
  )
})

describe('rulesets stored directly on an engine', () => {
  test.each([
    [false, false, undefined],
    [false, true, undefined],
    [true, false, ['fee']],
    [true, true, []],
  ])('permitted: %s, engine with tenants: %s: the environment owns %j', async (allowed, tenants, owned) => {
    await its.serve('prod', { tenants })
    await its.serve('dev', { tenants: false })
    await its.makeLive('prod', 1)
    await its.makeLive('dev', 1, 'toll')
    await its.set('prod', { allow_local_rulesets: allowed })
    const { dev, prod: found } = await environments()
    expect(found?.owned).toEqual(owned && new Set(owned))
    expect(dev?.owned).toBeUndefined()
  })

  test.each([
    ['a live one', { live: new Set(['fee']), owned: undefined }, true],
    ['a live one that is owned', { live: new Set(['fee']), owned: new Set(['fee']) }, true],
    ['a local one where none is permitted', { live: new Set<string>(), owned: undefined }, false],
    ['a local one', { live: new Set<string>(), owned: new Set(['toll']) }, true],
    ['one of another environment', { live: new Set<string>(), owned: new Set(['fee']) }, false],
  ])('%s is reachable: %j', (_, environment, isReached) => {
    expect(isReachable(environment, 'fee')).toBe(isReached)
  })
})

describe('an engine', () => {
  test('is healthy by its last heartbeat, which is not held against it while the database is away', async () => {
    const engine = await its.serve('prod')
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now })
    onTestFinished(() => void vi.useRealTimers())
    const health = async (columns: Readonly<Record<string, unknown>>) => {
      await engine.report(columns)
      return (await prod()).engines[0]
    }
    const since = (milliseconds: number) => ({ last_heartbeat: new Date(now - milliseconds) })
    const recent = await health({ healthy: true, ...since(900) })
    const old = await health({ healthy: true, ...since(1100) })
    const failing = await health({ healthy: false, ...since(0) })
    const isHealthy = () => [recent, old, failing].map((one) => one?.isHealthy())
    expect(isHealthy()).toEqual([true, true, false])
    // An engine is unhealthy after 3 s of silence. The health of a row is computed for its first 2 s.
    vi.setSystemTime(now + 1950)
    expect(isHealthy()).toEqual([true, false, false])
    vi.setSystemTime(now + 600_000)
    expect(isHealthy()).toEqual([true, false, false])
  })

  test.each([
    [{ tenants: false }, [{ name: 'fee' }], 'here', true],
    [{ tenants: false }, [{ name: 'fee', tenant: 'here' }], 'here', false],
    [{ tenants: false }, [{ name: 'toll' }], 'here', false],
    [{ tenants: true }, [{ name: 'fee', tenant: 'here' }], 'here', true],
    [{ tenants: true }, [{ name: 'fee', tenant: 'here' }], 'there', false],
    [{ tenants: true }, [{ name: 'fee' }], 'here', false],
    [{ tenants: true }, [], 'here', false],
  ])('%j that reports %j holds `fee` %s: %s', async (settings, reported, environment, holds) => {
    const engine = await its.serve('prod', settings)
    await engine.report({ current_rulesets: JSON.stringify(reported.map((one) => ({ ...one, digest: 'd' }))) })
    const [found] = (await prod()).engines
    expect([found?.tenants, found?.holds(environment, 'fee')]).toEqual([settings.tenants, holds])
  })

  test('is called by its address with the token of its registration', async () => {
    const engine = await its.serve('prod')
    const found = async () => (await prod()).engines[0]
    expect(await found()).toMatchObject({ id: engine.id, claimant: undefined, token: proxyToken(KEY, engine.id, 1) })
    await engine.report({ url: 'http://127.0.0.1:8080', generation: 2, peer_address: '127.0.0.1' })
    expect(await found()).toMatchObject({
      claimant: { id: engine.id, org: its.org, generation: 2, peer: '127.0.0.1' },
      token: proxyToken(KEY, engine.id, 2),
    })
  })
})

describe('a request may be sent twice', () => {
  test('where the content is known and makes no external call, nor do those that it calls', async () => {
    await publish('plain', {})
    await publish('external', { action: 'external_call' })
    await publish('direct', call('plain'))
    await publish('indirect', call('external'))
    await publish('orphan', call('none'))
    const { isRepeatable } = await prod()
    const names = ['plain', 'external', 'direct', 'indirect', 'orphan', 'none']
    expect(names.filter((name) => isRepeatable(name))).toEqual(['plain', 'direct'])
  })

  test('unless the content before it, which an engine may still have, makes one', async () => {
    const before = await publish('external', { action: 'external_call' })
    await its.makeLive('prod', 1)
    expect((await prod()).isRepeatable('fee')).toBe(true)
    const release = await its.release([{ base: 1, content: 2 }], 'prod')
    const { tables } = database().unscoped
    await tables.updateTable('release_targets').set({ base_digest: before }).where('release_id', '=', release).execute()
    await tables
      .updateTable('desired_rulesets')
      .set({ release_id: release })
      .where('environment_id', '=', its.environment('prod'))
      .where('name', '=', 'fee')
      .execute()
    expect((await prod()).isRepeatable('fee')).toBe(false)
  })
})

test('decisions continue without a database for the time that a read is kept', async () => {
  const [known, brief] = [destinations(), destinations(0)]
  for (const one of [known, brief]) await one.find(its.org, its.project)
  expect([known.areUsable(), brief.areUsable()]).toEqual([true, false])
})

test('a change of the bindings is seen at once, though the last read is recent', async () => {
  const known = destinations()
  const names = async () =>
    (await known.find(its.org, its.project.toUpperCase()))?.environments.flatMap(({ engines }) => engines.length)
  expect(await names()).toEqual([0, 0])
  await its.serve('prod')
  await database().note(its.org, ({ wake }) => wake(`project:${its.project}`))
  await vi.waitFor(async () => expect((await names())?.toSorted()).toEqual([0, 1]))
})
