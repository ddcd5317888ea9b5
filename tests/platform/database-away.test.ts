import { expect, test } from 'vitest'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { startPostgres } from '../postgres.testing.ts'
import { newDatabase } from './databases.testing.ts'
import { startPlatform } from './platform.testing.ts'

test('without its database the platform stays alive, is not ready, and answers 503', async () => {
  const server = await startPostgres()
  const database = await openDatabase({ kind: 'server', url: await newDatabase(server) }, memoryLog().log)
  const platform = await startPlatform(database)
  const person = await platform.person()
  expect((await person.request('GET', '/api/v1/me')).status).toBe(200)
  await server.stop()
  const { status, body, headers } = await person.request('GET', '/api/v1/me')
  expect([status, body.code, body.error]).toEqual([503, 'UNAVAILABLE', 'the database does not answer'])
  expect(headers.get('retry-after')).toBe('1')
  const health = await person.request('GET', '/healthz/ready')
  expect([health.status, health.body.status, health.body.checks.database]).toEqual([503, 'unhealthy', 'failed'])
  expect((await person.request('GET', '/healthz/live')).status).toBe(200)
  expect((await platform.browser().request('GET', '/api/v1/auth/options')).status).toBe(200)
  await platform.stop()
  await database.close()
})
