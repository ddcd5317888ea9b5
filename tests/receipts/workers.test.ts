import { LogVerification, parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { chainsOf, segmentsOf } from '../../apps/engine-server/src/receipts/segments.ts'
import { killAll, start } from '../engine-server.testing.ts'
import { CONNECT_TOKEN, type SimulatedPlatform, startPlatform } from '../platform-link/simulated-platform.testing.ts'
import { answering, type Connection, connections, pidsIn } from '../workers.testing.ts'
import { type ReceiptFolder, receiptFolder } from './server.testing.ts'

/* Receipts with `--workers`: each worker has a chain of its own, and the owner answers and reports for all of them. */

const WORKERS = 3
/** Several for each worker, so that each has one whenever it became ready. */
const CONNECTIONS = 3 * WORKERS
const LIMIT_MS = 120_000

let platform: SimulatedPlatform
beforeEach(async () => {
  platform = await startPlatform()
})
afterEach(() => platform.close())
afterAll(killAll)

async function startWorkers(folder: ReceiptFolder) {
  const link = ['--platform-url', platform.url, '--platform-connect-token', CONNECT_TOKEN, '--allow-direct-writes']
  const server = await start(['--workers', `${WORKERS}`, ...folder.options, ...link])
  const all: Connection[] = []
  for (let count = 0; count < CONNECTIONS; count++) {
    all.push(...(await connections(server.url, 1)))
    // A worker that owes an answer to its owner gets no connection meanwhile.
    await delay(100)
  }
  const { status, text } = (await all[0]?.request('POST', '/api/v1/rulesets', answering('A'))) ?? {
    status: 0,
    text: '',
  }
  expect(status, text).toBe(201)
  for (const one of all)
    await expect.poll(async () => (await one.request('GET', '/api/v1/rulesets')).body.length).toBe(1)
  return { server, all }
}

/** The place of the receipt of a decision that was answered with it, which has to hold. */
async function receipted(one: Connection, folder: ReceiptFolder): Promise<string> {
  const { body, text } = await one.request('POST', '/api/v1/execute/rule', { input: {}, receipt: true })
  const keys = parseReceiptKeys(readFileSync(folder.publicFile, 'utf8'))
  const { faults, entry } = verifyReceipt(JSON.stringify(body.receipt), keys)
  expect(faults, text).toEqual([])
  return `${entry?.instance}#${entry?.seq}`
}

/** The number of entries of each chain in a directory, all of which have to hold. */
async function verifiedChains({ directory, publicFile }: ReceiptFolder): Promise<ReadonlyMap<string, number>> {
  const keys = parseReceiptKeys(readFileSync(publicFile, 'utf8'))
  const found = new Map<string, number>()
  for (const { instance, path } of await chainsOf(directory)) {
    const verification = new LogVerification(keys)
    for (const segment of await segmentsOf(path))
      for (const line of readFileSync(segment.path, 'utf8').trimEnd().split('\n'))
        expect(verification.line(line), line).toEqual([])
    expect(verification.end()).toEqual([])
    found.set(instance, verification.summary.entries)
  }
  return found
}

const idsOf = (instances: Iterable<string>) =>
  Array.from(instances, (instance) => instance.split('/')[0] ?? '').toSorted((left, right) => left.localeCompare(right))

test(
  'each worker has a chain, no receipt is lost or given twice, and every worker reads those of all',
  { timeout: LIMIT_MS },
  async () => {
    const folder = receiptFolder('all', '--receipts-interval-ms', '20')
    const { server, all } = await startWorkers(folder)
    const asked = (
      await Promise.all(all.map((one) => Array.fromAsync({ length: 10 }, () => receipted(one, folder))))
    ).flat()
    // Decisions without a requested receipt are in the log as well.
    for (const one of all)
      for (let count = 0; count < 6; count++) await one.request('POST', '/api/v1/execute/rule', { input: {} })
    expect(new Set(asked).size).toBe(CONNECTIONS * 10)
    expect(idsOf(new Set(asked.map((place) => place.split('#')[0] ?? '')))).toEqual(['eu-1.w1', 'eu-1.w2', 'eu-1.w3'])
    for (const one of all)
      for (const place of asked.filter((_, index) => index % 10 === 0)) {
        const [instance = '', seq = ''] = place.split('#')
        const { status } = await one.request('GET', `/api/v1/receipts/${encodeURIComponent(instance)}/${seq}`)
        expect(status).toBe(200)
      }
    const { body } = (await all[1]?.request('GET', '/api/v1/receipts/checkpoint')) ?? {}
    expect(body.checkpoints).toHaveLength(WORKERS)
    // The owner reports the chains of all workers.
    await expect
      .poll(() => idsOf((platform.heartbeats.at(-1)?.receipts?.chains ?? []).map(({ instance }) => instance)), {
        timeout: 20_000,
      })
      .toEqual(['eu-1.w1', 'eu-1.w2', 'eu-1.w3'])
    expect(await server.stop()).toBe(0)
    const chains = await verifiedChains(folder)
    expect([...chains.values()].reduce((sum, entries) => sum + entries, 0)).toBe(CONNECTIONS * 16)
  },
)

test(
  'a worker that is killed continues its chain, or begins one, and the others are not disturbed',
  { timeout: LIMIT_MS },
  async () => {
    const folder = receiptFolder('ask')
    const { server, all } = await startWorkers(folder)
    const before = (
      await Promise.all(all.map((one) => Array.fromAsync({ length: 5 }, () => receipted(one, folder))))
    ).flat()
    for (const pid of pidsIn(server.stdout()).values()) process.kill(pid, 'SIGKILL')
    await expect
      .poll(() => server.stdout().split('a worker is ready').length - 1, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(2 * WORKERS)
    const again = await connections(server.url, CONNECTIONS)
    for (const one of again)
      await expect.poll(async () => (await one.request('GET', '/api/v1/rulesets')).body.length).toBe(1)
    const after = (
      await Promise.all(again.map((one) => Array.fromAsync({ length: 5 }, () => receipted(one, folder))))
    ).flat()
    const places = [...before, ...after]
    expect(new Set(places).size).toBe(places.length)
    // Each opening is another one, and begins where the log ends.
    await expect
      .poll(() => platform.heartbeats.at(-1)?.receipts?.chains.every(({ opened }) => opened !== null), {
        timeout: 20_000,
      })
      .toBe(true)
    expect(await server.stop()).toBe(0)
    const chains = await verifiedChains(folder)
    expect(idsOf(chains.keys())).toEqual(['eu-1.w1', 'eu-1.w2', 'eu-1.w3'])
    expect([...chains.values()].reduce((sum, entries) => sum + entries, 0)).toBe(places.length)
  },
)
