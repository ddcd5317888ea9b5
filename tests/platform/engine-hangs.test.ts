import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { answering } from '../workers.testing.ts'
import { useDatabase } from './databases.testing.ts'
import {
  addEngine,
  decidingProgram,
  type Document,
  engineNamed,
  startTeam,
  type Team,
  want,
} from './engines.testing.ts'
import { type FakeEngine, type SeenRequest, startFakeEngine } from './fake-engine.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'
const LIVE = '/healthz/live'
type Behavior = (response: ServerResponse, request: SeenRequest) => void

const decides: Behavior = (response) => response.end('{"code":"FINE"}')
const hangs: Behavior = () => {}
const breaksOff: Behavior = (response) => response.destroy()
const isShuttingDown: Behavior = (response) => {
  response.statusCode = 503
  response.end('{"code":"UNAVAILABLE","error":"the server is shutting down"}')
}
/** Its health is fine, and it decides nothing. */
const isSlow: Behavior = () => {}
/** All but an engine that hangs answer probes. */
const behave = (behavior: Behavior, response: ServerResponse, request: SeenRequest) =>
  request.url === LIVE && behavior !== hangs ? response.end('{}') : behavior(response, request)

const PLAIN = answering('A', 'plain') as unknown as Document
const calling = (name: string, action: object): Document => {
  const [[entry, step] = ['', {}]] = Object.entries((PLAIN as { steps?: object }).steps ?? {})
  const acting = { id: 'act', name: 'act', type: 'action', actions: [action], next_step: entry }
  return {
    ...PLAIN,
    config: { ...(PLAIN as { config: object }).config, name, entry_step: 'act' },
    steps: { act: acting, [entry]: step },
  } as unknown as Document
}
const EXTERNAL = { action: 'external_call', service: 'network.http', method: 'get', params: {}, result_variable: 'r' }
const calls = (ruleset: string) => ({ action: 'call_ruleset', ruleset_name: ruleset, result_variable: 'r' })
const RULESETS = [
  PLAIN,
  calling('external', EXTERNAL),
  calling('over-plain', calls('plain')),
  calling('over-external', calls('external')),
  calling('over-unknown', calls('elsewhere')),
]

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let caller: Client
const fakes: FakeEngine[] = []
const behaviors: [Behavior, Behavior] = [decides, decides]
let environment: string

beforeAll(async () => {
  platform = await startPlatform(database(), ['--heartbeat-interval-secs', '60', '--engine-answer-ms', '50'])
  team = await startTeam(platform)
  caller = await decidingProgram(platform, team)
  environment = (await team.owner.request('GET', `${team.P}/environments/prod`)).body.id
  fakes.push(
    await startFakeEngine((response, request) => behave(behaviors[0], response, request)),
    await startFakeEngine((response, request) => behave(behaviors[1], response, request)),
  )
  await want(database(), team.org, environment, RULESETS)
})
afterAll(async () => {
  for (const fake of fakes) fake.stop()
  await platform.stop()
})

/** Ids of the first and the second engine. Each test has new engines, without remembered health. */
let first: string
let second: string
beforeEach(async () => {
  behaviors.fill(decides)
  const token = await team.connectToken()
  const ids: string[] = []
  for (const { url } of fakes) {
    const engine = await addEngine(platform, token, engineNamed(randomUUID(), { url, tenants: true }))
    await engine.beat({ wait_ms: 0 })
    ids.push(engine.id)
  }
  ;[first = '', second = ''] = ids
  await bind(ids)
  // The platform checks in the background whether contents make external calls: until then nothing is retried.
  behaviors[0] = breaksOff
  await vi.waitUntil(async () => (await decide('plain')).headers.get('x-engine-retried') === first, 20_000)
  behaviors[0] = decides
  await vi.waitUntil(() => fakes[0]?.seen.some(({ url }) => url === LIVE) ?? false, 20_000)
  await vi.waitUntil(async () => (await decide('plain')).headers.get('x-engine-server') === first, 20_000)
  for (const fake of fakes) fake.seen.length = 0
}, 60_000)

const bind = (ids: readonly string[]) =>
  team.owner.request('PUT', `${team.P}/server`, { environment: 'prod', server_ids: ids })
const decide = (ruleset: string, path = '', body: object = { input: {} }) =>
  caller.request('POST', `${A}/engine/${team.project}/execute/${ruleset}${path}`, body)
const decisionsAt = (index: 0 | 1) => fakes[index]?.seen.filter(({ url }) => url !== LIVE).length

