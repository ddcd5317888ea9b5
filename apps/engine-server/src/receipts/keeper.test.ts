import { LogVerification, parseReceiptKeys, receiptOf, verifyReceipt } from '@engine/receipts'
import fc from 'fast-check'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { evidenceLine, ReceiptArchive } from './archive.ts'
import type { OpenFile } from './chain-file.ts'
import { decidedAs, newKey, openKeeper, publicTextOf } from './keeper.testing.ts'
import type { ReceiptKeeper } from './keeper.ts'
import { keysIn, noteKey } from './key-history.ts'
import { chainsOf, segmentsOf } from './segments.ts'

const key = newKey()
const keys = parseReceiptKeys(publicTextOf(key))
const newDirectory = () => mkdtempSync(join(tmpdir(), 'engine-keeper-'))

/** Adds a decision, and waits for its receipt. */
async function kept(keeper: Awaited<ReturnType<typeof openKeeper>>, number: number): Promise<string> {
  const seq = keeper.add(decidedAs(number), () => '')
  return JSON.stringify(receiptOf(await keeper.signed(), seq))
}

/** The summary of each log in a directory, which has to hold. */
async function verifiedLogs(directory: string, known = keys) {
  const summaries = []
  for (const { path } of await chainsOf(directory)) {
    const verification = new LogVerification(known)
    for (const segment of await segmentsOf(path)) {
      const lines = readFileSync(segment.path, 'utf8').split('\n')
      expect(lines.pop()).toBe('')
      for (const line of lines) expect(verification.line(line), line).toEqual([])
    }
    expect(verification.end()).toEqual([])
    summaries.push(verification.summary)
  }
  return summaries
}

const codesOf = (receipts: readonly string[]) =>
  receipts.map((receipt) => {
    const { faults, entry } = verifyReceipt(receipt, keys)
    expect(faults).toEqual([])
    return entry?.result?.code
  })

async function lastSegment(directory: string) {
  const [chain] = await chainsOf(directory)
  return (await segmentsOf(chain?.path ?? '')).at(-1)?.path ?? ''
}

/** Files that are opened when a promise resolves. */
function slowFiles(opened: () => Promise<void>): OpenFile {
  return async (path, flags, mode) => {
    await opened()
    return open(path, flags, mode)
  }
}

/** Ends a keeper like a crash: without the mark of a clean stop. */
async function crash(directory: string, keeper: Awaited<ReturnType<typeof openKeeper>>): Promise<void> {
  await keeper.close()
  rmSync(join(directory, keeper.instance.replace('/', '.'), 'closed'))
}

describe('a chain on disk', () => {
  test('decisions that come together share a checkpoint', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key)
    const receipts = await Promise.all([1, 2, 3].map((number) => kept(keeper, number)))
    expect(codesOf(receipts)).toEqual(['C1', 'C2', 'C3'])
    await kept(keeper, 4)
    await keeper.close()
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 4, checkpoints: 2 }])
  })

  test('one that did not ask is signed after the interval', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key, { keepsAll: true, intervalMs: 1 })
    const seq = keeper.add(decidedAs(1), () => '')
    expect(keeper.isPending(seq)).toBe(true)
    await expect.poll(() => keeper.isPending(seq)).toBe(false)
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 1 }])
    await keeper.close()
  })

  test.each<[what: string, come: (keeper: ReceiptKeeper) => void, expected: object]>([
    ['one that did not ask', (keeper) => void keeper.add(decidedAs(2), () => ''), { entries: 2, lost: 0 }],
    ['one without a receipt', (keeper) => keeper.lose(), { entries: 2, lost: 1 }],
  ])('%s during a write is stated after the interval', async (_what, come, expected) => {
    const directory = newDirectory()
    const held = Promise.withResolvers<void>()
    const settings = { continuesOnFailure: true, intervalMs: 1 }
    const keeper = await openKeeper(directory, key, settings, { openFile: slowFiles(() => held.promise) })
    const first = kept(keeper, 1)
    await setTimeout(5)
    come(keeper)
    // The interval ends during the write.
    await setTimeout(20)
    held.resolve()
    await first
    await expect.poll(() => [keeper.unstated, keeper.isPending(1)], { timeout: 10_000 }).toEqual([0, false])
    expect(await verifiedLogs(directory)).toMatchObject([expected])
    await keeper.close()
  })

  test('one that did not ask waits for the interval, or for the end', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key, { keepsAll: true, intervalMs: 60_000 })
    expect(keeper.isPending(0)).toBe(false)
    const seq = keeper.add(decidedAs(1), () => '')
    await setTimeout(200)
    expect(keeper.isPending(seq)).toBe(true)
    await keeper.close()
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 1 }])
  })

  test('does nothing while no decision comes', async () => {
    const keeper = await openKeeper(newDirectory(), key)
    await kept(keeper, 1)
    const immediates = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Immediate').length
    await expect.poll(immediates, { timeout: 10_000 }).toBe(0)
    await keeper.close()
  })

  test('goes on after a stop, and in a new segment when one is full', async () => {
    const directory = newDirectory()
    for (let run = 0; run < 3; run++) {
      const keeper = await openKeeper(directory, key, {}, { maxSegmentBytes: 1500 })
      for (let number = 0; number < 4; number++) await kept(keeper, number)
      await keeper.close()
    }
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 12, checkpoints: 12, anchor: undefined }])
    expect((await segmentsOf((await chainsOf(directory))[0]?.path ?? '')).length).toBeGreaterThan(3)
  })

  test('10,000 entries are signed at the latest', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key, { keepsAll: true, intervalMs: 60_000 })
    for (let number = 0; number < 10_000; number++) keeper.add(decidedAs(number), () => '')
    await expect.poll(() => keeper.isPending(0), { timeout: 20_000 }).toBe(false)
    await keeper.close()
  }, 30_000)
})

