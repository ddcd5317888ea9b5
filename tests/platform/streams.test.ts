import { once } from 'node:events'
import { type ClientRequest, request, type IncomingMessage } from 'node:http'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../http/server.testing.ts'
import { answering } from '../workers.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { startTeam, type Team, want } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'
const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
beforeAll(async () => {
  platform = await startPlatform(database(), ['--max-streams-per-caller', '2', '--heartbeat-interval-secs', '1'])
  team = await startTeam(platform)
})
afterAll(() => platform.stop())

/** An engine that serves the project with one ruleset. */
async function serving(): Promise<void> {
  const started = await startServer(
    '--platform-url',
    platform.url,
    '--platform-connect-token',
    await team.connectToken(),
    '--platform-server-name',
    randomUUID(),
  )
  onTestFinished(() => started.stop())
  const health = async () => (await started.request('GET', '/health')).body.platform
  await expect.poll(async () => (await health()).registered).toBe(true)
  const { server_id: id } = await health()
  await team.owner.request('PUT', `${team.P}/server`, { environment: 'prod', server_ids: [id] })
  const { body } = await team.owner.request('GET', `${team.P}/environments/prod`)
  await want(database(), team.org, body.id, [answering('A', 'rule')])
  await expect.poll(async () => (await started.post('/api/v1/execute/rule', { input: {} })).status).toBe(200)
}

const keyed = async () => {
  const { body } = await team.owner.request('POST', `${team.O}/api-keys`, {
    name: randomUUID(),
    scopes: ['decision.execute', 'audit.read'],
  })
  return body.token as string
}

/** A batch of lines whose sender keeps writing. */
async function open(key: string): Promise<{ readonly sent: ClientRequest; readonly answer: IncomingMessage }> {
  const sent = request(`${platform.url}${A}/engine/${team.project}/execute/rule/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
  })
  onTestFinished(() => void sent.destroy())
  sent.on('error', () => {})
  sent.write('{}\n')
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { sent, answer }
}

test('open streams are limited per caller, and a closed one makes room', async () => {
  await serving()
  const [key, other] = [await keyed(), await keyed()]
  const first = await open(key)
  const second = await open(key)
  expect([first.answer.statusCode, second.answer.statusCode]).toEqual([200, 200])
  const third = await open(key)
  expect([third.answer.statusCode, third.answer.headers['retry-after']]).toEqual([429, '5'])
  const audit = await platform
    .program(key)
    .request('GET', `${team.O}/audit`, undefined, { accept: 'application/x-ndjson' })
  expect([audit.status, audit.body.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
  // Everything but streams continues.
  const decided = await platform.program(key).request('POST', `${A}/engine/${team.project}/execute/rule`, { input: {} })
  expect(decided.status).toBe(200)
  expect((await open(other)).answer.statusCode).toBe(200)
  expect((await platform.browser().request('GET', '/metrics')).text).toMatch(/^engine_platform_streams 3$/m)
  second.sent.destroy()
  await expect.poll(async () => (await open(key)).answer.statusCode).toBe(200)
})
