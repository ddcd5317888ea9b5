import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACTIONS, type Action, ROLE_ACTIONS } from '../../apps/platform-server/src/access/actions.ts'
import { ACCESS } from './access-matrix.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { type Answered, type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { asEngine, engineNamed } from './engines.testing.ts'
import { made, newTeam, type Team, type TestPerson } from './team.testing.ts'

/** Walks every route with every kind of caller; who may is one table, ACCESS. */
const database = useDatabase('embedded')
let platform: TestPlatform
let people: Readonly<Record<'admin' | 'editor' | 'viewer' | 'custom' | 'stranger', TestPerson>>
/** For what deletes nothing. */
let shared: ReturnType<typeof furnished>
let other: Team

beforeAll(async () => {
  platform = await startPlatform(database())
  const [admin, editor, viewer, custom, stranger] = [
    await platform.person(),
    await platform.person(),
    await platform.person(),
    await platform.person(),
    await platform.person(),
  ]
  people = { admin, editor, viewer, custom, stranger }
  shared = furnished()
  await shared
  other = await newTeam(platform)
})
afterAll(() => platform.stop())

const WORDS: Readonly<Record<string, string>> = {
  none: 'No credentials are needed.',
  any: 'For a person or an API key.',
  person: 'For a person who is signed in.',
  server: 'For an engine, by its own token.',
  member: 'For each member of the organization.',
}

test('the table has every route of the platform, with the right that it names', async () => {
  const { body } = await platform.browser().request('GET', '/api/v1/openapi.json')
  const described = Object.entries<Record<string, { description: string }>>(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { description }]) => [`${method.toUpperCase()} ${path}`, description]),
  )
  const expected = Object.entries(ACCESS).map(([route, { right, described: word = right }]) => [
    route,
    WORDS[word] ?? `Needs the right \`${word}\`.`,
  ])
  expect(Object.fromEntries(described)).toEqual(Object.fromEntries(expected))
})

/** The actions of the role that the organizations of these tests have beside the built-in ones. */
const CUSTOM: readonly Action[] = ['token.manage', 'audit.read']

/** An organization with everything that a path can name. */
async function furnished(): Promise<{ team: Team; params: Record<string, string> }> {
  const team = await newTeam(platform)
  const { owner, path } = team
  const post = (where: string, body: object) => made(owner.request('POST', path + where, body))
  const role = await post('/roles', { name: 'keeper', permissions: CUSTOM })
  const spare = await post('/roles', { name: 'spare', permissions: [] })
  await team.join(['admin'], people.admin)
  const { memberId } = await team.join(['editor'], people.editor)
  await team.join(['viewer'], people.viewer)
  await team.join([role.id], people.custom)
  const sub = await post('/sub-orgs', { name: 'Below' })
  await post('/members', { email: `${randomUUIDv7()}@example.com`, roles: ['viewer'] })
  const [invitation] = (await owner.request('GET', `${path}/invitations`)).body.items
  const key = await post('/api-keys', { name: 'fixture', scopes: ['project.read'] })
  const token = await post('/connect-tokens', { label: 'fixture' })
  const project = await post('/projects', { name: 'fixture' })
  const engine = await asEngine(platform, 'POST', '/internal/register', engineNamed('fixture'), {
    'x-connect-token': token.token,
  })
  const params = {
    pid: project.id,
    eid: 'dev',
    name: 'rule',
    seq: '1',
    oid: team.id,
    parent_id: team.id,
    sub_id: sub.id,
    uid: memberId,
    nid: randomUUIDv7(),
  }
  return {
    team,
    params: {
      ...params,
      roles: spare.id,
      invitations: invitation.id,
      'api-keys': key.id,
      orgs: team.id,
      servers: engine.body.server_id,
      'connect-tokens': token.id,
    },
  }
}