/** A log whose lines are noted. */
function notedLog() {
  const lines: (readonly [level: string, text: string, fields: object])[] = []
  const noting = (level: string) => (fields: object, text: string) => void lines.push([level, text, fields])
  return { lines, log: { info: noting('info'), warn: noting('warn'), error: noting('error') } }
}

describe('a keeper that is closed', () => {
  test('admits no decision where receipts are needed', async () => {
    const keeper = await openKeeper(newDirectory(), key)
    await keeper.close()
    expect(() => keeper.admits()).toThrow('the server stops')
  })

  test('or lets it go on, and counts it, but writes nothing: another process may have the chain', async () => {
    let lost = 0
    const directory = newDirectory()
    const settings = { continuesOnFailure: true, intervalMs: 1 }
    const keeper = await openKeeper(directory, key, settings, { lost: (count) => void (lost += count) })
    await keeper.close()
    expect([keeper.admits(), lost, keeper.unstated]).toEqual([false, 1, 1])
    await setTimeout(20)
    expect(readdirSync(directory)).toEqual([])
  })

  test('has written what was pending, also what came during a write', async () => {
    const directory = newDirectory()
    const held = Promise.withResolvers<void>()
    const { lines, log } = notedLog()
    const parts = { openFile: slowFiles(() => held.promise), log }
    const keeper = await openKeeper(directory, key, { keepsAll: true, intervalMs: 60_000 }, parts)
    const first = kept(keeper, 1)
    await setTimeout(5)
    keeper.add(decidedAs(2), () => '')
    const closed = keeper.close()
    held.resolve()
    await Promise.all([first, closed])
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 2 }])
    expect(lines).toEqual([])
  })
})

describe('the report to witnesses', () => {
  test('has the checkpoint at the opening and the latest, and another opening for each start', async () => {
    const directory = newDirectory()
    const heads: unknown[] = []
    const first = await openKeeper(directory, key, {}, { written: (head) => void heads.push(head) })
    expect(first.report).toMatchObject({ kept: [], chains: [{ opened: null, latest: null, continued: true }] })
    await kept(first, 1)
    expect(heads).toEqual([first.head])
    await kept(first, 2)
    expect(heads).toHaveLength(2)
    const { chains } = first.report
    expect(chains).toMatchObject([{ opened: null, latest: { checkpoint: first.head?.checkpoint } }])
    await first.close()
    const second = await openKeeper(directory, key)
    const latest = { checkpoint: first.head?.checkpoint, signature: first.head?.signature }
    expect(second.report).toMatchObject({
      kept: [first.instance],
      chains: [{ instance: first.instance, opened: latest, latest, continued: true }],
    })
    expect(second.report.chains[0]?.opening).not.toBe(chains[0]?.opening)
    await kept(second, 3)
    expect(second.report.chains).toMatchObject([{ opened: latest, latest: { checkpoint: second.head?.checkpoint } }])
    await second.close()
  })

  test('has the chains of the instance alone', async () => {
    const directory = newDirectory()
    const other = await openKeeper(directory, key, { id: 'eu-10' })
    await kept(other, 1)
    await other.close()
    const keeper = await openKeeper(directory, key)
    expect(keeper.report).toMatchObject({ kept: [], chains: [{ instance: keeper.instance }] })
    await keeper.close()
  })
})

