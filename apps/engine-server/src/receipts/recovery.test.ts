import { type ChainState, ReceiptLog } from '@engine/receipts'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decidedAs, newKey } from './keeper.testing.ts'
import { BrokenChain, recoverChain } from './recovery.ts'
import { segmentName } from './segments.ts'

/* Where a chain on disk is continued, and when it cannot be. */

const INSTANCE = 'eu-1/01990000-0000-7000-8000-000000000000'
const privateKey = newKey()

/** The lines of trees with so many entries each, all of a time of their own. */
function trees(
  counts: readonly number[],
  { instance = INSTANCE, state }: { instance?: string; state?: ChainState } = {},
) {
  const log = new ReceiptLog({ instance, engine: '1.0.0', privateKey, ...(state && { state }) })
  let time = 100
  const written = counts.map((count) => {
    for (let number = 0; number < count; number++) log.add(decidedAs(number), ++time)
    const signed = log.checkpoint(++time)
    if (signed === undefined) throw new Error('a tree has an entry')
    const { entries, checkpoint, signature } = signed
    return { entries, checkpoint, lines: [...entries, JSON.stringify({ checkpoint, signature })] }
  })
  return { log, written, time, lines: written.flatMap(({ lines }) => lines) }
}

/** A chain with these segments, by the number of their first checkpoint. */
function chainOf(segments: Readonly<Record<number, readonly string[]>>): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'engine-recovery-')), 'chain')
  mkdirSync(folder)
  for (const [n, lines] of Object.entries(segments))
    writeFileSync(join(folder, segmentName(Number(n))), lines.map((line) => `${line}\n`).join(''))
  return folder
}

const recovered = (segments: Readonly<Record<number, readonly string[]>>) => recoverChain(chainOf(segments), INSTANCE)
const sizeOf = (lines: readonly string[]) => Buffer.byteLength(lines.map((line) => `${line}\n`).join(''))

/** Entries that follow two trees of two, at later times. */
function following(count: number, { instance = INSTANCE, seq = 4, time = 200 } = {}): readonly string[] {
  const state = { n: 2, size: seq, prev: Buffer.alloc(32).toString('base64url'), time: 0 }
  const { log } = trees([], { instance, state })
  for (let number = 0; number < count; number++) log.add(decidedAs(number), time + number)
  return log.checkpoint(time + count)?.entries ?? []
}

const TWO = trees([2, 2])
const LOST = '{"lost":3,"seq":4}'

describe('a chain', () => {
  test('goes on after its last checkpoint, with the time of it', async () => {
    expect(await recovered({ 0: TWO.lines })).toMatchObject({
      state: { n: 2, size: 4, time: TWO.time },
      pending: [],
      segment: { n: 0 },
      size: sizeOf(TWO.lines),
      head: { instance: INSTANCE, n: 1, checkpoint: TWO.written[1]?.checkpoint },
    })
  })

  test('is continued exactly as if it had not stopped', async () => {
    const { state } = await recovered({ 0: TWO.lines })
    const again = new ReceiptLog({ instance: INSTANCE, engine: '1.0.0', privateKey, state })
    for (const log of [TWO.log, again]) log.add(decidedAs(9), 500)
    const [own, continued] = [TWO.log.checkpoint(501), again.checkpoint(501)]
    expect(continued).toEqual(own)
  })

  test('without a checkpoint begins with its entries', async () => {
    const [first] = TWO.written
    const { state, pending, size, head } = await recovered({ 0: first?.entries ?? [] })
    expect({ state: { ...state, prev: '' }, pending, size, head }).toEqual({
      state: { n: 0, size: 0, prev: '', time: 102 },
      pending: first?.entries,
      size: 0,
      head: undefined,
    })
    expect(Buffer.from(state.prev, 'base64url')).toEqual(Buffer.alloc(32))
  })

  test('whose newest segment has no checkpoint goes on after that of the segment before', async () => {
    const entries = following(2)
    const chain = await recovered({ 0: TWO.lines, 2: entries })
    expect(chain).toMatchObject({ state: { n: 2, size: 4, time: 201 }, pending: entries, segment: { n: 2 }, size: 0 })
    expect(chain.head).toMatchObject({ n: 1 })
    expect(await recovered({ 0: TWO.lines, 2: [] })).toMatchObject({ state: { n: 2, size: 4 }, pending: [], size: 0 })
  })
})