test('all decisions sent to a hung engine are made by the backup; it is skipped until it passes a probe', async () => {
  behaviors[0] = hangs
  const answers = await Promise.all(Array.from({ length: 16 }, () => decide('plain')))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const { headers } = answers[0] as (typeof answers)[0]
  expect([headers.get('x-engine-server'), headers.get('x-engine-retried')]).toEqual([second, first])
  await expect.poll(async () => (await decide('plain')).headers.get('x-engine-retried'), { timeout: 10_000 }).toBe(null)
  const before = decisionsAt(0)
  expect((await decide('plain')).headers.get('x-engine-server')).toBe(second)
  expect(decisionsAt(0)).toBe(before)
  behaviors[0] = decides
  await expect.poll(async () => (await decide('plain')).headers.get('x-engine-server'), { timeout: 20_000 }).toBe(first)
})

test('an engine that is slow and alive is not skipped', async () => {
  behaviors[0] = isSlow
  for (const probes of [1, 2]) {
    expect((await decide('plain')).headers.get('x-engine-retried')).toBe(first)
    await expect.poll(() => fakes[0]?.seen.filter(({ url }) => url === LIVE).length).toBeGreaterThanOrEqual(probes)
  }
  behaviors[0] = decides
  expect((await decide('plain')).headers.get('x-engine-server')).toBe(first)
})

test.each<[string, Behavior]>([
  ['breaks off', breaksOff],
  ['is shutting down', isShuttingDown],
])('the backup decides where the first engine %s', async (_, behavior) => {
  behaviors[0] = behavior
  const { status, headers } = await decide('plain')
  expect([status, headers.get('x-engine-server'), headers.get('x-engine-retried')]).toEqual([200, second, first])
})

test.each([
  ['plain', true],
  ['over-plain', true],
  ['external', false],
  ['over-external', false],
  ['over-unknown', false],
])('where the first engine breaks off, `%s` is retried: %s', async (ruleset, isAskedAgain) => {
  behaviors[0] = breaksOff
  const { status, body, headers } = await decide(ruleset)
  expect([status, headers.get('x-engine-server')]).toEqual(isAskedAgain ? [200, second] : [502, null])
  expect([decisionsAt(0), decisionsAt(1)]).toEqual([1, isAskedAgain ? 1 : 0])
  if (!isAskedAgain) expect(body.error).toContain('is not sent twice')
})

test.each([
  ['a ruleset with external calls', 'external', '', { input: {} }],
  ['a batch', 'plain', '/batch', { inputs: [{}] }],
])('%s goes to the backup when nothing was done, and never twice otherwise', async (_, ruleset, path, body) => {
  behaviors[0] = isShuttingDown
  expect((await decide(ruleset, path, body)).headers.get('x-engine-retried')).toBe(first)
  for (const fake of fakes) fake.seen.length = 0
  behaviors[0] = breaksOff
  expect((await decide(ruleset, path, body)).status).toBe(502)
  expect([decisionsAt(0), decisionsAt(1)]).toEqual([1, 0])
})

test('a batch may take longer than a single decision', async () => {
  let isAsked = false
  behaviors[0] = (response) => {
    isAsked = true
    // Beyond the limit of a decision, which a second one shows.
    void decide('plain').then(() => response.end('{"code":"FINE"}'))
    behaviors[0] = isSlow
  }
  const { status, headers } = await decide('plain', '/batch', { inputs: [{}] })
  expect([isAsked, status, headers.get('x-engine-server')]).toEqual([true, 200, first])
})

/** Decides when another decision has taken longer than the limit. */
const decidesLate =
  (index: 0 | 1, meanwhile: Behavior): Behavior =>
  (response) => {
    behaviors[index] = meanwhile
    void decide('plain').then(() => decides(response, { url: '', method: 'POST' } as SeenRequest))
  }

test('the last available engine has the whole time of the request', async () => {
  behaviors[0] = isSlow
  behaviors[1] = decidesLate(1, decides)
  const { status, headers } = await decide('plain')
  expect([status, headers.get('x-engine-server'), headers.get('x-engine-retried')]).toEqual([200, second, first])
})

test('the last of two engines that are shutting down answers', async () => {
  behaviors.fill(isShuttingDown)
  const { status, body, headers } = await decide('plain')
  expect([status, body.code, headers.get('x-engine-server')]).toEqual([503, 'UNAVAILABLE', second])
})
