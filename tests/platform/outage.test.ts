import { expect, test } from 'vitest'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'
import { newDatabase } from './databases.testing.ts'
import { startPlatform } from './platform.testing.ts'
import { relayTo } from './relay.testing.ts'
import { made, newTeam } from './team.testing.ts'

test.each([
  ['a change', {}],
  ['a change with an idempotency key', { 'idempotency-key': 'once' }],
])('%s whose commit breaks off reports an unknown outcome', async (_what, headers) => {
  const url = new URL(await newDatabase(await sharedPostgres()))
  const relay = await relayTo({ host: url.hostname, port: Number(url.port) })
  url.port = String(relay.port)
  const database = await openDatabase({ kind: 'server', url: url.href }, memoryLog().log)
  const platform = await startPlatform(database)
  const team = await newTeam(platform)

  const cut = relay.cutAt(['audit_entries', 'commit'], 'after')
  const role = { name: 'once', permissions: [] }
  const { status, body } = await team.owner.request('POST', `${team.path}/roles`, role, headers)
  expect([status, body.code, body.details[0].code]).toEqual([503, 'UNAVAILABLE', 'outcome_unknown'])
  expect(body.error).toMatch(/unknown whether the change was made.*idempotency-key/)
  await cut

  await relay.restore()
  // It was made: only its answer got lost.
  const names = async () => (await team.owner.request('GET', `${team.path}/roles`)).body?.items?.map(nameOf)
  await expect.poll(names).toContain('once')
  await platform.stop()
  await database.close()
  await relay.cut()
})

const nameOf = ({ name }: { readonly name: string }) => name

test('while the database is down the platform answers 503 and stays alive; then it recovers by itself', async () => {
  const url = new URL(await newDatabase(await sharedPostgres()))
  const relay = await relayTo({ host: url.hostname, port: Number(url.port) })
  url.port = String(relay.port)
  const { log, lines } = memoryLog()
  const database = await openDatabase({ kind: 'server', url: url.href }, log)
  const platform = await startPlatform(database)
  const team = await newTeam(platform)

  await relay.cut()
  for (const path of [team.path, `${team.path}/roles`]) {
    const { status, body, headers } = await team.owner.request('GET', path)
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1'])
    expect(body.error).not.toContain('ECONN')
  }
  expect((await platform.browser().request('GET', '/healthz/ready')).status).toBe(503)
  expect((await platform.browser().request('GET', '/healthz/live')).status).toBe(200)
  expect(platform.lines.map(([level, , text]) => [level, text])).toContainEqual(['warn', 'a dependency is unavailable'])

  await relay.restore()
  await expect.poll(async () => (await team.owner.request('GET', team.path)).status).toBe(200)
  await made(team.owner.request('POST', `${team.path}/roles`, { name: 'after', permissions: [] }))
  const woken = new Promise<void>((resolve) => database.wakes.on('back', () => resolve()))
  await woken
  expect(lines.map(([, , text]) => text)).toContain('the connection that listens for changes broke off')
  await platform.stop()
  await database.close()
  await relay.cut()
})
