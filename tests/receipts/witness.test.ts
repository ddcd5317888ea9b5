import { keyId, parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { createPublicKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { DATABASES_OF_API, useDatabase } from '../platform/databases.testing.ts'
import { addEngine, engineNamed, startTeam, type Team } from '../platform/engines.testing.ts'
import { startPlatform, type TestPlatform } from '../platform/platform.testing.ts'
import { testKey } from './chains.testing.ts'
import { type ReceiptFolder, receiptFolder } from './server.testing.ts'

/* Witnesses of the receipts of engines: the platform, by heartbeats, and another server, by `--receipts-hook`. */

const LIMIT_MS = 60_000
const RULE = {
  config: { name: 'rule', entry_step: 'end' },
  steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } } },
}

const running: TestServer[] = []
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop()
})

async function startEngine(
  { options }: Pick<ReceiptFolder, 'options'>,
  ...more: readonly string[]
): Promise<TestServer> {
  const server = await startServer(...options, ...more, '--allow-direct-writes')
  running.push(server)
  expect((await server.post('/api/v1/rulesets', RULE)).status).toBeLessThan(300)
  return server
}

async function stop(server: TestServer): Promise<void> {
  running.splice(running.indexOf(server), 1)
  await server.stop()
}

/** One decision, which has a checkpoint of its own. */
async function decide(server: TestServer): Promise<{ readonly instance: string; readonly n: number }> {
  const { body } = await server.post('/api/v1/execute/rule', { input: {}, receipt: true })
  return JSON.parse(body.receipt.checkpoint)
}

const foldersIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.startsWith('eu-1.'))
    .map((name) => join(directory, name))

/** Removes the last trees of a log, each with its checkpoint: the rest holds. */
function cutCheckpoints(directory: string, count: number): void {
  const [folder = ''] = foldersIn(directory)
  const [segment = ''] = readdirSync(folder).filter((name) => name.startsWith('receipts-'))
  const path = join(folder, segment)
  let lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  for (let cut = 0; cut < count; cut++) {
    lines.pop()
    while (lines.length > 0 && lines.at(-1)?.startsWith('{"checkpoint":') !== true) lines.pop()
  }
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
}