describe('a segment', () => {
  const [first] = TWO.written
  test.each<[title: string, segments: Readonly<Record<number, readonly string[]>>, begunAt: number | undefined]>([
    ['begins with its first checkpoint', { 0: TWO.lines }, 103],
    ['of one checkpoint begins with it', { 0: first?.lines ?? [] }, 103],
    ['with entries after its last checkpoint is not finished', { 0: [...TWO.lines, ...following(1)] }, undefined],
    ['with what is no entry after it is not finished', { 0: [...TWO.lines, ''] }, undefined],
    ['without a checkpoint has none', { 0: TWO.lines, 2: [] }, undefined],
  ])('%s', async (_, segments, begunAt) => {
    expect((await recovered(segments)).begunAt).toBe(begunAt)
  })
})

describe('entries after the last checkpoint', () => {
  test.each<[title: string, lines: readonly string[], kept: number, time: number]>([
    ['are signed', following(3), 3, 202],
    ['may state lost decisions', [LOST, ...following(1, { seq: 5 })], 2, 200],
    ['end before a number that does not follow', following(2, { seq: 5 }), 0, TWO.time],
    ['end before a gap', [...following(1), ...following(1, { seq: 6, time: 300 })], 1, 200],
    ['end before an entry of another instance', following(1, { instance: INSTANCE.replace('eu', 'us') }), 0, TWO.time],
    ['end before an earlier time', [...following(1, { time: 300 }), ...following(1, { seq: 5 })], 1, 300],
    [
      'may have the time of the one before',
      [...following(1, { time: 300 }), ...following(1, { seq: 5, time: 300 })],
      2,
      300,
    ],
    ['end before a time earlier than that of the checkpoint', following(1, { time: TWO.time - 1 }), 0, TWO.time],
    ['end before what is no entry', [...following(1), '\0\0', ...following(1, { seq: 5, time: 300 })], 1, 200],
  ])('%s', async (_, lines, kept, time) => {
    const { pending, state, size } = await recovered({ 0: [...TWO.lines, ...lines] })
    expect({ pending, time: state.time, size }).toEqual({
      pending: lines.slice(0, kept),
      time,
      size: sizeOf(TWO.lines),
    })
  })
})

describe('a chain is left alone', () => {
  const [first, second] = [TWO.written[0]?.lines ?? [], TWO.written[1]?.lines ?? []] as const
  test.each<[title: string, segments: Readonly<Record<number, readonly string[]>>, reason: RegExp]>([
    ['without a segment', {}, /^it has no segment$/],
    [
      'whose segments before were removed, without a checkpoint',
      { 2: following(1) },
      /^its last checkpoint is missing$/,
    ],
    ['two of whose segments have no checkpoint', { 1: [], 2: following(1) }, /^its last checkpoint is missing$/],
    [
      'of another instance',
      { 0: trees([1], { instance: INSTANCE.replace('eu', 'us') }).lines },
      /of another instance$/,
    ],
    ['that lacks an entry', { 0: [...first, ...second.slice(1)] }, /^the entries before checkpoint 1 are not those/],
    [
      'that has an entry twice',
      { 0: [...first, second[0] ?? '', ...second] },
      /^the entries before checkpoint 1 are not/,
    ],
    [
      'with entries in another order',
      { 0: [...first, ...second.slice(0, 2).toReversed(), second[2] ?? ''] },
      /checkpoint 1 are/,
    ],
    ['whose checkpoint is no JSON', { 0: ['{"checkpoint":'] }, /./],
    ['whose checkpoint is of another form', { 0: ['{"checkpoint":"{}","signature":""}'] }, /./],
  ])('%s', async (_, segments, reason) => {
    const broken = await recovered(segments).catch((error: unknown) => error)
    expect(broken).toBeInstanceOf(BrokenChain)
    expect(broken).toHaveProperty('message', expect.stringMatching(reason))
  })
})
