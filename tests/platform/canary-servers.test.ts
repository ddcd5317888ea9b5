import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { addEngine, engineNamed, startLinked } from './engines.testing.ts'
import { type Releasing, startReleasing } from './rollouts.testing.ts'

/** Seconds of a stage that ends by its counts, not by its time. */
const LONG = 3600
const HALF = { stages: [{ percent: 50, duration_s: LONG }], on_failure: 'rollback' }

const database = useDatabase('postgres')
let its: Releasing
let connect: string
beforeAll(async () => {
  its = await startReleasing(database())
  connect = await its.team.connectToken()
})
afterAll(() => its.stop())

const put = (path: string, body: object) => its.team.owner.request('PUT', `${its.team.P}${path}`, body)
const configure = async (settings: object) => {
  const { status, text, body } = await put('/environments/prod/canary', settings)
  expect(status, text).toBe(200)
  return body
}
/** Settings that are those of no canary when the test is over, before its engines are unbound. */
async function canary(settings: object) {
  onTestFinished(() => configure({ stages: [], servers: [] }))
  return configure(settings)
}
const serverNamed = async (id: string) => its.get(`/api/v1/servers/${id}`)
const heldBy = async (id: string, name: string): Promise<readonly string[]> =>
  (await serverNamed(id)).current_rulesets
    .map((held: { readonly name: string }) => held.name)
    .filter((held: string) => held.startsWith(name))

/** Engine and fee of decisions of forty callers; each must have one. */
async function decided(name: string): Promise<readonly string[]> {
  const seen = new Set<string>()
  for (let key = 0; key < 40; key++) {
    const { status, text, body, headers } = await its.decide('prod', name, `user-${key}`)
    expect(status, text).toBe(200)
    seen.add(`${headers.get('x-engine-server')} ${body.output.fee}`)
  }
  return [...seen].toSorted()
}

/** An engine that has the candidate of a release and disconnects on every request. */
async function breakingEngine() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      // An engine of a version before the proof of identity.
      if (request.url === '/api/v1/identity-proof') response.writeHead(404).end()
      else response.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return addEngine(its.platform, connect, engineNamed(newName(), { tenants: true, url }))
}

test('candidates go to dedicated engines; the live content decides when these are gone', async () => {
  const name = newName()
  const live = await its.serving('prod')
  const apart = await startLinked(its.platform, connect, '--multi-tenancy-enabled')
  onTestFinished(() => apart.engine.stop())
  await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
  expect(await canary({ ...HALF, servers: [apart.id] })).toMatchObject({ ...HALF, servers: [apart.id] })
  expect((await its.get(`${its.team.P}/environments/prod`)).canary.servers).toEqual([apart.id])
  const release = await its.deploy(name, '3', 'prod')
  const { number } = await its.get(release)
  await expect.poll(() => decided(name)).toEqual([`${apart.id} 30`, `${live.id} 20`].toSorted())
  expect(await heldBy(apart.id, name)).toEqual([`${name}.r${number}`])
  expect(await heldBy(live.id, name)).toEqual([name])
  const servers = async () =>
    (await its.get(`${release}/execution`)).servers.map((one: Record<string, unknown>) => [
      one['server_id'],
      one['canary_only'],
      one['status'],
    ])
  expect(await servers()).toEqual([
    [live.id, false, 'pending'],
    [apart.id, true, 'live'],
  ])

  await apart.engine.stop()
  expect(await decided(name)).toEqual([`${live.id} 20`])
  expect((await its.post(`${release}/promote`)).status).toBe(200)
  await its.reaches(release, 'completed')
  expect(await decided(name)).toEqual([`${live.id} 30`])
  expect(await servers()).toEqual([
    [live.id, false, 'live'],
    [apart.id, true, 'live'],
  ])
})

