import { randomUUID } from 'node:crypto'
import type { DraftRuleset } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { decodeDraft } from '../../packages/authoring/src/draft/decode.ts'
import { interpretDraft } from '../../packages/authoring/src/interpret.testing.ts'
import { randomDraft, randomInput } from '../../packages/authoring/src/random.testing.ts'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { asking, feeOf } from './drafts.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

/** A published draft decides at a real engine, through the proxy, as the editor's format is described. */
const DRAFTS = casesOf(50)
const INPUTS_EACH = 8
/** Only ends what hangs. */
const LIMIT_MS = 60_000

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let engine: TestServer
let caller: Client
beforeAll(async () => {
  platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1', '--rate-limit', '0'])
  team = await startTeam(platform)
  const token = await team.connectToken()
  const options = ['--platform-url', platform.url, '--platform-connect-token', token, '--multi-tenancy-enabled']
  engine = await startServer(...options, '--platform-server-name', randomUUID())
  const health = async () => (await engine.request('GET', '/health')).body.platform
  const isRegistered = async () => {
    if (!(await health()).registered) throw new Error('the engine is not registered')
  }
  await vi.waitFor(isRegistered, { timeout: LIMIT_MS })
  const bound = { environment: 'dev', server_ids: [(await health()).server_id] }
  await team.owner.request('PUT', `${team.P}/server`, bound)
  const key = { name: 'caller', scopes: ['decision.execute'] }
  caller = platform.program((await made(team.owner.request('POST', `${team.O}/api-keys`, key))).token)
})
afterAll(async () => {
  await engine.stop()
  await platform.stop()
})

const at = (name: string) => `${team.P}/rulesets/${name}`

/** Save a draft, publish it, and wait until the engine has it. */
async function publish(name: string, ruleset: object): Promise<void> {
  await made(
    team.owner.request('POST', at(name), JSON.parse(stringifyJson({ ruleset: ruleset as Value, expected_seq: 0 }))),
  )
  const { status, text } = await team.owner.request('POST', `${at(name)}/publish`, { environment: 'dev' })
  expect(status, text).toBe(202)
  await expect
    .poll(async () => (await team.owner.request('GET', `${at(name)}/deployments`)).body.items[0].status)
    .toBe('success')
}

/** The decision of the engine. */
async function decided(name: string, input: Value): Promise<string> {
  const path = `/api/v1/engine/${team.project}/execute/${name}`
  const { status, body } = await caller.request('POST', path, { input }, { 'x-environment': 'dev' })
  if (status !== 200) return 'error'
  const { code, message, output } = body
  return stringifyJson({ code, message, output })
}

/** The decision that the draft describes. */
function expected(draft: DraftRuleset, input: Value): string {
  try {
    return stringifyJson(interpretDraft(draft, input))
  } catch {
    return 'error'
  }
}

test(`${DRAFTS} random drafts`, async () => {
  printSeed(DRAFTS)
  const random = seededRandom(SEED)
  const seen = new Set<string>()
  for (let count = 0; count < DRAFTS; count++) {
    const name = `random-${count}`
    const document = randomDraft(random) as { readonly config: object }
    const whole = { ...document, config: { ...document.config, name, version: '1.0.0' } }
    const { draft } = decodeDraft(whole)
    if (draft === undefined) throw new Error(JSON.stringify(whole))
    await publish(name, whole)
    for (let round = 0; round < INPUTS_EACH; round++) {
      const input = randomInput(random)
      const decision = expected(draft, input)
      expect(await decided(name, input), JSON.stringify({ input, whole })).toBe(decision)
      seen.add(decision)
    }
  }
  expect(seen.size).toBeGreaterThan(1)
})

test('sub-rules of project and organization are inlined in their state at the publication', async () => {
  for (const [owned, factor] of [
    [team.O, '2'],
    [team.P, '3'],
  ] as const)
    await made(team.owner.request('POST', `${owned}/sub-rules`, { name: `fee-${factor}`, ...feeOf(factor) }))
  for (const factor of [2, 3]) {
    const [name, refName] = [`asks-${factor}`, `fee-${factor}`]
    const ruleset = asking(name, refName)
    await publish(name, ruleset)
    const { draft } = decodeDraft({ ...ruleset, subRules: { [refName]: feeOf(`${factor}`).graph as Value } })
    const input = { cart: 21 }
    expect(await decided(name, input)).toBe(expected(draft as DraftRuleset, input))
    expect(await decided(name, input)).toContain(`"fee":${21 * factor}`)
  }
  const change = { ...feeOf('5'), expected_seq: 1 }
  expect((await team.owner.request('PUT', `${team.P}/sub-rules/fee-3`, change)).status).toBe(200)
  expect(await decided('asks-3', { cart: 2 })).toContain('"fee":6')
  await team.owner.request('POST', `${at('asks-3')}/publish`, { environment: 'dev' })
  await expect.poll(() => decided('asks-3', { cart: 2 })).toContain('"fee":10')
})