describe('after a crash', () => {
  test('a chain that may lack decisions is signed, closed and reported, and another one begins', async () => {
    const directory = newDirectory()
    const first = await openKeeper(directory, key, { keepsAll: true })
    await kept(first, 1)
    await kept(first, 2)
    await crash(directory, first)
    const path = await lastSegment(directory)
    // The last checkpoint was not written.
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\{"checkpoint":[^\n]*\n$/, ''))
    const second = await openKeeper(directory, key, { keepsAll: true })
    const { chains, kept: folders } = second.report
    expect(chains.map(({ instance, continued }) => [instance, continued])).toEqual([
      [first.instance, false],
      [second.instance, true],
    ])
    expect(folders).toEqual([first.instance])
    const numbers = [chains[0]?.opened, chains[0]?.latest].map((one) => JSON.parse(one?.checkpoint ?? '{}').n)
    expect(numbers).toEqual([0, 1])
    expect(chains[1]).toMatchObject({ opened: null, latest: null })
    expect(readdirSync(join(directory, first.instance.replace('/', '.')))).toContain('closed')
    await kept(second, 3)
    expect(JSON.parse(second.report.chains[1]?.latest?.checkpoint ?? '{}')).toMatchObject({ n: 0 })
    await second.close()
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 2 }, { entries: 1 }])
  })

  /** Three trees of two entries. */
  async function threeTrees(directory: string) {
    const keeper = await openKeeper(directory, key)
    const receipts: string[] = []
    for (let tree = 0; tree < 3; tree++)
      receipts.push(...(await Promise.all([1, 2].map((number) => kept(keeper, 10 * tree + number)))))
    await keeper.close()
    return receipts
  }

  test('a log that was cut anywhere is continued with everything before the cut', async () => {
    const whole = newDirectory()
    const receipts = await threeTrees(whole)
    const path = await lastSegment(whole)
    const bytes = readFileSync(path)
    const ends = [...bytes.toString().matchAll(/\{"checkpoint":.*\n/g)].map((found) => found.index + found[0].length)
    const isLineEnd = (cut: number) => cut === 0 || bytes[cut - 1] === 0x0a
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length),
        fc.constantFrom('', '\0\0\0', '{"lost":', '{"seq":1}\n'),
        async (cut, garbage) => {
          writeFileSync(
            path,
            Buffer.concat([bytes.subarray(0, cut), Buffer.from(isLineEnd(cut) ? garbage : garbage.trimEnd())]),
          )
          const keeper = await openKeeper(whole, key)
          const receipt = await kept(keeper, 99)
          await keeper.close()
          const trees = ends.filter((end) => end <= cut).length
          const log = readFileSync(path, 'utf8')
          // A cut before the first checkpoint leaves a chain with entries alone, or none.
          if (log.length > 0 && cut > 0)
            for (const one of receipts.slice(0, 2 * trees)) expect(log).toContain(JSON.parse(one).entry)
          expect(codesOf([receipt])).toEqual(['C99'])
          await verifiedLogs(whole)
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  test('entries without a checkpoint are signed', async () => {
    const directory = newDirectory()
    await threeTrees(directory)
    const path = await lastSegment(directory)
    const text = readFileSync(path, 'utf8')
    truncateSync(path, text.lastIndexOf('{"checkpoint":'))
    const { lines, log } = notedLog()
    const keeper = await openKeeper(directory, key, {}, { log })
    expect([keeper.head?.n, keeper.isPending(5), keeper.isPending(6)]).toEqual([2, false, false])
    await keeper.close()
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 6, checkpoints: 3 }])
    const { instance } = keeper
    expect(lines).toEqual([
      ['warn', 'signing receipts that a crash left without a checkpoint', { instance, entries: 2 }],
    ])
  })

  test.each([
    ['an entry of the last tree is another', (text: string) => text.replace('"C21"', '"C20"')],
    ['the last checkpoint is no JSON', (text: string) => `${text.slice(0, -2)}\n`],
    ['it is of another instance', (text: string) => text.replaceAll('eu-1', 'eu-2')],
  ])('a chain whose end cannot be right is left alone: %s', async (_, damage) => {
    const directory = newDirectory()
    await threeTrees(directory)
    const path = await lastSegment(directory)
    const damaged = damage(readFileSync(path, 'utf8'))
    writeFileSync(path, damaged)
    const errors: string[] = []
    const log = {
      info: () => undefined,
      warn: () => undefined,
      error: (_fields: object, text: string) => void errors.push(text),
    }
    const keeper = await openKeeper(directory, key, {}, { log })
    await kept(keeper, 1)
    await keeper.close()
    expect(errors).toEqual(['a chain of receipts cannot be continued: a new one begins'])
    expect(readFileSync(path, 'utf8')).toBe(damaged)
    expect(await chainsOf(directory)).toHaveLength(2)
  })

  test('where every decision has a number, none is given twice', async () => {
    const directory = newDirectory()
    const first = await openKeeper(directory, key, { keepsAll: true })
    await kept(first, 1)
    await crash(directory, first)
    const second = await openKeeper(directory, key, { keepsAll: true })
    expect(second.instance).not.toBe(first.instance)
    await kept(second, 2)
    await second.close()
    const third = await openKeeper(directory, key, { keepsAll: true })
    expect(third.instance).toBe(second.instance)
    await third.close()
  })
})

