import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSampleStore, sample } from './store.testing.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-aside-'))
})

afterEach(() => rm(directory, { recursive: true }))

const yaml = (name: string) =>
  `config: {name: ${name}, entry_step: end}\nsteps: {end: {id: end, type: terminal, result: {code: OK, message: ""}}}\n`

const write = (file: string, text: string) => writeFile(join(directory, file), text)

/** The files in the rules directory without the history, the random end of the names of those set aside replaced. */
async function files(): Promise<readonly string[]> {
  const entries = (await readdir(directory)).filter((file) => file !== '.versions')
  return entries.map((file) => file.replace(/set-aside-[0-9a-f]{12}$/, 'set-aside'))
}

describe('a deletion holds after a restart', () => {
  test.each<[what: string, before: Readonly<Record<string, string>>, after: readonly string[]]>([
    ['JSON', { 'a.json': sample('a', '1').text }, []],
    ['YAML', { 'a.yaml': yaml('a') }, []],
    ['JSON that hid YAML', { 'a.json': sample('a', '1').text, 'a.yaml': yaml('a') }, ['a.yaml.set-aside']],
    ['YAML that hid YAML', { 'a.yaml': yaml('a'), 'a.yml': yaml('a') }, ['a.yml.set-aside']],
    ['YAML next to torn JSON', { 'a.json': '{"con', 'a.yaml': yaml('a') }, ['a.json.set-aside']],
  ])('of %s', async (_what, before, after) => {
    for (const [file, text] of Object.entries(before)) await write(file, text)
    const store = await openSampleStore(directory)
    expect(store.get('a')).toBeDefined()
    await store.delete('a')
    expect(await files()).toEqual(after)
    expect(store.rejected).toEqual([])
    const again = await openSampleStore(directory)
    expect([again.size, again.rejected]).toEqual([0, []])
  })

  test('when the file is already gone', async () => {
    const store = await openSampleStore(directory)
    await store.put(sample('a', '1'))
    await rm(join(directory, 'a.json'))
    expect((await store.delete('a'))?.version).toBe('1')
    expect(store.size).toBe(0)
  })
})

test.each([
  ['a file that could not be served', () => write('a.json', '{"con')],
  ['a folder', () => mkdir(join(directory, 'a.json'))],
])('%s at the path of a new ruleset is set aside, not overwritten', async (_what, prepare) => {
  await prepare()
  const store = await openSampleStore(directory)
  await store.put(sample('a', '1'))
  expect(await files()).toEqual(['a.json', 'a.json.set-aside'])
  expect(store.rejected).toEqual([])
  expect((await openSampleStore(directory)).get('a')?.version).toBe('1')
})

test('a directory set aside keeps its content', async () => {
  await write('a.json', '{"con')
  const store = await openSampleStore(directory)
  await store.put(sample('a', '1'))
  const aside = (await readdir(directory)).find((file) => file.includes('set-aside')) ?? ''
  expect(await readFile(join(directory, aside), 'utf8')).toBe('{"con')
})

describe('new files', () => {
  test.each<[what: string, prepare: () => Promise<unknown>, isNew: boolean]>([
    ['an empty directory', async () => undefined, true],
    ['a volume with a folder of its own', () => mkdir(join(directory, 'lost+found')), true],
    ['a directory with a ruleset', () => write('a.json', sample('a', '1').text), false],
    ['a directory with a file that cannot be served', () => write('a.json', '{"con'), false],
    ['a directory with history only', () => mkdir(join(directory, '.versions/a'), { recursive: true }), false],
    ['a directory that was only locked', () => write('.lock', ''), true],
    ['a directory with the file of a probe', () => write('.health_probe', 'ok'), true],
  ])('%s', async (_what, prepare, isNew) => {
    await prepare()
    expect((await openSampleStore(directory)).isNew).toBe(isNew)
  })

  test('a directory that does not exist yet', async () => {
    expect((await openSampleStore(join(directory, 'x', 'y'))).isNew).toBe(true)
  })
})

describe('a copy in the history that was', () => {
  const copy = () => join(directory, '.versions', 'a', 'v1_1795132800.json')
  test.each([
    ['torn', () => writeFile(copy(), '{"con')],
    ['replaced by another ruleset', () => writeFile(copy(), sample('b', '1').text)],
    ['removed', () => rm(copy())],
  ])('%s is listed with its known fields, and cannot be read', async (_what, damage) => {
    const store = await openSampleStore(directory)
    for (const version of ['1', '2', '3']) await store.put(sample('a', version))
    const again = await openSampleStore(directory)
    await again.put(sample('a', '4'))
    await damage()
    expect((await again.versions('a')).map(({ seq, version }) => `${seq} ${version}`)).toEqual([
      '3 3',
      '2 2',
      '1 unreadable',
    ])
    expect(await again.version('a', 1)).toBeUndefined()
    expect((await again.version('a', 2))?.version).toBe('2')
  })
})
