import { mkdir, mkdtemp, readdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDirectoryStore } from './directory.ts'
import { type Disk, nodeDisk } from './disk.ts'
import { createMemoryStore } from './memory.ts'
import { openSampleStore, sample } from './store.testing.ts'
import type { Store } from './store.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-refresh-'))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

const write = (file: string, text: string) => writeFile(join(directory, file), text)
const json = (name: string, version: string) => sample(name, version).text
const yaml = (name: string, version: string) =>
  `config: {name: ${name}, version: "${version}", entry_step: end}\nsteps: {end: {id: end, type: terminal, result: {code: OK, message: ""}}}\n`

/** Characters that make a rule file a large one, regardless of its form. */
const LONG = 'x'.repeat(300_000)
const large = (text: string) => text.replace('{', `{"note":"${LONG}",`)

const served = (store: Store) => Array.from(store.list(), ({ name, version }) => `${name} ${version}`).sort()
const rejected = (store: Store) => store.rejected.map(({ file, reason }) => `${file}: ${reason}`)
const versions = async (store: Store, name: string) => (await store.versions(name)).map(({ version }) => version)

type Files = Readonly<Record<string, string>>

/** Make the directory hold these files and no other rule file. */
async function become(files: Files): Promise<void> {
  for (const file of await readdir(directory)) if (!file.startsWith('.')) await rm(join(directory, file))
  for (const [file, text] of Object.entries(files)) await write(file, text)
}

const HOLDS = (file: string) => `\`${file}\` holds the ruleset of this name`
const TORN = 'this text has no closing double quote'