describe.each(DATABASES_OF_API)('the platform as a witness, on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1', '--rate-limit', '0'])
    team = await startTeam(platform)
  })
  afterAll(() => platform.stop())

  /** An engine with a name at the platform, which each start keeps. */
  async function linked(mode: 'ask' | 'all' = 'ask') {
    const folder = receiptFolder(mode)
    const name = randomUUID()
    const token = await team.connectToken()
    const link = ['--platform-url', platform.url, '--platform-connect-token', token, '--platform-server-name', name]
    const server = async () => {
      const { items } = (await team.owner.request('GET', `/api/v1/servers?org_id=${team.org}&limit=100`)).body
      return items.find((one: { name: string }) => one.name === name)
    }
    const path = async () => `/api/v1/servers/${(await server())?.id}/receipts`
    const chains = async () => (await team.owner.request('GET', await path())).body.chains ?? []
    return {
      folder,
      start: () => startEngine(folder, ...link),
      problems: async () => (await server())?.problems ?? [],
      path,
      chains,
      /** The platform has this checkpoint of the chain that is continued. */
      witnessed: async (n: number) => {
        const continued = async () => (await chains()).find((one: { continued: boolean }) => one.continued)?.n
        await expect.poll(continued, { timeout: LIMIT_MS, interval: 100 }).toBe(n)
      },
      audited: async () => {
        const { items } = (await team.owner.request('GET', `${team.O}/audit?action=server.receipts_contradicted`)).body
        return items.filter((one: { object: { name: string } }) => one.object.name === name)
      },
    }
  }

  const gauge = async () =>
    (await (await fetch(`${platform.url}/metrics`)).text()).match(
      /^engine_platform_servers_receipts_contradicted (\d+)/m,
    )?.[1]

  test('registers the public key of an engine, which verifies its receipts', { timeout: LIMIT_MS }, async () => {
    const engine = await linked()
    const server = await engine.start()
    const { body } = await server.post('/api/v1/execute/rule', { input: {}, receipt: true })
    await engine.witnessed(0)
    const { text: answered, body: shown } = await team.owner.request('GET', await engine.path())
    expect(shown.keys).toEqual([
      { key: expect.any(String), public_key: expect.any(String), from: expect.any(Number), until: null },
    ])
    // The answer is a file of keys.
    expect(verifyReceipt(JSON.stringify(body.receipt), parseReceiptKeys(answered)).faults).toEqual([])
    const { items } = (await team.owner.request('GET', `${team.O}/audit?action=server.receipt_key_registered`)).body
    expect(items.map((one: { after: unknown }) => one.after)).toContainEqual({ key: shown.keys[0].key })
  })

  test('keeps registered keys, and takes over nothing that is no key', { timeout: LIMIT_MS }, async () => {
    const played = await addEngine(platform, await team.connectToken(), engineNamed(randomUUID()))
    const { publicText, privateKey } = testKey('registered')
    const key = keyId(createPublicKey(privateKey))
    const good = { key, public_key: publicText, from: 5, until: null }
    const keysAfter = async (...keys: readonly unknown[]) => {
      await played.beat({ receipts: { chains: [], kept: [], keys } })
      return (await team.owner.request('GET', `/api/v1/servers/${played.id}/receipts`)).body.keys
    }
    const zero = Buffer.alloc(32).toString('base64')
    const strange = [null, 'key', [], {}, { ...good, key: '0'.repeat(16) }, { ...good, public_key: zero }]
    expect(await keysAfter(...strange, { ...good, from: -1 }, { ...good, from: 9, until: 1 })).toEqual([])
    expect(await keysAfter(good)).toEqual([good])
    expect(await keysAfter({ ...good, from: 1 })).toEqual([good])
    expect(await keysAfter({ ...good, until: 9 })).toEqual([{ ...good, until: 9 }])
    expect(await keysAfter(good)).toEqual([{ ...good, until: 9 }])
    expect(await keysAfter()).toEqual([{ ...good, until: 9 }])
    expect(await keysAfter(...Array.from({ length: 101 }, () => good))).toEqual([{ ...good, until: 9 }])
  })

  test('keeps the latest checkpoint of an engine, across restarts', { timeout: LIMIT_MS }, async () => {
    const engine = await linked()
    const first = await engine.start()
    const { instance } = await decide(first)
    await decide(first)
    await engine.witnessed(1)
    await stop(first)
    const second = await engine.start()
    await decide(second)
    await engine.witnessed(2)
    expect(await engine.problems()).toEqual([])
    expect(await engine.chains()).toMatchObject([{ instance, n: 2, entries: 3, continued: true, state: 'consistent' }])
  })

  test('finds that the end of a log was cut at a checkpoint', { timeout: LIMIT_MS }, async () => {
    const engine = await linked()
    const first = await engine.start()
    await decide(first)
    const { instance } = await decide(first)
    const { n } = await decide(first)
    await engine.witnessed(n)
    await stop(first)
    cutCheckpoints(engine.folder.directory, 2)
    const before = Number(await gauge())
    const second = await engine.start()
    // The chain grows beyond the kept number immediately: what counts is its state when it was opened.
    for (let count = 0; count < 5; count++) await decide(second)
    await expect.poll(engine.problems, { timeout: LIMIT_MS, interval: 100 }).toEqual([
      {
        code: 'receipts_contradicted',
        instance,
        fault: 'rolled_back',
        message: `the log of receipts \`${instance}\` had reached checkpoint 2 and is shorter now: its end was removed, or an old state was restored`,
      },
    ])
    expect(await engine.audited()).toMatchObject([{ after: { instance, fault: 'rolled_back', kept: 2, found: 0 } }])
    expect(Number(await gauge())).toBe(before + 1)
    const [chain] = await engine.chains()
    expect(chain).toMatchObject({ instance, n: 2, state: 'rolled_back', contradicted_at: expect.any(String) })
    expect(JSON.parse(chain.contradiction)).toMatchObject({ n: 0 })
    // A person has looked into it: the next report is believed.
    const [, uuid = ''] = instance.split('/')
    expect((await team.owner.request('DELETE', `${await engine.path()}/${uuid}`)).status).toBe(204)
    expect((await team.owner.request('DELETE', `${await engine.path()}/${randomUUID()}`)).status).toBe(404)
    expect(await engine.problems()).toEqual([])
    expect(Number(await gauge())).toBe(before)
    await decide(second)
    await engine.witnessed(6)
  })

  test('finds that a log is gone', { timeout: LIMIT_MS }, async () => {
    const engine = await linked()
    const first = await engine.start()
    const { instance, n } = await decide(first)
    await engine.witnessed(n)
    await stop(first)
    for (const folder of foldersIn(engine.folder.directory)) rmSync(folder, { recursive: true })
    await decide(await engine.start())
    await expect
      .poll(engine.problems, { timeout: LIMIT_MS, interval: 100 })
      .toMatchObject([{ code: 'receipts_contradicted', instance, fault: 'missing' }])
  })

  test('takes a new chain after a crash for no fault', { timeout: LIMIT_MS }, async () => {
    const engine = await linked('all')
    const first = await engine.start()
    const { instance, n } = await decide(first)
    await engine.witnessed(n)
    await stop(first)
    for (const folder of foldersIn(engine.folder.directory)) rmSync(join(folder, 'closed'))
    const second = await decide(await engine.start())
    expect(second.instance).not.toBe(instance)
    // The new chain is kept with its first checkpoint: a report before that ends the old one alone.
    const states = async () =>
      (await engine.chains()).map((one: { continued: boolean; state: string }) => [one.continued, one.state])
    await expect.poll(states, { timeout: LIMIT_MS, interval: 100 }).toEqual([
      [true, 'consistent'],
      [false, 'consistent'],
    ])
    expect(await engine.problems()).toEqual([])
  })
})

describe('a witness at --receipts-hook', () => {
  /** The checkpoints that it took, and the status of its answers. */
  async function startWitness() {
    const sent: { instance: string; n: number; checkpoint: string; signature: string }[] = []
    const state = { status: 204 }
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        if (state.status === 204) sent.push(JSON.parse(body))
        response.writeHead(state.status).end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return { sent, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/witness` }
  }

  test(
    'gets the latest checkpoint, again until it answers, and the last one at the end',
    { timeout: LIMIT_MS },
    async () => {
      const { sent, state, url } = await startWitness()
      state.status = 503
      const server = await startEngine(receiptFolder('ask', '--receipts-hook', url))
      const { instance } = await decide(server)
      const failures = async () =>
        Number(/^engine_receipts_hook_failures_total (\d+)/m.exec((await server.request('GET', '/metrics')).text)?.[1])
      await expect.poll(failures, { timeout: LIMIT_MS }).toBeGreaterThan(0)
      await decide(server)
      state.status = 204
      await expect.poll(() => sent.at(-1), { timeout: LIMIT_MS }).toMatchObject({ instance, n: 1 })
      const { body } = await server.request('GET', '/api/v1/receipts/checkpoint')
      expect(sent.at(-1)).toEqual(body.checkpoints[0])
      await decide(server)
      await stop(server)
      expect(sent.at(-1)).toMatchObject({ instance, n: 2 })
    },
  )
})