/** Files whose every n-th step fails as on a full disk. */
function failingFiles(isFailing: () => boolean): OpenFile {
  const full = () => Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  return async (path, flags, mode) => {
    if (isFailing()) throw full()
    const file = await open(path, flags, mode)
    return {
      stat: () => file.stat(),
      truncate: (size) => file.truncate(size),
      close: () => file.close(),
      async datasync() {
        if (isFailing()) throw full()
        await file.datasync()
      },
      async write(buffer: Buffer, offset: number, length: number, position: number) {
        if (!isFailing()) return file.write(buffer, offset, length, position)
        // Half of it is on the disk.
        await file.write(buffer, offset, Math.floor(length / 2), position)
        throw full()
      },
    } as Awaited<ReturnType<OpenFile>>
  }
}

describe('a full disk', () => {
  test('refuses decisions until receipts are written again', async () => {
    const directory = newDirectory()
    let isFull = false
    const keeper = await openKeeper(directory, key, {}, { openFile: failingFiles(() => isFull) })
    await kept(keeper, 1)
    isFull = true
    await expect(kept(keeper, 2)).rejects.toMatchObject({ code: 'receipts-unavailable' })
    expect(() => keeper.admits()).toThrow('receipts cannot be written')
    isFull = false
    await expect.poll(() => keeper.failure).toBeUndefined()
    expect(keeper.admits()).toBe(true)
    await kept(keeper, 3)
    await keeper.close()
    // The refused decision was made, so it is in the log.
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 3, lost: 0 }])
  })

  test('or continues, counts them and states their number in the log', async () => {
    const directory = newDirectory()
    let isFull = false
    let lost = 0
    const parts = { openFile: failingFiles(() => isFull), lost: (count: number) => void (lost += count) }
    const keeper = await openKeeper(directory, key, { continuesOnFailure: true, intervalMs: 1 }, parts)
    await kept(keeper, 1)
    isFull = true
    await expect(kept(keeper, 2)).rejects.toMatchObject({ code: 'receipts-unavailable' })
    for (let number = 0; number < 7; number++) expect(keeper.admits()).toBe(false)
    expect(lost).toBe(7)
    isFull = false
    await expect.poll(() => keeper.unstated).toBe(0)
    await kept(keeper, 3)
    await keeper.close()
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 4, lost: 7 }])
  })

  test.each<[continuesOnFailure: boolean, consequence: string]>([
    [false, 'decisions that need one are refused'],
    [true, 'decisions continue without them'],
  ])('is in the log once, with its end; decisions continue %s', async (continuesOnFailure, consequence) => {
    let isFull = false
    let failed = 0
    const openFile = failingFiles(() => isFull && ++failed > 0)
    const { lines, log } = notedLog()
    const keeper = await openKeeper(newDirectory(), key, { continuesOnFailure }, { openFile, log, retryMs: 1 })
    await kept(keeper, 1)
    expect(lines).toEqual([])
    isFull = true
    await expect(kept(keeper, 2)).rejects.toThrow('the disk is full')
    // Those that come before the next attempt are refused with it.
    await expect.poll(() => failed, { timeout: 10_000 }).toBeGreaterThan(2)
    expect(keeper.failure).toBe('the disk is full')
    isFull = false
    await expect.poll(() => keeper.failure, { timeout: 10_000 }).toBeUndefined()
    await kept(keeper, 3)
    await keeper.close()
    expect(lines).toEqual([
      ['error', `receipts cannot be written: ${consequence}`, { reason: 'the disk is full' }],
      ['info', 'receipts are written again', {}],
    ])
  })

  test('refuses receipts that are requested while a tree is tried again', async () => {
    let isFull = true
    const keeper = await openKeeper(newDirectory(), key, {}, { openFile: failingFiles(() => isFull), retryMs: 50 })
    const first = kept(keeper, 1)
    await expect(first).rejects.toThrow('the disk is full')
    await expect(kept(keeper, 2)).rejects.toThrow('the disk is full')
    isFull = false
    await keeper.close()
  })

  test.each<[lost: number, fields: object]>([
    [0, { entries: 1, lost: 0, reason: 'the disk is full' }],
    [2, { entries: 1, lost: 2, reason: 'the disk is full' }],
  ])(
    'to the end loses receipts: that is in the log, and no clean stop (%i without a receipt)',
    async (lost, fields) => {
      const directory = newDirectory()
      let isFull = false
      const { lines, log } = notedLog()
      const openFile = failingFiles(() => isFull)
      const keeper = await openKeeper(directory, key, { keepsAll: true, continuesOnFailure: true }, { openFile, log })
      await kept(keeper, 1)
      isFull = true
      await expect(kept(keeper, 2)).rejects.toThrow('the disk is full')
      for (let count = 0; count < lost; count++) keeper.admits()
      await keeper.close()
      expect(lines.at(-1)).toEqual(['error', 'receipts are lost: they could not be written', fields])
      expect(readdirSync(join(directory, keeper.instance.replace('/', '.')))).not.toContain('closed')
    },
  )

  test('does not hold up a start', async () => {
    const directory = newDirectory()
    const before = await openKeeper(directory, key)
    await kept(before, 1)
    await before.close()
    const path = await lastSegment(directory)
    truncateSync(path, readFileSync(path, 'utf8').indexOf('{"checkpoint":'))
    let isFull = true
    const keeper = await openKeeper(directory, key, {}, { openFile: failingFiles(() => isFull) })
    expect(() => keeper.admits()).toThrow('receipts cannot be written')
    expect([0, 1].map((seq) => keeper.isPending(seq))).toEqual([true, false])
    isFull = false
    await expect.poll(() => keeper.failure).toBeUndefined()
    await keeper.close()
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 1, checkpoints: 1 }])
  })

  test('failures at any steps lose no receipt that was given out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (steps) => {
        const directory = newDirectory()
        let step = 0
        const openFile = failingFiles(() => steps[step++] === true)
        const keeper = await openKeeper(directory, key, {}, { openFile, maxSegmentBytes: 2000, retryMs: 1 })
        const given: string[] = []
        for (let number = 0; number < 12; number++) {
          const receipt = await kept(keeper, number).catch(() => undefined)
          if (receipt !== undefined) given.push(receipt)
        }
        await keeper.close()
        codesOf(given)
        const logs = readdirSync(directory).flatMap((chain) =>
          readdirSync(join(directory, chain)).map((name) => readFileSync(join(directory, chain, name), 'utf8')),
        )
        const all = logs.join('')
        for (const receipt of given) expect(all).toContain(JSON.parse(receipt).entry)
        // The log holds, also where the disk was full to the end.
        if (keeper.failure === undefined) await verifiedLogs(directory)
      }),
      { numRuns: 40 },
    )
  }, 60_000)
})