describe('the served content follows the files', () => {
  test.each<[what: string, before: Files, after: Files, kind: string, served: readonly string[], rejected?: string[]]>([
    ['a changed file', { 'a.json': json('a', '1') }, { 'a.json': json('a', '2') }, 'taken-over', ['a 2']],
    ['a new file', {}, { 'a.json': json('a', '1') }, 'taken-over', ['a 1']],
    ['a new YAML file', {}, { 'a.yml': yaml('a', '1') }, 'taken-over', ['a 1']],
    ['a large YAML file', {}, { 'a.yaml': `# ${LONG}\n${yaml('a', '1')}` }, 'taken-over', ['a 1']],
    ['a large JSON file', {}, { 'a.json': large(json('a', '1')) }, 'taken-over', ['a 1']],
    [
      'a large YAML file that cannot be read',
      { 'a.json': json('a', '1') },
      { 'a.yaml': `# ${LONG}\na: 1\na: 2` },
      'unchanged',
      ['a 1'],
      ['a.yaml: Map keys must be unique at line 3, column 1'],
    ],
    [
      'a large JSON file that cannot be read',
      { 'a.json': json('a', '1') },
      { 'a.json': large(json('a', '2')).slice(0, -1) },
      'unchanged',
      ['a 1'],
      ['a.json: expected `,` or `}`, found the end of the text'],
    ],
    ['a removed file', { 'a.json': json('a', '1') }, {}, 'removed', []],
    ['the same content', { 'a.json': json('a', '1') }, { 'a.json': `${json('a', '1')}\n\n` }, 'unchanged', ['a 1']],
    ['nothing at all', {}, {}, 'unchanged', []],
    ['a torn file', { 'a.json': json('a', '1') }, { 'a.json': '{"con' }, 'unchanged', ['a 1'], [`a.json: ${TORN}`]],
    [
      'an empty file',
      { 'a.json': json('a', '1') },
      { 'a.json': '' },
      'unchanged',
      ['a 1'],
      ['a.json: the text is empty'],
    ],
    ['a new torn file', {}, { 'a.json': '{"con' }, 'unchanged', [], [`a.json: ${TORN}`]],
    [
      'a file of another name',
      { 'a.json': json('a', '1') },
      { 'a.json': json('b', '1') },
      'unchanged',
      ['a 1'],
      ['a.json: the file must be called like the ruleset in it, `b`'],
    ],
    [
      'JSON next to YAML',
      { 'a.yaml': yaml('a', '1') },
      { 'a.yaml': yaml('a', '1'), 'a.json': json('a', '2') },
      'taken-over',
      ['a 2'],
      [`a.yaml: ${HOLDS('a.json')}`],
    ],
    [
      'JSON removed from next to YAML',
      { 'a.yaml': yaml('a', '1'), 'a.json': json('a', '2') },
      { 'a.yaml': yaml('a', '1') },
      'taken-over',
      ['a 1'],
    ],
    [
      'torn JSON that was served, next to YAML: it may be half of a file',
      { 'a.yaml': yaml('a', '1'), 'a.json': json('a', '2') },
      { 'a.yaml': yaml('a', '1'), 'a.json': '{"con' },
      'unchanged',
      ['a 2'],
      [`a.json: ${TORN}`, `a.yaml: ${HOLDS('a.json')}`],
    ],
    [
      'torn JSON next to changed YAML that is served',
      { 'a.yaml': yaml('a', '1') },
      { 'a.yaml': yaml('a', '2'), 'a.json': '{"con' },
      'taken-over',
      ['a 2'],
      [`a.json: ${TORN}`],
    ],
    [
      'another form of it that is torn',
      { 'a.json': json('a', '1') },
      { 'a.yaml': 'config: {' },
      'unchanged',
      ['a 1'],
      ['a.yaml: '],
    ],
  ])('%s', async (_what, before, after, kind, names, reasons = []) => {
    await become(before)
    const store = await openSampleStore(directory)
    await become(after)
    expect((await store.refresh('a')).kind).toBe(kind)
    expect(served(store)).toEqual(names)
    expect(rejected(store)).toEqual(reasons.map((reason) => expect.stringContaining(reason)))
    expect((await store.refresh('a')).kind, 'and then it is done').toBe('unchanged')
    expect((await readdir(directory)).filter((file) => !file.startsWith('.'))).toEqual(Object.keys(after).sort())
  })

  test('the replaced content becomes a version, and no rule file is written', async () => {
    const store = await openSampleStore(directory)
    await store.put(sample('a', '1'))
    await write('a.json', json('a', '2'))
    await utimes(join(directory, 'a.json'), 1, 1)
    expect(await store.refresh('a')).toMatchObject({ previous: { version: '1' }, ruleset: { version: '2' } })
    expect(await versions(store, 'a')).toEqual(['1'])
    await store.put(sample('a', '3'))
    expect(await versions(store, 'a')).toEqual(['2', '1'])
  })

  test('no more versions are kept than the store keeps', async () => {
    const store = await openSampleStore(directory, nodeDisk, 2)
    for (const version of ['1', '2', '3', '4']) {
      await write('a.json', json('a', version))
      await utimes(join(directory, 'a.json'), Number(version), Number(version))
      expect(await store.refresh('a')).toMatchObject({ kind: 'taken-over' })
    }
    expect(await readdir(join(directory, '.versions/a'))).toHaveLength(2)
    expect(await versions(store, 'a')).toEqual(['3', '2'])
  })

  test('writes of the store itself are not reported as changes', async () => {
    const store = await openSampleStore(directory)
    const kinds: string[] = []
    for (const version of ['1', '2'])
      await Promise.all([
        store.put(sample('a', version)),
        store.refresh('a').then(({ kind }) => kinds.push(kind)),
        store.refresh('a').then(({ kind }) => kinds.push(kind)),
      ])
    await Promise.all([store.delete('a'), store.refresh('a').then(({ kind }) => kinds.push(kind))])
    expect(kinds).toEqual(Array.from({ length: 5 }, () => 'unchanged'))
    expect(await versions(store, 'a')).toEqual(['2', '1'])
  })
})

