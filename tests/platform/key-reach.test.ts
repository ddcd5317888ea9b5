import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACTIONS } from '../../apps/platform-server/src/access/actions.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { addEngine, engineNamed } from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam, refusal, type Team, teamOf } from './team.testing.ts'

const A = '/api/v1'

/** Operations that a key may not perform indirectly, because it may not perform them directly. */
describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startPlatform(database())
  })
  afterAll(() => platform.stop())

  const keyBy = async (author: Client, org: string, more: object = {}): Promise<Client> => {
    const request = { name: randomUUID(), scopes: ACTIONS, ...more }
    return platform.program((await made(author.request('POST', `${org}/api-keys`, request))).token)
  }

  describe('a key for one environment', () => {
    let team: Team
    let project: string
    let key: Client
    beforeAll(async () => {
      team = await newTeam(platform)
      const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'shop' }))
      project = `${A}/projects/${id}`
      key = await keyBy(team.owner, team.path, { environments: ['dev'] })
    })

    test('sees and changes that one alone', async () => {
      const { body } = await key.request('GET', `${project}/environments`)
      expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['dev'])
      expect((await key.request('PUT', `${project}/environments/dev`, { order: 3 })).status).toBe(200)
      const [prod] = (await team.owner.request('GET', `${project}/environments?q=prod`)).body.items
      for (const name of ['prod', prod.id]) {
        const one = `${project}/environments/${name}`
        expect((await key.request('GET', one)).status).toBe(404)
        expect((await key.request('DELETE', one)).status).toBe(404)
        for (const path of [one, `${one}/canary`, `${one}/recording`])
          expect((await key.request('PUT', path, {})).status).toBe(404)
      }
      expect(await refusal(key.request('POST', `${project}/environments`, { name: 'prod2' }))).toEqual([
        403,
        'environment.manage',
      ])
    })

    test('binds no engine to another', async () => {
      expect((await key.request('PUT', `${project}/server`, { environment: 'dev', server_ids: [] })).status).toBe(200)
      for (const request of [{ environment: 'prod', server_ids: [] }, { server_ids: [] }]) {
        const { status, body } = await key.request('PUT', `${project}/server`, request)
        expect([status, body.details[0].path]).toEqual([400, '/environment'])
      }
      expect((await key.request('GET', `${project}/server?environment=prod`)).status).toBe(404)
    })

    test('sends none of its requests to another', async () => {
      const [prod] = (await team.owner.request('GET', `${project}/environments?q=prod`)).body.items
      const canary = { canary_target_env_id: prod.id, canary_percentage: 100 }
      const { status, body } = await key.request('PUT', `${project}/environments/dev/canary`, canary)
      expect([status, body.details[0].path]).toEqual([400, '/canary_target_env_id'])
    })
  })

  test('a key for one project creates no project, and passes on no permissions in the others', async () => {
    const team = await newTeam(platform)
    const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'shop' }))
    const viewer = await team.join(['viewer'])
    const key = await keyBy(team.owner, team.path, { project_ids: [id] })
    const email = `${randomUUID()}@example.com`
    const attempts: readonly (readonly [string, string, object])[] = [
      ['POST', '/projects', { name: 'other' }],
      ['POST', '/members', { email, roles: ['viewer'] }],
      ['PUT', `/members/${viewer.memberId}/roles`, { roles: ['editor'] }],
      ['POST', '/roles', { name: 'wide', permissions: ['project.read'] }],
    ]
    for (const [method, path, body] of attempts)
      expect((await key.request(method, team.path + path, body)).status, path).toBe(403)
    expect((await key.request('DELETE', `${team.path}/members/${viewer.memberId}`)).status).toBe(403)
    const whole = await keyBy(team.owner, team.path)
    expect((await whole.request('POST', `${team.path}/members`, { email, roles: ['viewer'] })).status).toBe(201)
  })

  test('a key that an admin of the parent has created below ends with the membership above', async () => {
    const team = await newTeam(platform)
    const below = await made(team.owner.request('POST', `${team.path}/sub-orgs`, { name: 'below' }))
    const { path } = teamOf(platform, team.owner, below)
    const [admin, demoted] = [await team.join(['admin']), await team.join(['admin'])]
    const scopes = ['project.read', 'member.manage']
    const [key, other] = [await keyBy(admin, path, { scopes }), await keyBy(demoted, path, { scopes })]
    const own = await keyBy(team.owner, path, { scopes: ['decision.execute'] })
    for (const one of [key, other]) expect((await one.request('GET', `${path}/members`)).status).toBe(200)
    expect((await team.owner.request('DELETE', `${team.path}/members/${admin.memberId}`)).status).toBe(204)
    const viewer = { roles: ['viewer'] }
    expect((await team.owner.request('PUT', `${team.path}/members/${demoted.memberId}/roles`, viewer)).status).toBe(200)
    for (const one of [key, other]) expect((await one.request('GET', `${path}/members`)).status).toBe(401)
    expect((await own.request('GET', `${A}/me`)).status).toBe(200)
  })

  test('a key for some environments changes nothing of the whole project', async () => {
    const team = await newTeam(platform)
    const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'shop' }))
    const project = `${A}/projects/${id}`
    const narrow = await keyBy(team.owner, team.path, { environments: ['dev'] })
    for (const [method, body] of [
      ['PUT', { current_environment: 'dev' }],
      ['DELETE', undefined],
    ] as const)
      expect(await refusal(narrow.request(method, project, body))).toEqual([403, 'project.manage'])
    const own = await keyBy(team.owner, team.path, { project_ids: [id] })
    expect((await own.request('PUT', project, { description: 'x' })).status).toBe(200)
    expect((await own.request('DELETE', project)).status).toBe(204)
  })

  test('a key for one project neither forgets engines nor changes the organization', async () => {
    const team = await newTeam(platform)
    const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'shop' }))
    const connect = await made(team.owner.request('POST', `${team.path}/connect-tokens`, {}))
    const engine = await addEngine(platform, connect.token, engineNamed('one'))
    const key = await keyBy(team.owner, team.path, { project_ids: [id] })
    const attempts: readonly (readonly [string, string, string, object?])[] = [
      ['DELETE', `${A}/servers/${engine.id}`, 'server.manage'],
      ['DELETE', `${A}/servers/${engine.id}?force=true`, 'server.manage'],
      ['PUT', team.path, 'org.manage', { name: 'taken' }],
      ['DELETE', team.path, 'org.manage'],
      ['POST', `${team.path}/sub-orgs`, 'org.manage', { name: 'below' }],
      ['POST', `${team.path}/connect-tokens`, 'token.manage', {}],
      ['DELETE', `${team.path}/connect-tokens/${connect.id}`, 'token.manage'],
    ]
    for (const [method, path, right, body] of attempts)
      expect(await refusal(key.request(method, path, body)), `${method} ${path}`).toEqual([403, right])
    // It may still bind the engines that it can see.
    const binding = { environment: 'dev', server_ids: [engine.id] }
    expect((await key.request('PUT', `${A}/projects/${id}/server`, binding)).status).toBe(200)
    const whole = await keyBy(team.owner, team.path)
    expect((await whole.request('DELETE', `${A}/servers/${engine.id}?force=true`)).status).toBe(204)
  })

  test('a key ends no key that reaches more', async () => {
    const team = await newTeam(platform)
    const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'shop' }))
    const make = (more: object) =>
      made(
        team.owner.request('POST', `${team.path}/api-keys`, { name: randomUUID(), scopes: ['project.read'], ...more }),
      )
    const [wide, narrow] = [await make({}), await make({ project_ids: [id] })]
    const key = await keyBy(team.owner, team.path, { project_ids: [id] })
    expect(await refusal(key.request('DELETE', `${team.path}/api-keys/${wide.id}`))).toEqual([403, 'token.manage'])
    expect((await key.request('DELETE', `${team.path}/api-keys/${narrow.id}`)).status).toBe(204)
  })

  test('a key loses and regains permissions with its author', async () => {
    const team = await newTeam(platform)
    const author = await team.join(['admin'])
    const all = { scopes: ['project.read', 'audit.read', 'decision.execute'] }
    const key = await keyBy(author, team.path, all)
    const deciding = await keyBy(author, team.path, { scopes: ['decision.execute'] })
    const become = async (...roles: readonly string[]) =>
      expect((await team.owner.request('PUT', `${team.path}/members/${author.memberId}/roles`, { roles })).status).toBe(
        200,
      )
    const rights = async (client: Client) =>
      (await client.request('GET', `${A}/me`)).body.organizations[0].my_permissions.toSorted()
    expect(await rights(key)).toEqual(all.scopes.toSorted())
    await become('viewer')
    expect(await rights(key)).toEqual(['project.read'])
    expect(await refusal(key.request('GET', `${team.path}/audit`))).toEqual([403, 'audit.read'])
    expect((await key.request('GET', `${team.path}/projects`)).status).toBe(200)
    expect(await rights(deciding)).toEqual(['decision.execute'])
    await become('editor')
    expect(await rights(key)).toEqual(['decision.execute', 'project.read'])
    await become('admin')
    expect((await key.request('GET', `${team.path}/audit`)).status).toBe(200)
  })

  test('the location of a new key has the base path', async () => {
    const behind = await startPlatform(database(), ['--base-path', '/platform'])
    const owner = await platform.person()
    const client = behind.browser()
    for (const [name, value] of owner.cookies) client.cookies.set(name, value)
    const { id } = await made(client.request('POST', `/platform${A}/orgs`, { name: 'behind' }))
    const request = { name: 'one', scopes: ['project.read'] }
    const answer = await client.request('POST', `/platform${A}/orgs/${id}/api-keys`, request)
    const location = answer.headers.get('location') ?? ''
    expect(location).toBe(`/platform${A}/orgs/${id}/api-keys/${answer.body.id}`)
    expect((await client.request('GET', location)).status).toBe(200)
    await behind.stop()
  })
})
