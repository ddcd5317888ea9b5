import { parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { ReceiptArchive } from './archive.ts'
import { decidedAs, newKey, openKeeper, publicTextOf } from './keeper.testing.ts'

/* Places that a reader of receipts may name. */

const UUID = '01990000-0000-7000-8000-000000000000'
const folder = mkdtempSync(join(tmpdir(), 'engine-archive-'))
const directory = join(folder, 'receipts')
let instance: string

beforeAll(async () => {
  mkdirSync(directory)
  const keeper = await openKeeper(directory, newKey(), { keepsEvidence: true })
  keeper.add(decidedAs(1), () => '')
  await keeper.signed()
  instance = keeper.instance
  await keeper.close()
  // A log outside of the directory.
  mkdirSync(join(folder, `eu-2.${UUID}`))
  writeFileSync(join(folder, `eu-2.${UUID}`, 'receipts-0.jsonl'), '{}\n')
})

describe('a place that is not in the directory', () => {
  test.each([
    ['nothing', ''],
    ['a folder above', '..'],
    ['a path above', `../eu-2/${UUID}`],
    ['a path with dots', `./eu-1/${UUID}`],
    ['another chain', `eu-1/${UUID}`],
    ['another instance', `eu-2/${UUID}`],
    ['no chain', 'eu-1'],
    ['a chain that is no UUID', 'eu-1/0'],
    ['a NUL', `eu-1\0/${UUID}`],
    ['a name of objects', '__proto__'],
  ])('%s is unknown, and has no evidence to erase', async (_, name) => {
    const archive = new ReceiptArchive(directory)
    expect(await archive.find(name, 0, true)).toEqual({ kind: 'unknown' })
    expect(await archive.erase(name, 0)).toBe(false)
  })

  test('an entry after the end is not signed yet, and one that was found is', async () => {
    const archive = new ReceiptArchive(directory)
    expect(await archive.find(instance, 0, false)).toMatchObject({ kind: 'found' })
    expect(await archive.find(instance, 1, false)).toEqual({ kind: 'unsigned' })
    expect(await archive.erase(instance, 0)).toBe(false)
  })
})

describe('a chain whose entries have no checkpoint yet', () => {
  const begun = `eu-3/${UUID}`
  beforeAll(() => {
    mkdirSync(join(directory, begun.replace('/', '.')))
    writeFileSync(join(directory, begun.replace('/', '.'), 'receipts-0.jsonl'), '{"lost":1,"seq":0}\n')
  })

  test('has entries that are not signed yet', async () => {
    const archive = new ReceiptArchive(directory)
    for (const seq of [0, 1]) expect(await archive.find(begun, seq, true)).toEqual({ kind: 'unsigned' })
  })

  test('has no latest checkpoint, and hides no other chain', async () => {
    const heads = await new ReceiptArchive(directory).heads()
    expect(heads.map((head) => head.instance)).toEqual([instance])
  })
})

test('a number that states lost decisions has no receipt', async () => {
  const place = mkdtempSync(join(tmpdir(), 'engine-archive-'))
  const keeper = await openKeeper(place, newKey(), { continuesOnFailure: true })
  keeper.lose()
  keeper.add(decidedAs(1), () => '')
  await keeper.signed()
  await keeper.close()
  const archive = new ReceiptArchive(place)
  const found = await Promise.all([0, 1, 2].map((seq) => archive.find(keeper.instance, seq, false)))
  const lost = readFileSync(join(place, keeper.instance.replace('/', '.'), 'receipts-0.jsonl'), 'utf8').includes(
    '"lost":1',
  )
  expect([lost, found.map(({ kind }) => kind).toSorted()]).toEqual([true, ['found', 'unknown', 'unsigned']])
})

describe('a log of several megabytes', () => {
  const TREES = 6
  const COUNT = 1500

  test('has each receipt, whichever was read before, also for several readers at once', async () => {
    const place = mkdtempSync(join(tmpdir(), 'engine-archive-'))
    const key = newKey()
    const keeper = await openKeeper(place, key, { keepsAll: true, intervalMs: 60_000 })
    for (let tree = 0; tree < TREES; tree++) {
      for (let number = 0; number < COUNT; number++) keeper.add(decidedAs(tree * COUNT + number), () => '')
      await keeper.signed()
    }
    const large = keeper.instance
    await keeper.close()
    const keys = parseReceiptKeys(publicTextOf(key))
    const archive = new ReceiptArchive(place)
    const edges = Array.from({ length: TREES }, (_, tree) => [tree * COUNT, (tree + 1) * COUNT - 1]).flat()
    for (const seq of [...edges.toReversed(), ...edges]) {
      const found = await archive.find(large, seq, false)
      if (found.kind !== 'found') throw new Error(`${seq} is ${found.kind}`)
      const { faults, entry } = verifyReceipt(JSON.stringify(found.receipt), keys)
      expect([faults, entry?.seq, entry?.result?.code]).toEqual([[], seq, `C${seq}`])
    }
    const together = new ReceiptArchive(place)
    const found = await Promise.all(edges.toReversed().map((seq) => together.find(large, seq, false)))
    expect(found.map(({ kind }) => kind)).toEqual(edges.map(() => 'found'))
    expect(await archive.find(large, TREES * COUNT, false)).toEqual({ kind: 'unsigned' })
    expect((await archive.heads()).map(({ n }) => n)).toEqual([TREES - 1])
  })
})