test('an engine that breaks the connection for its candidate is an error of the candidate', async () => {
  const name = newName()
  const live = await its.serving('prod')
  await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
  const apart = await breakingEngine()
  // A busy machine may need longer for a deployment than the 3 s after which a silent engine is unhealthy.
  const beats = setInterval(() => void apart.beat(), 500)
  onTestFinished(() => clearInterval(beats))
  await apart.beat()
  await canary({ ...HALF, servers: [apart.id] })
  const release = await its.deploy(name, '3', 'prod')
  const { number } = await its.get(release)
  const { id: environment } = await its.get(`${its.team.P}/environments/prod`)
  await expect.poll(async () => (await its.events(release)).map(({ type }) => type)).toContain('preflight_passed')
  clearInterval(beats)
  let round = 0
  await expect
    .poll(async () => {
      // Acts like an engine that has reached its desired state.
      const { desired_revision: applied_revision } = await serverNamed(apart.id)
      const rulesets = (await wantedBy(apart.id)).map((one) => ({ ...one, tenant: environment, version: '1.0.0' }))
      await apart.beat({ applied_revision, digest: `sha256:${applied_revision}`, rulesets })
      for (let key = 0; key < 20; key++) await its.decide('prod', name, `user-${round}-${key}`)
      round++
      return (await its.get(release)).status
    })
    .toMatch(/roll/)
  const verdicts = (await its.events(release)).filter(({ type }) => type === 'stage_verdict')
  expect(verdicts.at(-1)?.data).toMatchObject({ decision: 'rollback', errors: { stable: 0 } })
  await its.reaches(release, 'rolled_back')
  expect(await decided(name)).toEqual([`${live.id} 20`])
  const states = (await its.get(`${release}/history`)).items.filter(
    ({ server_id, data }: { server_id?: string; data: { to?: string } }) =>
      server_id === apart.id && data.to === 'rolled_back',
  )
  expect(states.map(({ data }: { data: object }) => data)).toMatchObject([
    { ruleset: `${name}.r${number}`, digest: null },
  ])

  async function wantedBy(server: string) {
    return database()
      .unscoped.tables.selectFrom('server_rulesets')
      .select(['name', 'digest'])
      .where('server_id', '=', server)
      .where('digest', 'is not', null)
      .execute()
  }
})

test('a release fails where no engine for its canary is healthy, and leaves no content anywhere', async () => {
  const name = newName()
  const live = await its.serving('prod')
  await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
  const away = await addEngine(its.platform, connect, engineNamed(newName(), { tenants: true }))
  await canary({ ...HALF, servers: [away.id] })
  const release = await its.deploy(name, '3', 'prod')
  // The other engine may miss heartbeats on a busy machine: then it is executed again.
  const errorOf = async () => ((await its.get(`${release}/execution`)) as { error: string | null }).error
  const again = async (isWanted: (error: string | null) => boolean) => {
    if ((await its.get(release)).status === 'failed' && !isWanted(await errorOf())) await its.post(`${release}/execute`)
  }
  const missing = 'no engine for the canaries of `prod` is healthy'
  await expect
    .poll(async () => {
      await again((error) => error === missing)
      return errorOf()
    })
    .toBe(missing)
  expect(await decided(name)).toEqual([`${live.id} 20`])
  // The engines of the environment then hold the candidate next to the live content.
  await configure({ servers: [] })
  await expect
    .poll(async () => {
      await again(() => false)
      return decided(name)
    })
    .toEqual([`${live.id} 20`, `${live.id} 30`])
  await its.post(`${release}/abort`)
})

test('an engine serves candidates or live content, and is released before it or its environment is deleted', async () => {
  const { id: bound } = await its.serving('prod')
  const { id } = await addEngine(its.platform, connect, engineNamed(newName(), { tenants: true }))
  const refused = async (settings: object) => {
    const { status, body } = await put('/environments/prod/canary', settings)
    return [status, body.details[0].path]
  }
  expect(await refused({ servers: [id, its.team.org] })).toEqual([400, '/servers/1'])
  expect(await refused({ servers: [id, id] })).toEqual([400, '/servers/1'])
  expect(await refused({ servers: [bound] })).toEqual([400, '/servers/0'])
  const key = { name: newName(), scopes: ['project.read', 'environment.manage'] }
  const { token } = (await its.post(`${its.team.O}/api-keys`, key)).body
  const program = its.platform.program(token)
  const path = `${its.team.P}/environments/prod/canary`
  const { status, body } = await program.request('PUT', path, { servers: [id] })
  expect([status, body.details[0].code]).toEqual([403, 'server.manage'])
  expect((await program.request('PUT', path, { alpha: 0.02 })).status).toBe(200)

  await canary({ servers: [id] })
  const both = await put('/server', { environment: 'prod', server_ids: [bound, id] })
  expect([both.status, both.body.details[0].path]).toEqual([400, '/server_ids/1'])
  expect((await its.get(`${its.team.P}/server?environment=prod`)).server_ids).toEqual([bound])
  expect((await its.team.owner.request('DELETE', `/api/v1/servers/${id}`)).body.details[0].code).toBe('in_use')
  const { id: other } = (await its.post(`${its.team.P}/environments`, { name: newName() })).body
  await put(`/environments/${other}/canary`, { servers: [id] })
  const environment = `${its.team.P}/environments/${other}`
  expect((await its.team.owner.request('DELETE', environment)).body.details[0].code).toBe('in_use')
  await put(`/environments/${other}/canary`, { servers: [] })
  expect((await its.team.owner.request('DELETE', environment)).status).toBe(204)
})
