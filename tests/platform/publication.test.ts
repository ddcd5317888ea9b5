import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { made, refusal } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let scene: Scene
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  scene = await newScene(platform)
  for (const name of ['test', 'guarded'])
    await made(scene.owner.request('POST', `${scene.P}/environments`, { name, requires_release: false }))
})
afterAll(() => platform.stop())

const publish = (by: Client, name: string, environment: string, seq = 1) =>
  by.request('POST', `${scene.P}/rulesets/${name}/publish`, { environment, seq })
const saved = async (...points: readonly number[]) => {
  const name = newName()
  for (const one of points) await scene.save(scene.owner, name, one)
  return name
}
const keyFor = async (limits: object): Promise<Client> => {
  const scopes = ['ruleset.publish', 'project.read', 'audit.read']
  const key = { name: randomUUID(), scopes, ...limits }
  return platform.program((await made(scene.owner.request('POST', `${scene.team.path}/api-keys`, key))).token)
}
const environmentsIn = async (by: Client, name: string) => {
  const { items } = (await by.request('GET', `${scene.P}/rulesets/${name}/deployments`)).body
  return items.map(({ environment }: { environment: string }) => environment).toSorted()
}

describe('a key for one environment', () => {
  test('publishes there and nowhere else', async () => {
    const name = await saved(1)
    const key = await keyFor({ environments: ['dev'] })
    expect((await publish(key, name, 'dev')).status).toBe(202)
    for (const environment of ['test', 'prod', 'none']) {
      const { status, body } = await publish(key, name, environment)
      expect([status, body.details[0].path]).toEqual([400, '/environment'])
    }
    expect(await environmentsIn(scene.owner, name)).toEqual(['dev'])
  })

  test('sees what was published there, and not what was published elsewhere', async () => {
    const name = await saved(1, 2)
    await publish(scene.owner, name, 'dev', 1)
    await publish(scene.owner, name, 'test', 2)
    expect(await environmentsIn(scene.owner, name)).toEqual(['dev', 'test'])
    expect(await environmentsIn(await keyFor({ environments: ['dev'] }), name)).toEqual(['dev'])
    expect(await environmentsIn(await keyFor({ environments: ['prod'] }), name)).toEqual([])
    expect(await environmentsIn(await keyFor({}), name)).toEqual(['dev', 'test'])
  })
})

test('a key for one project reads the audit of that project alone', async () => {
  const other = await made(scene.owner.request('POST', `${scene.team.path}/projects`, { name: 'Other' }))
  const own = scene.P.split('/').at(-1) ?? ''
  const projects = async (by: Client) => {
    const { body } = await by.request('GET', `${scene.team.path}/audit?limit=200`)
    return new Set(body.items.map(({ project_id }: { project_id: string | null }) => project_id))
  }
  expect(await projects(await keyFor({}))).toEqual(new Set([null, own, other.id]))
  expect(await projects(await keyFor({ project_ids: [other.id] }))).toEqual(new Set([other.id]))
  expect(await projects(await keyFor({ project_ids: [own] }))).toEqual(new Set([own]))
})

test.each([
  ['a save that the draft does not have', { environment: 'dev', seq: 2 }, '/seq'],
  ['no environment', {}, '/environment'],
  ['an environment that the project does not have', { environment: 'none' }, '/environment'],
  ['an id of no environment', { environment_id: 'none' }, '/environment_id'],
  ['two environments', { environment: 'dev', environment_id: 'test' }, '/environment_id'],
])('a publication that names %s is refused, and changes nothing', async (_, body, path) => {
  const name = await saved(1)
  const answer = await scene.owner.request('POST', `${scene.P}/rulesets/${name}/publish`, body)
  expect([answer.status, answer.body.details[0].path]).toEqual([400, path])
  expect(await environmentsIn(scene.owner, name)).toEqual([])
})

test('a publication may name its environment by id, and by both members alike', async () => {
  const name = await saved(1)
  const { id } = (await scene.owner.request('GET', `${scene.P}/environments/dev`)).body
  for (const body of [{ environment_id: id }, { environment: 'dev', environment_id: 'dev' }])
    await scene.owner.request('POST', `${scene.P}/rulesets/${name}/publish`, body)
  expect(await environmentsIn(scene.owner, name)).toEqual(['dev', 'dev'])
})

describe('an environment with a release policy', () => {
  test('is changed by releases alone while the policy is enabled', async () => {
    const name = await saved(1)
    expect((await publish(scene.owner, name, 'guarded')).status).toBe(202)
    const policy = await scene.policy({ match: { environments: ['guarded'] } })
    const at = `${scene.P}/release-policies/${policy.id}`
    expect(await refusal(publish(scene.owner, name, 'guarded'))).toEqual([409, 'release_required'])
    expect((await publish(scene.owner, name, 'test')).status).toBe(202)
    await scene.owner.request('PUT', at, { enabled: false })
    expect((await publish(scene.owner, name, 'guarded')).status).toBe(202)
    await scene.owner.request('DELETE', at)
  })
})

describe('a draft that converts but has errors', () => {
  const contractOf = (name: string) => ({
    name,
    version: '1.0.0',
    input: { fields: [{ name: 'points', type: 'number' }] },
    outputs: [{ code: 'GRANTED', fields: [] }],
  })

  test('because its contract is unknown is not published', async () => {
    const name = newName()
    await made(
      scene.owner.request('POST', `${scene.P}/rulesets/${name}`, {
        ruleset: grading(name, 1, { contract: `${name}-unknown` }),
        expected_seq: 0,
      }),
    )
    const { status, body } = await publish(scene.owner, name, 'dev')
    expect([status, body.details[0]]).toMatchObject([400, { path: '/config/contract', code: 'unknown-contract' }])
    expect(await environmentsIn(scene.owner, name)).toEqual([])
  })

  test('because it breaks its contract is not published', async () => {
    const name = await saved(1)
    await made(scene.owner.request('POST', `${scene.P}/contracts`, contractOf(name)))
    const { status, body } = await publish(scene.owner, name, 'dev')
    expect([status, body.details.length > 0]).toEqual([400, true])
    expect(await environmentsIn(scene.owner, name)).toEqual([])
  })
})
