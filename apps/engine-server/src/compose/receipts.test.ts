import { jsonValue, type ObjectValue } from '@engine/expression'
import { type Log, ShutdownList, shutDown } from '@engine/process'
import { keyId, parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { generateKeys, parsePrivateKey } from '@engine/signing'
import { createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfiguration } from '../config/config.ts'
import { decidedAs } from '../receipts/keeper.testing.ts'
import { openReceipts, openReceiptsHere } from './receipts.ts'

/* How a process opens the directory of receipts: its lock, its keys, its options and its end. */

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const NEWEST = 'ffffffff-ffff-7fff-8fff-ffffffffffff'
const key = generateKeys()
const other = generateKeys()
const idOf = (privateKey: string) => keyId(createPublicKey(parsePrivateKey(privateKey)))

afterEach(() => void vi.useRealTimers())

/** A directory that is not there yet, and the parts of a process with these options. */
function processWith(...options: readonly string[]) {
  const directory = join(mkdtempSync(join(tmpdir(), 'engine-compose-receipts-')), 'receipts')
  return processOf(directory, ...options)
}

function processOf(directory: string, ...options: readonly string[]) {
  const needed = ['--receipts', 'ask', '--receipts-key', 'key', '--receipts-dir', directory, '--instance-id', 'eu-1']
  const start = readConfiguration([...needed, ...options], {})
  if (start.kind === 'end') throw new Error(start.output)
  const logged: string[] = []
  const note = (level: string) => (fields: object, message: string) =>
    void logged.push(`${level}: ${message} ${JSON.stringify(fields)}`)
  const log: Log = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
    fatal: note('fatal'),
    flush: () => Promise.resolve(),
  }
  const shutdown = new ShutdownList()
  const counted = { lost: 0, hookFailed: 0 }
  const metrics = {
    receiptsLost: (count: number) => void (counted.lost += count),
    receiptsHookFailed: () => void counted.hookFailed++,
  }
  const { configuration } = start
  const stop = () => shutDown(shutdown.steps, 5000, log)
  onTestFinished(stop)
  return {
    directory,
    logged,
    counted,
    shutdown,
    open: (hasWorkers = false, instanceId = 'eu-1') =>
      openReceiptsHere({ configuration, instanceId, log, shutdown }, key.privateKey, metrics, hasWorkers),
    openWithout: () =>
      openReceiptsHere({ configuration, instanceId: 'eu-1', log, shutdown }, undefined, metrics, false),
    openWorker: (id: string, signing: string | undefined) =>
      openReceipts({ configuration, log, metrics, shutdown }, id, signing),
    stop,
  }
}

async function opened(process: ReturnType<typeof processOf>, hasWorkers = false) {
  const here = await process.open(hasWorkers)
  if (here === undefined) throw new Error('no receipts are kept')
  return here
}

const foldersIn = (directory: string) => readdirSync(directory).filter((name) => name.startsWith('eu-1'))
const keysOf = async (here: Awaited<ReturnType<typeof opened>>) =>
  (await here.directory.keys()) as readonly (ObjectValue & { key: string; from: number; until: number | null })[]

describe('the directory', () => {
  test('is not opened where no key is given', async () => {
    const process = processWith()
    expect(await process.openWithout()).toBeUndefined()
    expect(await process.openWorker('eu-1.w1', undefined)).toBeUndefined()
    expect(existsSync(process.directory)).toBe(false)
    expect(process.shutdown.steps).toEqual([])
  })

  test('is made, locked until the end, and has the key that signs', async () => {
    const process = processWith()
    const begun = Date.now()
    const here = await opened(process)
    const [noted, ...more] = await keysOf(here)
    expect(more).toEqual([])
    expect(noted).toMatchObject({ key: idOf(key.privateKey), public_key: key.publicKey, until: null })
    expect(noted?.from).toBeGreaterThanOrEqual(begun)
    expect(noted?.from).toBeLessThanOrEqual(Date.now())
    const second = processOf(process.directory)
    await expect(second.open()).rejects.toThrow(/^--receipts-dir: .*another server uses it.*One server to a directory/)
    await process.stop()
    expect(await second.open()).toBeDefined()
  })

  test('with a list of keys that is none ends the start', async () => {
    const process = processWith()
    mkdirSync(process.directory)
    writeFileSync(join(process.directory, 'keys.json'), '{}')
    await expect(process.open()).rejects.toThrow(/^--receipts-dir: `.*keys\.json` is not a list of keys: /)
  })

  test('that cannot be made ends the start', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'engine-compose-receipts-')), 'file')
    writeFileSync(file, '')
    await expect(processOf(join(file, 'receipts')).open()).rejects.toThrow(/^--receipts-dir: cannot use /)
  })

  test('with a chain that cannot be read ends the start', async () => {
    const process = processWith()
    const folder = join(process.directory, `eu-1.${NEWEST}`)
    mkdirSync(folder, { recursive: true })
    symlinkSync('nowhere', join(folder, 'receipts-0.jsonl'))
    await expect(process.open()).rejects.toThrow(/^--receipts-dir: cannot use /)
  })

  test('has no chain of its own where workers decide', async () => {
    const process = processWith()
    const here = await opened(process, true)
    expect(here.own).toBeUndefined()
    expect(foldersIn(process.directory)).toEqual([])
    const worker = await process.openWorker('eu-1.w1', key.privateKey)
    worker?.keeper.add(decidedAs(1), () => '')
    await worker?.keeper.signed()
    expect((await here.directory.checkpoints()).map(({ instance }) => instance)).toEqual([worker?.keeper.instance])
    expect(foldersIn(process.directory)).toEqual([worker?.keeper.instance.replace('/', '.')])
  })
})