/** A path with its parameters; `{id}` is one of what the segment before it names. */
const filled = (path: string, params: Readonly<Record<string, string>>) =>
  path
    .replaceAll(/([\w-]+)\/\{id\}/g, (_whole, kind: string) => `${kind}/${params[kind] ?? randomUUIDv7()}`)
    .replaceAll(/\{(\w+)\}/g, (_whole, name: string) => params[name] ?? '')

const send = (client: Client, method: string, path: string): Promise<Answered> =>
  client.request(method, path, method === 'POST' || method === 'PUT' ? { 'no such member': true } : undefined)

const isRefused = ({ status }: Answered) => status === 401 || status === 403

describe.each(Object.entries(ACCESS).filter(([route]) => !route.includes('sub_id')))('%s', (route, need) => {
  const [method = '', path = ''] = route.split(' ')
  const { right } = need
  const isOfOrganization = /\/(?:orgs|projects|engine|servers)\/\{/.test(path)

  test('is for those alone', async () => {
    const { team, params } = await (method === 'DELETE' ? furnished() : shared)
    const url = filled(path, params)
    const ask = (client: Client) => send(client, method, url)
    const nothing = await ask(platform.browser())
    // Without a session; what a request to sign in is refused for is its own matter.
    if (right === 'none') return expect(nothing.status).not.toBe(403)
    // A browser is refused as such where engines ask.
    if (right === 'server') {
      expect(nothing.status).toBe(403)
      return expect((await ask(platform.program('eng_key_unknown'))).status).toBe(401)
    }
    expect(nothing.status).toBe(401)
    const keyOf = async (scopes: readonly Action[], more = {}) =>
      (await made(team.owner.request('POST', `${team.path}/api-keys`, { name: randomUUIDv7(), scopes, ...more }))).token
    expect((await ask(platform.program('eng_key_unknown'))).status).toBe(401)
    const expired = await keyOf(ACTIONS, { expires_at: new Date(Date.now() + 3600_000).toISOString() })
    const past = { expires_at: new Date(Date.now() - 1000) }
    const keys = database().unscoped.tables.updateTable('api_keys').set(past)
    await keys.where('expires_at', 'is not', null).execute()
    expect((await ask(platform.program(expired))).status).toBe(401)

    if (right === 'person' || need.personal === true) {
      const refused = await ask(platform.program(await keyOf(ACTIONS)))
      expect([refused.status, refused.body.details[0].code]).toEqual([403, 'person'])
    }
    if (!isOfOrganization || right === 'person') return
    const foreignKey = await made(
      other.owner.request('POST', `${other.path}/api-keys`, { name: randomUUIDv7(), scopes: ACTIONS }),
    )
    for (const client of [people.stranger, platform.program(foreignKey.token)])
      expect((await ask(client)).status).toBe(404)

    const needed = right === 'member' ? 'project.read' : (right as Action)
    if (need.personal !== true) {
      const refused = await ask(platform.program(await keyOf(ACTIONS.filter((one) => one !== needed))))
      expect([refused.status, refused.body.details[0].code]).toEqual([403, needed])
    }
    const roles = Object.entries({ ...ROLE_ACTIONS, custom: CUSTOM }).map(([role, actions]) => ({
      role,
      client: role === 'owner' ? team.owner : people[role as keyof typeof people],
      may: right === 'member' || actions.includes(needed),
    }))
    // The editor is the member that paths name, and may do more to oneself.
    const asking = roles.filter(({ role }) => role !== 'editor' || !path.includes('{uid}'))
    // Whoever may comes last: it may delete what the path names.
    for (const { role, client, may } of asking.toSorted((one, next) => Number(one.may) - Number(next.may))) {
      const answer = await ask(client)
      if (may && need.refusedAs !== undefined)
        expect([answer.status, answer.body.details[0].code], role).toEqual([403, need.refusedAs])
      else if (may) expect(isRefused(answer), `${role}: ${answer.text}`).toBe(false)
      else expect([answer.status, answer.body.details[0].code], role).toEqual([403, needed])
    }
  })
})
