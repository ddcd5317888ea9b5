import { parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DATABASES_OF_API, useDatabase } from '../platform/databases.testing.ts'
import {
  addEngine,
  decidingProgram,
  type Document,
  engineNamed,
  startLinked,
  startTeam,
  type Team,
  want,
} from '../platform/engines.testing.ts'
import { grading } from '../platform/drafts.testing.ts'
import { type Client, startPlatform, type TestPlatform } from '../platform/platform.testing.ts'
import type { TestServer } from '../http/server.testing.ts'
import { answering } from '../workers.testing.ts'
import { receiptFolder } from './server.testing.ts'

/* Receipts through the proxy of the platform: requested with decisions, and read again. */

const LIMIT_MS = 60_000
const A = '/api/v1'
const named = (code: string, name: string) => answering(code, name) as unknown as Document

describe.each(DATABASES_OF_API)('receipts through the proxy, on %s', (kind) => {
  const database = useDatabase(kind)
  const folder = receiptFolder('all', '--receipts-evidence', 'keep', '--receipts-interval-ms', '20')
  let platform: TestPlatform
  let team: Team
  let caller: Client
  let engine: TestServer
  let id: string

  beforeAll(async () => {
    platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1', '--rate-limit', '0'])
    team = await startTeam(platform)
    caller = await decidingProgram(platform, team)
    ;({ id, engine } = await startLinked(
      platform,
      await team.connectToken(),
      ...folder.options,
      '--sample-decisions',
      '100',
    ))
    await bind('prod', id)
    await want(database(), team.org, await environmentId('prod'), [named('A', 'rule')])
    const waiting = { timeout: LIMIT_MS, interval: 100 }
    await vi.waitFor(async () => {
      if ((await decide()).status !== 200) throw new Error('the ruleset was not delivered')
    }, waiting)
    // The platform knows the log by a heartbeat.
    const chains = async () => (await team.owner.request('GET', `${A}/servers/${id}/receipts`)).body.chains
    await vi.waitFor(async () => {
      if ((await chains()).length !== 1) throw new Error('the log was not reported')
    }, waiting)
  }, 2 * LIMIT_MS)
  afterAll(async () => {
    await engine.stop()
    await platform.stop()
  })

  const E = () => `${A}/engine/${team.project}`
  const environmentId = async (name: string, P = team.P) =>
    (await team.owner.request('GET', `${P}/environments/${name}`)).body.id as string
  const bind = (environment: string, server: string, P = team.P) =>
    team.owner.request('PUT', `${P}/server`, { environment, server_ids: [server] })
  const decide = (more: object = {}) => caller.request('POST', `${E()}/execute/rule`, { input: {}, ...more })
  const read = (place: string, by: Client = team.owner, at = E(), headers: Readonly<Record<string, string>> = {}) => {
    const [instance = '', seq = ''] = place.split('#')
    return by.request('GET', `${at}/receipts/${encodeURIComponent(instance)}/${seq}`, undefined, headers)
  }
  const faultsOf = (receipt: unknown) =>
    verifyReceipt(JSON.stringify(receipt), parseReceiptKeys(readFileSync(folder.publicFile, 'utf8'))).faults

  test('a decision is answered with its receipt, and the receipt is read again without evidence', async () => {
    const { body, headers } = await decide({ receipt: true })
    expect(faultsOf(body.receipt)).toEqual([])
    const place = headers.get('x-engine-receipt') ?? ''
    const { evidence, ...bare } = body.receipt
    expect(evidence).toBeDefined()
    const again = await read(place)
    expect([again.status, again.body]).toEqual([200, bare])
    expect(again.headers.get('x-engine-server')).toBe(id)
    const direct = await engine.request(
      'GET',
      `${A}/receipts/${encodeURIComponent(place.split('#')[0] ?? '')}/${place.split('#')[1]}`,
    )
    expect(direct.body.evidence).toBeDefined()
  })

  test('lines have one each on request', async () => {
    const path = `${E()}/execute/rule/batch`
    const { body } = await caller.request('POST', path, { inputs: [{}, {}], options: { receipt: true } })
    for (const { receipt } of body.results) expect(faultsOf(receipt)).toEqual([])
    expect((await caller.request('POST', `${path}?receipt=maybe`, { inputs: [{}] })).status).toBe(400)
  })

  test('a recorded decision leads to its receipt', { timeout: LIMIT_MS }, async () => {
    await team.owner.request('PUT', `${team.P}/environments/prod/recording`, { rate: 100 })
    const draft = { ruleset: grading('rule'), expected_seq: 0 }
    expect((await team.owner.request('POST', `${team.P}/rulesets/rule`, draft)).status).toBe(201)
    const decisions = async () =>
      (await team.owner.request('GET', `${team.P}/rulesets/rule/decisions`)).body.items ?? []
    await expect
      .poll(
        async () => {
          await decide()
          return (await decisions()).length
        },
        { timeout: LIMIT_MS, interval: 200 },
      )
      .toBeGreaterThan(0)
    const [{ receipt, at, digest }] = await decisions()
    expect(receipt).toMatchObject({
      server_id: id,
      instance: expect.stringMatching(/^eu-1\//),
      seq: expect.any(Number),
    })
    const { body } = await read(`${receipt.instance}#${receipt.seq}`)
    const { entry } = verifyReceipt(JSON.stringify(body), parseReceiptKeys(readFileSync(folder.publicFile, 'utf8')))
    // The clock of the rules and the content are those of the receipt.
    expect({ now: Date.parse(at), digest }).toEqual({ now: entry?.now, digest: entry?.ruleset.digest })
  })

  test('it is not found by those who do not reach its ruleset or its engine', async () => {
    const place = (await decide({ receipt: true })).headers.get('x-engine-receipt') ?? ''
    const project = (await team.owner.request('POST', `${team.O}/projects`, { name: randomUUID() })).body.id
    const other = `${A}/engine/${project}`
    // Its environment has no engine.
    expect((await read(place, team.owner, other)).status).toBe(404)
    // The same engine, with a ruleset of another name.
    const P = `${team.O}/projects/${project}`
    expect((await bind('prod', id, P)).status).toBe(200)
    await want(database(), team.org, await environmentId('prod', P), [named('B', 'second')])
    onTestFinished(async () => {
      await team.owner.request('PUT', `${P}/server`, { environment: 'prod', server_ids: [] })
    })
    expect((await read(place, team.owner, other)).status).toBe(404)
    expect((await read(place, team.owner, E(), { 'x-environment': 'dev' })).status).toBe(404)
    expect((await read(place)).status).toBe(200)
    // The right to decide is not the right to read.
    expect((await read(place, caller)).status).toBe(403)
  })

  test.each<[string, string, number, string]>([
    ['a number beyond the log', 'INSTANCE#999999', 404, 'NOT_FOUND'],
    ['a log that no engine has', `eu-1/${randomUUID()}#0`, 404, 'NOT_FOUND'],
    ['a path instead of an instance', '../../metrics#0', 400, ''],
    ['an instance without a UUID', 'eu-1#0', 400, ''],
    ['a number that is none', 'INSTANCE#x', 400, ''],
    ['a number too large', 'INSTANCE#99999999999999999', 400, ''],
    ['a number with a sign', 'INSTANCE#-1', 400, ''],
  ])('%s is refused', async (_name, place, status, code) => {
    const [instance = ''] = ((await decide({ receipt: true })).headers.get('x-engine-receipt') ?? '').split('#')
    const answer = await read(place.replace('INSTANCE', instance))
    expect(answer.status, answer.text).toBe(status)
    if (code !== '') expect(answer.body.code).toBe(code)
  })

  /** An engine that answers every request alike, and has reported a log as the engine has it, under the id `eu-2`. */
  async function played(decided: { readonly checkpoint: string; readonly signature: string }) {
    const state = { status: 200, type: 'application/json', text: '' }
    const server = createServer((request, response) => {
      request.resume()
      if (request.url === '/api/v1/identity-proof') return void response.writeHead(404).end()
      response.writeHead(state.status, { 'content-type': state.type }).end(state.text)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const one = await addEngine(platform, await team.connectToken(), engineNamed(randomUUID(), { url }))
    const checkpoint = decided.checkpoint.replace('eu-1', 'eu-2')
    const { instance } = JSON.parse(checkpoint)
    const latest = { checkpoint, signature: decided.signature }
    const chain = { instance, opening: 'a', opened: null, latest, continued: true }
    const report = () => one.beat({ receipts: { chains: [chain], kept: [] } })
    await report()
    return { id: one.id, instance, state, report }
  }

  test('of two engines that have reported a log the latest is asked', { timeout: LIMIT_MS }, async () => {
    const { body: decided } = await decide({ receipt: true })
    const text = JSON.stringify({ ...decided.receipt, entry: decided.receipt.entry.replace('eu-1', 'eu-2') })
    const { seq } = JSON.parse(decided.receipt.entry)
    const engines = [await played(decided.receipt), await played(decided.receipt)] as const
    const [first, second] = engines
    for (const { state } of engines) state.text = text
    const server_ids = [first.id, second.id]
    await team.owner.request('PUT', `${team.P}/server`, { environment: 'staging', server_ids })
    await want(database(), team.org, await environmentId('staging'), [named('A', 'rule')])
    const asked = async () => {
      const answer = await read(`${first.instance}#${seq}`, team.owner, E(), { 'x-environment': 'staging' })
      return answer.status === 200 ? answer.headers.get('x-engine-server') : answer.text
    }
    await expect.poll(asked, { timeout: LIMIT_MS }).toBe(second.id)
    await first.report()
    await expect.poll(asked, { timeout: LIMIT_MS }).toBe(first.id)
  })

  test('what an engine sends instead of the receipt does not pass', { timeout: LIMIT_MS }, async () => {
    const { body: decided } = await decide({ receipt: true })
    const { id: engineId, instance, state } = await played(decided.receipt)
    await bind('staging', engineId)
    await want(database(), team.org, await environmentId('staging'), [named('A', 'rule')])
    const right = JSON.stringify({ ...decided.receipt, entry: decided.receipt.entry.replace('eu-1', 'eu-2') })
    const { seq } = JSON.parse(decided.receipt.entry)
    const answered = async (text: string, more: Partial<typeof state> = {}) => {
      Object.assign(state, { status: 200, type: 'application/json', text, ...more })
      return (await read(`${instance}#${seq}`, team.owner, E(), { 'x-environment': 'staging' })).status
    }
    // The platform has no key of the engine: it checks the form and the place alone.
    await expect.poll(() => answered(right), { timeout: LIMIT_MS }).toBe(200)
    expect(await answered('')).toBe(502)
    expect(await answered('[]')).toBe(502)
    expect(await answered('{"format":"engine-receipt/1"}')).toBe(502)
    expect(await answered(right.replace('{', '{"format":"engine-receipt/1",'))).toBe(502)
    expect(await answered(right.replace('engine-receipt/1', 'engine-receipt/2'))).toBe(502)
    expect(await answered(JSON.stringify(decided.receipt))).toBe(502)
    expect(await answered(right, { type: 'text/html' })).toBe(502)
    expect(await answered(right, { status: 500 })).toBe(502)
    expect(await answered(`{"x":"${'x'.repeat(2 * 1024 * 1024)}"}`)).toBe(502)
    expect(await answered('{}', { status: 409 })).toBe(409)
    expect(await answered('{}', { status: 404 })).toBe(404)
  })
})
