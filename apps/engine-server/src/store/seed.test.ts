import { decodeRuleset } from '@engine/ruleset'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { seed } from './seed.ts'
import { type Disk, nodeDisk } from './disk.ts'
import type { Decode } from './rule-file-reader.ts'
import { createMemoryStore } from './memory.ts'
import { createSeedRecord } from './seed-record.ts'
import { failingDisk, openSampleStore, sample } from './store.testing.ts'
import type { Store } from './store.ts'

let scratch: string
let seeds: string

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'engine-seed-'))
  seeds = join(scratch, 'seeds')
  await mkdir(seeds)
})

afterEach(() => rm(scratch, { recursive: true }))

async function give(folder: string, file: string, text: string): Promise<void> {
  await mkdir(join(seeds, folder), { recursive: true })
  await writeFile(join(seeds, folder, file), text)
}

const decode: Decode = async (document, text) => ({
  faults: decodeRuleset(document, { text }).problems.map(({ path, message }) => `\`${path}\` ${message}`),
})
const seeded = (store: Store, disk: Disk = nodeDisk) =>
  seed(store, seeds, decode, store.mode === 'memory' ? undefined : createSeedRecord(disk, store.rulesDirectory))
const openRules = () => openSampleStore(join(scratch, 'rules'))
const held = (store: Store) => Array.from(store.list(), ({ name, version }) => `${name} ${version}`).sort()

const YAML =
  'config: {name: b, entry_step: end}\nsteps: {end: {id: end, type: terminal, result: {code: OK, message: ""}}}\n'

test('the rulesets of all folders are stored, JSON before YAML, and other files are skipped', async () => {
  await give('a', 'ruleset.json', sample('a', '1').text)
  await give('a', 'ruleset.yaml', YAML)
  await give('b', 'ruleset.yaml', YAML)
  await give('c', 'README.md', '# nothing')
  await writeFile(join(seeds, 'ruleset.json'), 'not in a folder')
  for (const store of [await openRules(), createMemoryStore()]) {
    await seeded(store)
    expect(held(store)).toEqual(['a 1', 'b 1.0.0'])
  }
  expect(held(await openRules())).toEqual(['a 1', 'b 1.0.0'])
})

describe('a used directory stays unchanged', () => {
  test('where seeds came after its first ruleset', async () => {
    const store = await openRules()
    await seeded(store)
    await store.put(sample('x', '1'))
    await give('a', 'ruleset.json', sample('a', '1').text)
    const again = await openRules()
    await seeded(again)
    expect(held(again)).toEqual(['x 1'])
  })

  test.each<[what: string, use: (store: Store) => Promise<unknown>, after: readonly string[]]>([
    ['with a seed that was changed', (store) => store.put(sample('a', '2')), ['a 2', 'b 1.0.0']],
    ['with a seed that was deleted', (store) => store.delete('a'), ['b 1.0.0']],
    ['with all seeds deleted', async (store) => [await store.delete('a'), await store.delete('b')], []],
    [
      'with all seeds deleted, and their history',
      async (store) => {
        for (const name of ['a', 'b']) await store.delete(name)
        await rm(join(store.rulesDirectory, '.versions'), { recursive: true })
      },
      [],
    ],
  ])('%s', async (_what, use, after) => {
    await give('a', 'ruleset.json', sample('a', '1').text)
    await give('b', 'ruleset.yaml', YAML)
    const store = await openRules()
    await seeded(store)
    await use(store)
    const again = await openRules()
    await seeded(again)
    expect(held(again)).toEqual(after)
  })
})

test('seeding interrupted at any step is completed by the next start, which stores no seed twice', async () => {
  for (const name of ['a', 'b', 'c']) await give(name, 'ruleset.json', sample(name, '1').text)
  for (let step = 1, isOver = false; !isOver; step++) {
    const directory = join(scratch, `cut-${step}`)
    const disk = failingDisk()
    const store = await openSampleStore(directory, disk)
    disk.failAt(step, 'ENOSPC', true)
    const failure = await seeded(store, disk).catch((error: unknown) => error)
    isOver = !disk.hasFailed
    if (!isOver && failure !== undefined)
      expect(failure).toMatchObject({ name: 'StartError', message: expect.stringContaining('disk') })
    disk.failAt(0)
    const again = await openSampleStore(directory)
    await seeded(again)
    expect(held(again), `step ${step}`).toEqual(['a 1', 'b 1', 'c 1'])
    expect(await again.versions('a')).toEqual([])
    // Once seeding is complete, deletions are permanent.
    for (const name of ['a', 'b', 'c']) await again.delete(name)
    const third = await openSampleStore(directory)
    await seeded(third)
    expect(held(third), `step ${step}`).toEqual([])
  }
})

test('a directory without seeds may get some later', async () => {
  await seeded(await openRules())
  await give('a', 'ruleset.json', sample('a', '1').text)
  const store = await openRules()
  await seeded(store)
  expect(held(store)).toEqual(['a 1'])
})

describe('a seed that cannot be used', () => {
  test.each([
    ['ruleset.json', '{"config":', 'expected a value, found the end of the text (line 1, column 11)'],
    ['ruleset.json', '{"config": {"name": "z", "entry_step": "end"}}', '`/config/entry_step` there is no step `end`'],
    ['ruleset.yaml', 'a: 1\na: 2', 'Map keys must be unique at line 2, column 1'],
    ['ruleset.json', sample('A', '1').text, 'has the name `a` too'],
  ])('%s with %j ends the start, names the file, and stores nothing', async (file, text, reason) => {
    await give('a', 'ruleset.json', sample('a', '1').text)
    await give('z', file, text)
    const store = await openRules()
    const failure = await seeded(store).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'StartError', message: expect.stringContaining(join(seeds, 'z', file)) })
    expect(failure).toMatchObject({ message: expect.stringContaining(reason) })
    expect(store.size).toBe(0)
    // Once it is mended, the next start seeds.
    await give('z', file, file.endsWith('json') ? sample('z', '1').text : YAML)
    const again = await openRules()
    await seeded(again)
    expect(again.size).toBe(2)
  })

  test('a missing directory', async () => {
    await rm(seeds, { recursive: true })
    await expect(seeded(createMemoryStore())).rejects.toMatchObject({
      name: 'StartError',
      message: `--seed-dir: ${seeds} cannot be read (ENOENT)`,
    })
  })
})
