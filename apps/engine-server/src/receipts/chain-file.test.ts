import { ReceiptLog } from '@engine/receipts'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ChainFile, type ChainFileParts, type LogFile, type OpenFile, wasClosed } from './chain-file.ts'
import { decidedAs, newKey } from './keeper.testing.ts'
import { recoverChain } from './recovery.ts'

/* The files of one chain: their beginnings, their contents, and the order in which they reach the disk. */

const INSTANCE = 'eu-1/01990000-0000-7000-8000-000000000000'
const DAY_MS = 86_400_000

/** A chain in a folder of its own, with the trees to write. */
function newChain(more: Partial<ChainFileParts> = {}) {
  const folder = join(mkdtempSync(join(tmpdir(), 'engine-chain-')), 'chain')
  const parts: ChainFileParts = { folder, isSynced: true, now: () => 0, ...more }
  const log = new ReceiptLog({ instance: INSTANCE, engine: '1.0.0', privateKey: newKey() })
  const tree = (...numbers: readonly number[]) => {
    for (const number of numbers) log.add(decidedAs(number), 1)
    const signed = log.checkpoint(1)
    if (signed === undefined) throw new Error('a tree has an entry')
    return signed
  }
  const namesIn = () => readdirSync(folder).toSorted()
  const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { folder, parts, file: ChainFile.create(parts), tree, namesIn, textOf }
}

const linesOf = ({ entries, checkpoint, signature }: ReturnType<ReturnType<typeof newChain>['tree']>) =>
  `${entries.join('\n')}\n${JSON.stringify({ checkpoint, signature })}\n`

/** Files whose steps are noted, and of which some fail. */
function notedFiles(isFailing: (step: string) => boolean = () => false) {
  const steps: string[] = []
  const openFile: OpenFile = async (path, flags, mode) => {
    const file = await open(path, flags, mode)
    const name = path.slice(path.lastIndexOf('/') + 1)
    const note = (what: string) => {
      steps.push(`${what} ${name}`)
      if (isFailing(`${what} ${name}`)) throw new Error('no space left')
    }
    return {
      stat: () => file.stat(),
      truncate: (size) => file.truncate(size),
      async close() {
        note('close')
        await file.close()
      },
      async datasync() {
        note('sync')
        await file.datasync()
      },
      async write(bytes: Buffer, offset: number, length: number, position: number) {
        note('write')
        return file.write(bytes, offset, Math.min(length, 100), position)
      },
    } as LogFile
  }
  /** Those that follow each other, once. */
  const noted = () => steps.splice(0).filter((step, index, all) => step !== all[index - 1])
  return { openFile, noted }
}

describe('a tree', () => {
  test('is in the log and its evidence beside it, for the owner alone', async () => {
    const { folder, file, tree, namesIn, textOf } = newChain()
    const [first, second] = [tree(1, 2), tree(3)]
    await file.write(first, '{"seq":0,"evidence":{}}\n')
    await file.write(second, '')
    await file.close(true)
    expect(namesIn()).toEqual(['closed', 'evidence-0.jsonl', 'receipts-0.jsonl'])
    expect(textOf('receipts-0.jsonl')).toBe(linesOf(first) + linesOf(second))
    expect(textOf('evidence-0.jsonl')).toBe('{"seq":0,"evidence":{}}\n')
    expect(statSync(join(folder, 'receipts-0.jsonl')).mode & 0o777 & ~0o640).toBe(0)
    expect(statSync(join(folder, 'evidence-0.jsonl')).mode & 0o777).toBe(0o600)
  })

  test.each<[title: string, isSynced: boolean, steps: readonly string[]]>([
    [
      'with evidence before entries, and entries before their checkpoint',
      true,
      [
        'write evidence-0.jsonl',
        'sync evidence-0.jsonl',
        'write receipts-0.jsonl',
        'sync receipts-0.jsonl',
        'write receipts-0.jsonl',
        'sync receipts-0.jsonl',
      ],
    ],
    ['without waiting where that is not wanted', false, ['write evidence-0.jsonl', 'write receipts-0.jsonl']],
  ])('reaches the disk %s', async (_, isSynced, steps) => {
    const { openFile, noted } = notedFiles()
    const { file, tree, textOf } = newChain({ isSynced, openFile })
    const one = tree(1, 2, 3)
    await file.write(one, `${'x'.repeat(250)}\n`)
    expect(noted()).toEqual(steps)
    // Also where the system takes a part at a time.
    expect([textOf('receipts-0.jsonl'), textOf('evidence-0.jsonl')]).toEqual([linesOf(one), `${'x'.repeat(250)}\n`])
    await file.close(true)
  })

  test.each(['write evidence-0.jsonl', 'sync evidence-0.jsonl', 'write receipts-0.jsonl', 'sync receipts-0.jsonl'])(
    'of which one step failed (%s) can be written again, once and whole',
    async (failing) => {
      let isFull = false
      const { openFile } = notedFiles((step) => isFull && step === failing)
      const { file, tree, textOf } = newChain({ openFile })
      const [first, second] = [tree(1), tree(2)]
      await file.write(first, 'a\n')
      isFull = true
      await expect(file.write(second, 'b\n')).rejects.toThrow('no space left')
      expect([textOf('receipts-0.jsonl'), textOf('evidence-0.jsonl')]).toEqual([linesOf(first), 'a\n'])
      isFull = false
      await file.write(second, 'b\n')
      await file.close(true)
      expect(textOf('receipts-0.jsonl')).toBe(linesOf(first) + linesOf(second))
      expect(textOf('evidence-0.jsonl')).toBe('a\nb\n')
    },
  )
})

