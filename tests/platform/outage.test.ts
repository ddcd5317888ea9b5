import { expect, test } from 'vitest'
import { openDatabase } from '../../apps/platform-server/src/database/open.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'
import { newDatabase } from './databases.testing.ts'
import { startPlatform } from './platform.testing.ts'
import { relayTo } from './relay.testing.ts'
import { made, newTeam } from './team.testing.ts'

test('while the database is away the platform answers 503 and lives; then it goes on by itself', async () => {
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
  expect(platform.lines.map(([level, , text]) => [level, text])).toContainEqual([
    'warn',
    'what a request needs cannot be reached',
  ])

  await relay.restore()
  await expect.poll(async () => (await team.owner.request('GET', team.path)).status).toBe(200)
  await made(team.owner.request('POST', `${team.path}/roles`, { name: 'after', permissions: [] }))
  const woken = new Promise<void>((resolve) => database.wakes.on('back', resolve))
  await woken
  expect(lines.map(([, , text]) => text)).toContain('the connection that listens for changes broke off')
  await platform.stop()
  await database.close()
  await relay.cut()
})