describe('a ruleset whose file was removed', () => {
  test('is kept as a version', async () => {
    await write('a.json', json('a', '1'))
    const store = await openSampleStore(directory)
    await rm(join(directory, 'a.json'))
    expect((await store.refresh('a')).kind).toBe('removed')
    await write('a.json', json('a', '2'))
    await store.refresh('a')
    expect(await versions(store, 'a')).toEqual(['1'])
  })

  test('is no longer served, even if the disk keeps no version', async () => {
    await write('a.json', json('a', '1'))
    const create: Disk['create'] = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
    const store = await openSampleStore(directory, { ...nodeDisk, create })
    await rm(join(directory, 'a.json'))
    expect([(await store.refresh('a')).kind, served(store)]).toEqual(['removed', []])
  })
})

describe('an unreadable file does not count as removed', () => {
  test.each<[what: string, spoil: (path: string) => Promise<unknown>, reason: string]>([
    ['too large', (path) => truncate(path, 64 * 1024 * 1024 + 1), 'it has 67108865 bytes, the limit is 67108864'],
    ['torn', (path) => writeFile(path, '{"con'), TORN],
    ['a link', async (path) => [await rm(path), await symlink('/dev/null', path)], 'it is a symbolic link'],
  ])('a file that is %s', async (_what, spoil, reason) => {
    await become({ 'a.json': json('a', '1'), 'b.json': json('b', '1') })
    const store = await openSampleStore(directory)
    await spoil(join(directory, 'a.json'))
    expect((await store.refresh('a')).kind).toBe('unchanged')
    expect(served(store)).toEqual(['a 1', 'b 1'])
    expect([store.isWithheld('a'), store.isWithheld('b')], 'it is served').toEqual([false, false])
    const again = await openSampleStore(directory)
    expect(served(again)).toEqual(['b 1'])
    expect(rejected(again)).toEqual([expect.stringContaining(reason)])
    expect(['a', 'b', 'c'].map((name) => again.isWithheld(name))).toEqual([true, false, false])
    await rm(join(directory, 'a.json'))
    await again.refresh('a')
    expect(again.isWithheld('a')).toBe(false)
  })
})

describe('files that accompany a rule file', () => {
  const contract = '{"name": "a", "version": "1", "input": {"fields": []}, "outputs": []}'

  test('are not rule files, and cause no error', async () => {
    await become({ 'a.json': json('a', '1'), 'a.cases.json': '[]', 'a.contract.json': contract })
    const store = await openSampleStore(directory)
    for (const name of ['a.cases', 'a.contract'])
      expect(await store.refresh(name)).toEqual({ kind: 'unchanged', rejected: 0 })
    expect([served(store), rejected(store)]).toEqual([['a 1'], []])
  })

  test('count as rule files while they hold a ruleset of their name', async () => {
    await (await openSampleStore(directory)).put(sample('a.cases', '1'))
    const store = await openSampleStore(directory)
    expect(served(store)).toEqual(['a.cases 1'])
    await write('a.cases.json', '[]')
    expect((await store.refresh('a.cases')).kind).toBe('removed')
    expect([served(store), rejected(store)]).toEqual([[], []])
  })

  test('are checked when they cannot be read: they may be rulesets', async () => {
    await become({ 'a.cases.json': '{"con' })
    expect(rejected(await openSampleStore(directory))).toEqual([expect.stringContaining(`a.cases.json: ${TORN}`)])
  })
})

describe('names that differ only by case', () => {
  test('a later file does not replace the served one', async () => {
    await write('tax.json', json('tax', '1'))
    const store = await openSampleStore(directory)
    await write('Tax.json', json('Tax', '2'))
    expect((await store.refresh('Tax')).kind).toBe('unchanged')
    expect(served(store)).toEqual(['tax 1'])
    expect(rejected(store)).toEqual([`Tax.json: ${HOLDS('tax.json')}`])
    await rm(join(directory, 'tax.json'))
    expect([(await store.refresh('tax')).kind, (await store.refresh('tax')).kind]).toEqual(['removed', 'taken-over'])
    expect(served(store)).toEqual(['Tax 2'])
    expect(store.rejected).toEqual([])
  })

  test('a file renamed to another case is removed and loaded', async () => {
    await write('tax.json', json('tax', '1'))
    const store = await openSampleStore(directory)
    await write('Tax.json', json('Tax', '1'))
    await rm(join(directory, 'tax.json'))
    expect([(await store.refresh('Tax')).kind, (await store.refresh('Tax')).kind]).toEqual(['removed', 'taken-over'])
    expect(served(store)).toEqual(['Tax 1'])
  })
})