describe('receipts that are read later', () => {
  test('each is found, in any segment; evidence is found and erased', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key, {}, { maxSegmentBytes: 3000 })
    const given: string[] = []
    const evidence = { input: [Buffer.alloc(16).toString('base64url'), '{}'] } as const
    for (let round = 0; round < 10; round++)
      given.push(
        ...(await Promise.all(
          [1, 2, 3].map(async (number) => {
            const seq = keeper.add(decidedAs(number), (place) => evidenceLine(place, evidence))
            return JSON.stringify(receiptOf(await keeper.signed(), seq))
          }),
        )),
      )
    const archive = new ReceiptArchive(directory)
    for (const [seq, receipt] of given.entries())
      expect(await archive.find(keeper.instance, seq, false)).toEqual({
        kind: 'found',
        receipt: JSON.parse(receipt),
        tenant: 'default',
      })
    expect(await archive.find(keeper.instance, 17, true)).toMatchObject({ receipt: { evidence } })
    const path = join((await chainsOf(directory))[0]?.path ?? '', 'evidence-0.jsonl')
    const { size } = statSync(path)
    expect(await archive.erase(keeper.instance, 1)).toBe(true)
    expect(await archive.erase(keeper.instance, 1)).toBe(false)
    expect(statSync(path).size).toBe(size)
    expect(await archive.find(keeper.instance, 1, true)).not.toHaveProperty('receipt.evidence')
    expect(await archive.find(keeper.instance, 2, true)).toHaveProperty('receipt.evidence')
    expect(await archive.find(keeper.instance, 30, true)).toEqual({ kind: 'unsigned' })
    // Later receipts are found as well.
    const later = await kept(keeper, 30)
    expect(await archive.find(keeper.instance, 30, false)).toMatchObject({ receipt: JSON.parse(later) })
    expect(await archive.heads()).toEqual([keeper.head])
    await keeper.close()
    await verifiedLogs(directory)
  })

  test('a half line of evidence, left by a crash, hides no other', async () => {
    const directory = newDirectory()
    const evidence = { input: [Buffer.alloc(16).toString('base64url'), '{}'] } as const
    const keep = async (keeper: Awaited<ReturnType<typeof openKeeper>>) => {
      keeper.add(decidedAs(1), (place) => evidenceLine(place, evidence))
      await keeper.signed()
    }
    const before = await openKeeper(directory, key)
    await keep(before)
    await before.close()
    const path = join((await chainsOf(directory))[0]?.path ?? '', 'evidence-0.jsonl')
    appendFileSync(path, '{"seq":1,"evid')
    const keeper = await openKeeper(directory, key)
    await keep(keeper)
    expect(await new ReceiptArchive(directory).find(keeper.instance, 1, true)).toMatchObject({ receipt: { evidence } })
    await keeper.close()
  })

  test('retention removes segments that are old enough, and never the newest', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key, {}, { maxSegmentBytes: 1000 })
    for (let number = 0; number < 8; number++) await kept(keeper, number)
    const { instance } = keeper
    await keeper.close()
    const segments = await segmentsOf((await chainsOf(directory))[0]?.path ?? '')
    const archive = new ReceiptArchive(directory)
    expect(await archive.find(instance, 0, false)).toMatchObject({ kind: 'found' })
    const now = Date.now()
    const old = new Date(now - 91 * 86_400_000)
    for (const { path } of segments.slice(0, 2)) utimesSync(path, old, old)
    expect(await archive.retain(90, now)).toBe(2)
    expect(await archive.find(instance, 0, false)).toEqual({ kind: 'unknown' })
    const [summary] = await verifiedLogs(directory)
    expect(summary?.anchor).toBe(segments[2]?.n)
    for (const { path } of segments.slice(2)) utimesSync(path, old, old)
    expect(await archive.retain(90, now)).toBe(segments.length - 3)
    const again = await openKeeper(directory, key)
    expect(again.instance).toBe(instance)
    await kept(again, 9)
    await again.close()
    await verifiedLogs(directory)
  })

  test('evidence may be removed earlier than its segment, of which the receipts still hold', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key, { keepsEvidence: true }, { maxSegmentBytes: 1000 })
    for (let number = 0; number < 8; number++) {
      keeper.add(decidedAs(number), (seq) => evidenceLine(seq, {}))
      await keeper.signed()
    }
    const { instance } = keeper
    await keeper.close()
    const [chain] = await chainsOf(directory)
    const segments = await segmentsOf(chain?.path ?? '')
    const now = Date.now()
    const daysAgo = (days: number) => new Date(now - days * 86_400_000)
    for (const [index, { path }] of segments.entries()) utimesSync(path, daysAgo(20 - index), daysAgo(20 - index))
    const evidence = () => readdirSync(chain?.path ?? '').filter((name) => name.startsWith('evidence-')).length
    const before = evidence()
    const archive = new ReceiptArchive(directory)
    expect(await archive.retain(90, now, 19)).toBe(0)
    expect(before - evidence()).toBe(2)
    expect(await archive.find(instance, 0, true)).toMatchObject({ kind: 'found' })
    expect(await verifiedLogs(directory)).toMatchObject([{ entries: 8, anchor: undefined }])
    // The newest segment goes without its evidence as well, but not while it is being written.
    utimesSync(segments.at(-1)?.path ?? '', new Date(now), new Date(now))
    expect(await archive.retain(90, now, 1)).toBe(0)
    expect(evidence()).toBe(1)
    utimesSync(segments.at(-1)?.path ?? '', daysAgo(2), daysAgo(2))
    expect(await archive.retain(90, now, 1)).toBe(0)
    expect(evidence()).toBe(0)
    expect(await archive.retain(1, now, 1)).toBe(segments.length - 1)
    expect(await verifiedLogs(directory)).toMatchObject([{ anchor: segments.at(-1)?.n }])
  })

  test('the newest segment stays, and loses its evidence with the age at which it would be removed', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key, { keepsEvidence: true })
    keeper.add(decidedAs(0), (seq) => evidenceLine(seq, {}))
    await keeper.signed()
    await keeper.close()
    const [chain] = await chainsOf(directory)
    const now = Date.now()
    const namesAfter = async (days: number, evidenceDays?: number) => {
      await new ReceiptArchive(directory).retain(days, now + 10 * 86_400_000, evidenceDays)
      return readdirSync(chain?.path ?? '').filter((name) => name.endsWith('.jsonl'))
    }
    expect(await namesAfter(11)).toEqual(['evidence-0.jsonl', 'receipts-0.jsonl'])
    expect(await namesAfter(11, 20)).toEqual(['evidence-0.jsonl', 'receipts-0.jsonl'])
    expect(await namesAfter(9, 20)).toEqual(['receipts-0.jsonl'])
    const again = await openKeeper(directory, key)
    expect(again.instance).toBe(chain?.instance)
    await again.close()
  })

  test('evidence that cannot be read is left out of its receipt', async () => {
    const directory = newDirectory()
    const keeper = await openKeeper(directory, key, { keepsEvidence: true })
    const lines = [
      () => '{"seq":0,"evidence":{"input":["short","{}"]}}\n',
      () => '{"seq":1,"evidence":[]}\n',
      () => '{"seq":2,\n',
    ]
    for (const [number, line] of lines.entries()) {
      keeper.add(decidedAs(number), line)
      await keeper.signed()
    }
    const { instance } = keeper
    await keeper.close()
    const archive = new ReceiptArchive(directory)
    for (const seq of lines.keys()) {
      const found = await archive.find(instance, seq, true)
      expect(found.kind === 'found' && Object.keys(found.receipt)).not.toContain('evidence')
      expect(found.kind).toBe('found')
    }
  })

  test('a chain that its instance no longer continues is removed as a whole', async () => {
    const directory = newDirectory()
    const first = await openKeeper(directory, key, { keepsAll: true })
    await kept(first, 1)
    const path = await lastSegment(directory)
    await crash(directory, first)
    const second = await openKeeper(directory, key, { keepsAll: true })
    await kept(second, 1)
    await second.close()
    const old = new Date(Date.now() - 91 * 86_400_000)
    utimesSync(path, old, old)
    expect(await new ReceiptArchive(directory).retain(90, Date.now())).toBe(1)
    expect((await chainsOf(directory)).map(({ instance }) => instance)).toEqual([second.instance])
  })
})

test('the keys of a directory have validities that do not end before their last checkpoint', async () => {
  const directory = newDirectory()
  const [first, second] = [newKey(), newKey()]
  await noteKey(directory, first, 10, 10)
  await noteKey(directory, first, 20, 20)
  const keeper = await openKeeper(directory, first)
  await kept(keeper, 1)
  const from = Date.now()
  keeper.rotate(second)
  await noteKey(directory, second, from, Date.now())
  await kept(keeper, 2)
  await keeper.close()
  expect(await keysIn(directory)).toMatchObject([
    { from: 10, until: expect.any(Number) },
    { from, until: null },
  ])
  await verifiedLogs(directory, parseReceiptKeys(readFileSync(join(directory, 'keys.json'), 'utf8')))
})
