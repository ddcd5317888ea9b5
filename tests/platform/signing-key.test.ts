import { generateKeys } from '@engine/signing'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../http/server.testing.ts'
import { answering } from '../workers.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { type Document, startTeam, type Team, want } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'
const named = (code: string, name = 'rule') => answering(code, name) as unknown as Document

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1'])
    team = await startTeam(platform)
  })
  afterAll(() => platform.stop())

  const path = () => `${team.P}/signing-key`
  const publicKey = async () => (await team.owner.request('GET', team.P)).body.public_key

  test('is set, shown by its public half, and removed', async () => {
    const { owner } = team
    expect((await owner.request('GET', path())).body).toEqual({ public_key: null })
    expect((await owner.request('DELETE', path())).status).toBe(404)
    const keys = generateKeys()
    const set = await owner.request('PUT', path(), { private_key: keys.privateKey })
    expect([set.status, set.body]).toEqual([200, { public_key: keys.publicKey }])
    expect((await owner.request('GET', path())).body).toEqual({ public_key: keys.publicKey })
    expect(await publicKey()).toBe(keys.publicKey)
    const row = await database()
      .unscoped.tables.selectFrom('projects')
      .select(['private_key_encrypted', 'rev'])
      .where('id', '=', team.project)
      .executeTakeFirstOrThrow()
    expect(row.rev).toBe(2)
    for (const text of [keys.privateKey, Buffer.from(keys.privateKey, 'base64')])
      expect(row.private_key_encrypted?.includes(text)).toBe(false)
    expect((await owner.request('DELETE', path())).status).toBe(204)
    expect(await publicKey()).toBeNull()
  })

  test('is in the audit by its public half alone', async () => {
    const [first, second] = [generateKeys(), generateKeys()]
    await team.owner.request('PUT', path(), { private_key: first.privateKey })
    await team.owner.request('PUT', path(), { private_key: second.privateKey })
    await team.owner.request('DELETE', path())
    const { body, text } = await team.owner.request('GET', `${team.O}/audit?object_type=signing_key&limit=3`)
    const changes = body.items.map(({ action, before, after }: Record<string, unknown>) => [action, before, after])
    expect(changes).toEqual([
      ['signing_key.deleted', { public_key: second.publicKey }, null],
      ['signing_key.updated', { public_key: first.publicKey }, { public_key: second.publicKey }],
      ['signing_key.created', null, { public_key: first.publicKey }],
    ])
    for (const { privateKey } of [first, second])
      expect(text + JSON.stringify(platform.lines)).not.toContain(privateKey)
  })

  test('makes an engine that accepts none without its signature accept the rulesets', async () => {
    const { owner } = team
    const keys = generateKeys()
    const environment = (await owner.request('GET', `${team.P}/environments/dev`)).body.id
    const engine = await startServer(
      '--platform-url',
      platform.url,
      '--platform-connect-token',
      await team.connectToken(),
      '--platform-server-name',
      randomUUID(),
      '--signature-enabled',
      '--signature-require',
      '--signature-trusted-keys',
      keys.publicKey,
    )
    onTestFinished(() => engine.stop())
    const health = async () => (await engine.request('GET', '/health')).body.platform
    await expect.poll(async () => (await health()).registered).toBe(true)
    const id = (await health()).server_id
    const server = async () => (await owner.request('GET', `${A}/servers/${id}`)).body
    await owner.request('PUT', `${team.P}/server`, { environment: 'dev', server_ids: [id] })
    onTestFinished(async () => {
      await owner.request('PUT', `${team.P}/server`, { environment: 'dev', server_ids: [] })
    })

    // The engine refuses it without a signature, and reports that to the platform.
    await want(database(), team.org, environment, [named('UNSIGNED')])
    await expect.poll(async () => (await server()).problems.length).toBe(1)
    expect((await server()).problems[0].message).toContain('signature')
    expect((await engine.post('/api/v1/execute/rule', { input: {} })).status).toBe(404)

    // With that of another key as well.
    await owner.request('PUT', path(), { private_key: generateKeys().privateKey })
    await want(database(), team.org, environment, [named('FOREIGN')])
    await expect.poll(async () => (await server()).problems[0]?.message).toContain('untrusted')

    await owner.request('PUT', path(), { private_key: keys.privateKey })
    await want(database(), team.org, environment, [named('SIGNED')])
    const code = async () => (await engine.post('/api/v1/execute/rule', { input: {} })).body?.code
    await expect.poll(code).toBe('SIGNED')
    await expect.poll(async () => (await server()).problems).toEqual([])
    const stored = (await engine.request('GET', '/api/v1/rulesets/rule')).body
    expect(stored).toMatchObject({ _signature: { algorithm: 'ed25519', public_key: keys.publicKey } })
  })
})