describe('a segment', () => {
  test.each<[title: string, more: Partial<ChainFileParts>, ages: readonly number[], names: readonly string[]]>([
    ['goes on within a day', {}, [0, DAY_MS - 1], ['receipts-0.jsonl']],
    ['ends after a day', {}, [0, DAY_MS], ['receipts-0.jsonl', 'receipts-1.jsonl']],
    ['lasts a day from its own beginning', {}, [0, DAY_MS, DAY_MS + 1], ['receipts-0.jsonl', 'receipts-1.jsonl']],
    ['ends when it is full', { maxSegmentBytes: 1 }, [0, 0], ['receipts-0.jsonl', 'receipts-1.jsonl']],
    ['goes on until it is full', { maxSegmentBytes: 5000 }, [0, 0, 0], ['receipts-0.jsonl']],
  ])('%s', async (_, more, ages, names) => {
    let now = 0
    const { file, tree, namesIn } = newChain({ now: () => 1000 + now, ...more })
    for (const age of ages) {
      now = age
      await file.write(tree(age), '')
      expect(file.segmentPath).toBe(join(file.folder, namesIn().at(-1) ?? ''))
    }
    await file.close(false)
    expect(namesIn()).toEqual(names)
  })

  test('has evidence of its own number, also after a restart', async () => {
    const { folder, parts, file, tree, namesIn, textOf } = newChain({ maxSegmentBytes: 1 })
    await file.write(tree(1), 'a\n')
    await file.write(tree(2), 'b\n')
    await file.close(true)
    const lasting = { ...parts, maxSegmentBytes: undefined }
    const again = await ChainFile.continue(lasting, await recoverChain(folder, INSTANCE))
    await again.write(tree(3), 'c\n')
    await again.close(true)
    expect(namesIn()).toEqual([
      'closed',
      'evidence-0.jsonl',
      'evidence-1.jsonl',
      'receipts-0.jsonl',
      'receipts-1.jsonl',
    ])
    expect([textOf('evidence-0.jsonl'), textOf('evidence-1.jsonl')]).toEqual(['a\n', 'b\nc\n'])
  })

  test.each<[title: string, left: string, names: readonly string[]]>([
    ['ends a day after its first checkpoint', '', ['closed', 'receipts-0.jsonl', 'receipts-2.jsonl']],
    ['goes on for another day where a crash left bytes after the last one', '{"lo', ['receipts-0.jsonl']],
  ])('of an engine that is started again %s', async (_, left, names) => {
    const { folder, parts, file, tree, namesIn, textOf } = newChain()
    const [first, second, third] = [tree(1), tree(2), tree(3)]
    await file.write(first, '')
    await file.write(second, '')
    await file.close(left === '')
    appendFileSync(join(folder, 'receipts-0.jsonl'), left)
    for (const age of [DAY_MS, DAY_MS + 1]) {
      const again = await ChainFile.continue({ ...parts, now: () => age }, await recoverChain(folder, INSTANCE))
      if (age > DAY_MS) await again.write(third, '')
      await again.close(left === '')
    }
    expect(namesIn()).toEqual(names)
    expect(textOf('receipts-0.jsonl')).toBe(linesOf(first) + linesOf(second) + (left === '' ? '' : linesOf(third)))
  })

  test('of an engine that is started again within the day goes on', async () => {
    const { folder, parts, file, tree, namesIn } = newChain()
    await file.write(tree(1), '')
    await file.close(false)
    const again = await ChainFile.continue({ ...parts, now: () => DAY_MS }, await recoverChain(folder, INSTANCE))
    await again.write(tree(2), '')
    await again.close(false)
    expect(namesIn()).toEqual(['receipts-0.jsonl'])
  })

  test('has no evidence of entries that a crash kept out of the log: others get their numbers', async () => {
    const { folder, parts, file, tree, textOf } = newChain()
    const lines = [0, 1, 2].map((seq) => `{"seq":${seq},"evidence":{}}\n`)
    const erased = `${' '.repeat(20)}\n`
    await file.write(tree(1), erased)
    await file.write(tree(2), lines[1] ?? '')
    await file.close(false)
    appendFileSync(join(folder, 'evidence-0.jsonl'), `${lines[2]}{"seq":3`)
    const again = await ChainFile.continue(parts, await recoverChain(folder, INSTANCE))
    expect(textOf('evidence-0.jsonl')).toBe(erased + lines[1])
    await again.write(tree(3), 'new\n')
    await again.close(false)
    expect(textOf('evidence-0.jsonl')).toBe(`${erased}${lines[1]}new\n`)
  })

  test('begins without evidence that a crash left under its name', async () => {
    const { folder, file, tree, namesIn, textOf } = newChain({ maxSegmentBytes: 1 })
    await file.write(tree(1), '')
    for (const n of [1, 2]) writeFileSync(join(folder, `evidence-${n}.jsonl`), '{"seq":1,"evidence":{}}\n')
    await file.write(tree(2), '')
    await file.write(tree(3), 'c\n')
    await file.close(false)
    expect(namesIn()).toEqual(['evidence-2.jsonl', 'receipts-0.jsonl', 'receipts-1.jsonl', 'receipts-2.jsonl'])
    expect(textOf('evidence-2.jsonl')).toBe('c\n')
  })

  test('whose beginning failed is begun again under the same name', async () => {
    let isFull = true
    const { openFile } = notedFiles((step) => isFull && step.startsWith('write'))
    const { file, tree, namesIn, textOf } = newChain({ openFile, maxSegmentBytes: 1 })
    const first = tree(1)
    await expect(file.write(first, '')).rejects.toThrow('no space left')
    isFull = false
    await file.write(first, '')
    await file.close(false)
    expect(namesIn()).toEqual(['receipts-0.jsonl'])
    expect(textOf('receipts-0.jsonl')).toBe(linesOf(first))
  })
})

describe('the mark of a clean stop', () => {
  test.each([
    [true, true],
    [false, false],
  ])('is there where every number is in the log: %s', async (isComplete, isMarked) => {
    const { folder, file, tree } = newChain()
    await file.write(tree(1), '')
    await file.close(isComplete)
    expect(await wasClosed(folder)).toBe(isMarked)
  })

  test('goes with the first tree after a restart, and stays where nothing was written', async () => {
    const { folder, parts, file, tree } = newChain()
    await file.write(tree(1), '')
    await file.close(true)
    const idle = await ChainFile.continue(parts, await recoverChain(folder, INSTANCE))
    await idle.close(false)
    expect(await wasClosed(folder)).toBe(true)
    const busy = await ChainFile.continue(parts, await recoverChain(folder, INSTANCE))
    await busy.write(tree(2), '')
    expect(await wasClosed(folder)).toBe(false)
    await busy.close(false)
    expect(await wasClosed(folder)).toBe(false)
  })

  test('needs no folder: a chain without a tree has none', async () => {
    const { folder, file } = newChain()
    await file.close(true)
    expect(existsSync(folder)).toBe(false)
  })
})