describe('the options', () => {
  test.each<[options: readonly string[], settings: object]>([
    [[], { keepsAll: false, keepsEvidence: false, intervalMs: 1000, isSynced: true, continuesOnFailure: false }],
    [['--receipts', 'all'], { keepsAll: true }],
    [['--receipts-evidence', 'keep'], { keepsEvidence: true }],
    [['--receipts-interval-ms', '7'], { intervalMs: 7 }],
    [['--receipts-fsync', 'never'], { isSynced: false }],
    [['--receipts-on-failure', 'continue'], { continuesOnFailure: true }],
  ])('%j are those of the chain', async (options, settings) => {
    const process = processWith(...options)
    const { own } = await opened(process)
    expect(own?.keeper.settings).toMatchObject({ directory: process.directory, id: 'eu-1', ...settings })
    expect(own?.keeper.settings.engine).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('a decision without a receipt is counted', async () => {
    const process = processWith('--receipts-on-failure', 'continue')
    ;(await opened(process)).own?.keeper.lose()
    expect(process.counted.lost).toBe(1)
  })
})

test('what is pending at the end is signed', async () => {
  const process = processWith('--receipts-interval-ms', '60000')
  const here = await opened(process)
  here.own?.keeper.add(decidedAs(1), () => '')
  expect(await here.directory.checkpoints()).toEqual([])
  await process.stop()
  expect(await here.directory.checkpoints()).toHaveLength(1)
  // Nor is there a witness that lacks it.
  expect(process.logged).toEqual([])
})

test('the end signs, sends to the witness, and releases the directory last', async () => {
  const process = processWith('--receipts-hook', 'http://127.0.0.1:1/')
  await opened(process)
  expect(process.shutdown.steps.map(({ name, share }) => [name, share])).toEqual([
    ['retention of receipts', 1],
    ['receipts', 0.5],
    ['witness of receipts', 0.5],
    ['lock of the directory of receipts', 1],
  ])
})

describe('another key', () => {
  const receiptBy = async (here: Awaited<ReturnType<typeof opened>>) => {
    const { keeper, archive } = here.own ?? {}
    const seq = keeper?.add(decidedAs(1), () => '') ?? -1
    await keeper?.signed()
    const found = await archive?.find(keeper?.instance ?? '', seq, false)
    return found?.kind === 'found' ? JSON.stringify(found.receipt) : ''
  }

  test('signs from the next checkpoint on, in other processes before it is noted', async () => {
    const here = await opened(processWith())
    const first = await receiptBy(here)
    const seen: unknown[] = []
    await here.rotate(other.privateKey, async () => {
      seen.push((await keysOf(here)).map(({ key: id }) => id))
    })
    expect(seen).toEqual([[idOf(key.privateKey)]])
    const second = await receiptBy(here)
    const keys = await keysOf(here)
    expect(keys.map(({ key: id, until }) => [id, until === null])).toEqual([
      [idOf(key.privateKey), false],
      [idOf(other.privateKey), true],
    ])
    // The time spans of both include their checkpoints, and leave no gap.
    expect(keys[1]?.from).toBeLessThanOrEqual(keys[0]?.until ?? 0)
    const listed = parseReceiptKeys(JSON.stringify({ keys }))
    for (const [receipt, signing] of [
      [first, key],
      [second, other],
    ] as const) {
      expect(verifyReceipt(receipt, listed).faults).toEqual([])
      expect(verifyReceipt(receipt, parseReceiptKeys(signing.publicKey)).faults).toEqual([])
    }
  })

  test('is told to the workers of an owner, which has no chain', async () => {
    const here = await opened(processWith(), true)
    let told = 0
    await here.rotate(other.privateKey, async () => void told++)
    expect(told).toBe(1)
    expect(await keysOf(here)).toHaveLength(2)
  })

  test('is none where the file has been left out: the others are told', async () => {
    const here = await opened(processWith())
    let told = 0
    await here.rotate(undefined, async () => void told++)
    expect(told).toBe(1)
    expect((await keysOf(here)).map(({ key: id }) => id)).toEqual([idOf(key.privateKey)])
    expect(verifyReceipt(await receiptBy(here), parseReceiptKeys(key.publicKey)).faults).toEqual([])
  })
})

describe('retention', () => {
  /** The names in a chain whose files were written so many days ago. */
  async function written(directory: string, days: number) {
    const process = processOf(directory, '--receipts-evidence', 'keep')
    const { own } = await opened(process)
    own?.keeper.add(decidedAs(1), () => '{"seq":0,"evidence":{}}\n')
    await process.stop()
    const [name = ''] = foldersIn(directory)
    const folder = join(directory, name)
    const then = new Date(Date.now() - days * DAY_MS - HOUR_MS)
    for (const one of readdirSync(folder)) utimesSync(join(folder, one), then, then)
    return () => readdirSync(folder).filter((one) => one.endsWith('.jsonl'))
  }

  test.each<[days: number, options: readonly string[], left: readonly string[]]>([
    [89, [], ['evidence-0.jsonl', 'receipts-0.jsonl']],
    [90, [], ['receipts-0.jsonl']],
    [8, ['--receipts-retain-days', '7'], ['receipts-0.jsonl']],
    [7, ['--receipts-evidence-retain-days', '7'], ['receipts-0.jsonl']],
    [6, ['--receipts-evidence-retain-days', '7'], ['evidence-0.jsonl', 'receipts-0.jsonl']],
  ])('at the start after %d days, with %j: %j stays of a chain that is continued', async (days, options, left) => {
    const { directory } = processWith()
    const names = await written(directory, days)
    await opened(processOf(directory, ...options), true)
    expect(names()).toEqual(left)
  })

  test('says how many segments were removed', async () => {
    const { directory } = processWith()
    const names = await written(directory, 91)
    const [name = ''] = foldersIn(directory)
    // A newer chain of the same instance: the old one is not continued.
    mkdirSync(join(directory, `eu-1.${NEWEST}`))
    writeFileSync(join(directory, `eu-1.${NEWEST}`, 'receipts-0.jsonl'), '')
    const process = processOf(directory)
    await opened(process, true)
    expect(foldersIn(directory)).toEqual([`eu-1.${NEWEST}`])
    expect(names).toThrow(name)
    expect(process.logged).toEqual(['info: old receipts were removed (--receipts-retain-days) {"removed":1}'])
  })

  test('follows each hour until the end, also after a failure', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const process = processWith()
    await opened(process, true)
    expect(process.logged).toEqual([])
    // A segment that cannot be looked at.
    const folder = join(process.directory, `eu-1.${NEWEST}`)
    mkdirSync(folder)
    symlinkSync('nowhere', join(folder, 'receipts-0.jsonl'))
    const failures = () => process.logged.filter((line) => line.startsWith('error: old receipts cannot be removed'))
    vi.advanceTimersByTime(HOUR_MS - 1)
    expect([vi.getTimerCount(), failures()]).toEqual([1, []])
    vi.advanceTimersByTime(1)
    await expect.poll(failures, { timeout: 20_000 }).toHaveLength(1)
    vi.advanceTimersByTime(HOUR_MS)
    await expect.poll(failures, { timeout: 20_000 }).toHaveLength(2)
    await process.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a witness outside gets the last checkpoint before the end', async () => {
  const received: { n: number; instance: string }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push(jsonValue(body) as never)
      response.writeHead(received.length === 1 ? 500 : 204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/witness`
  const process = processWith('--receipts-hook', url)
  const { own } = await opened(process)
  own?.keeper.add(decidedAs(1), () => '')
  await own?.keeper.signed()
  await expect.poll(() => process.counted.hookFailed).toBe(1)
  own?.keeper.add(decidedAs(2), () => '')
  await process.stop()
  expect(received.at(-1)).toMatchObject({ n: 1, instance: own?.keeper.instance })
})