describe('a file that cannot be served', () => {
  test('is checked and counted once per content', async () => {
    let judged = 0
    const logged: object[] = []
    const note = (fields: object) => void logged.push(fields)
    await write('a.json', '{}')
    const store = await openDirectoryStore({
      rulesDirectory: directory,
      maxVersions: 10,
      disk: nodeDisk,
      decode: async () => ({ faults: ['bad at start'] }),
      decodeLater: async () => ({ faults: [`bad ${++judged}`] }),
      log: { info: note, warn: note, error: note },
      now: Date.now,
    })
    expect((await store.refresh('a')).rejected, 'it is what it was at start').toBe(0)
    await write('a.json', '{"x": 1}')
    for (const news of [1, 0, 0]) expect((await store.refresh('a')).rejected).toBe(news)
    await write('a.json', '{"x": 2}')
    for (const news of [1, 0]) expect((await store.refresh('a')).rejected).toBe(news)
    expect(logged).toEqual(['bad at start', 'bad 1', 'bad 2'].map((reason) => ({ file: 'a.json', reason })))
    expect(rejected(store)).toEqual(['a.json: bad 2'])
  })

  test.each<[what: string, mend: (store: Store) => Promise<unknown>, after: readonly string[]]>([
    ['when it is mended', () => write('a.json', json('a', '2')), ['a 2']],
    ['when it gets back its old content', () => write('a.json', json('a', '1')), ['a 1']],
    ['when it is removed', () => rm(join(directory, 'a.json')), []],
    ['when the ruleset is stored', (store) => store.put(sample('a', '3')), ['a 3']],
  ])('is forgotten %s', async (_what, mend, after) => {
    await write('a.json', json('a', '1'))
    const store = await openSampleStore(directory)
    await write('a.json', '{"con')
    await store.refresh('a')
    expect(store.rejected).toHaveLength(1)
    await mend(store)
    await store.refresh('a')
    expect([served(store), store.rejected]).toEqual([after, []])
  })

  test('because its predecessor could not be kept is retried', async () => {
    await write('a.json', json('a', '1'))
    let isFull = true
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
    const create: Disk['create'] = (...file) => (isFull ? Promise.reject(full) : nodeDisk.create(...file))
    const store = await openSampleStore(directory, { ...nodeDisk, create })
    await write('a.json', json('a', '2'))
    expect(await store.refresh('a')).toEqual({ kind: 'unchanged', rejected: 1 })
    expect(rejected(store)).toEqual([
      'a.json: the replaced content could not be kept as a version: the disk that holds the rules directory is full',
    ])
    expect(served(store)).toEqual(['a 1'])
    isFull = false
    expect((await store.refresh('a')).kind).toBe('taken-over')
    expect(await versions(store, 'a')).toEqual(['1'])
  })
})

test('a missing rules directory removes no rulesets', async () => {
  await write('a.json', json('a', '1'))
  const store = await openSampleStore(directory)
  await rename(directory, `${directory}.away`)
  expect((await store.refresh('a')).kind).toBe('unchanged')
  await rename(`${directory}.away`, directory)
  expect(served(store)).toEqual(['a 1'])
})

test('version numbers continue in a new rules directory', async () => {
  const store = await openSampleStore(directory)
  await store.put(sample('a', '1'))
  await store.put(sample('a', '2'))
  await rm(directory, { recursive: true })
  await mkdir(directory)
  await write('a.json', json('a', '3'))
  expect((await store.refresh('a')).kind).toBe('taken-over')
  expect(await versions(store, 'a')).toEqual(['2'])
})

test('a store in memory has no files to scan', async () => {
  const store = createMemoryStore()
  await store.put(sample('a', '1'))
  expect(await store.refresh('a')).toEqual({ kind: 'unchanged', rejected: 0 })
})
