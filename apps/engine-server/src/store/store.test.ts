import { parseJson, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMemoryStore } from './memory.ts'
import { openSampleStore, sample } from './store.testing.ts'
import { storedRuleset, type Store } from './store.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-store-'))
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

const numbered = async (store: Store, name: string) =>
  (await store.versions(name)).map(({ seq, version }) => `${seq} ${version}`)
const names = (store: Store) => Array.from(store.list(), ({ name }) => name).sort()

describe.each<[mode: string, open: () => Promise<Store>]>([
  ['memory', async () => createMemoryStore()],
  ['directory', () => openSampleStore(directory)],
])('a store in mode %s', (_mode, open) => {
  test('creates, updates and deletes', async () => {
    const store = await open()
    const [first, second] = [sample('a', '1'), sample('a', '2')]
    expect(await store.put(first)).toEqual({ status: 'created', previous: undefined })
    expect(store.get('a')).toBe(first)
    expect(await store.put(second)).toEqual({ status: 'updated', previous: first })
    expect([store.size, names(store)]).toEqual([1, ['a']])
    expect(await store.delete('a')).toBe(second)
    expect(await store.delete('a')).toBeUndefined()
    expect(store.get('a')).toBeUndefined()
  })

  test('refuses a name that differs only by case, also for names written at the same time', async () => {
    const store = await open()
    const results = await Promise.allSettled([store.put(sample('Tax', '1')), store.put(sample('tax', '1'))])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(results[1]).toMatchObject({
      reason: { code: 'conflict', message: '`tax` differs only by case from the stored ruleset `Tax`' },
    })
  })

  test('writes of one ruleset happen in the order of the calls', async () => {
    const store = await open()
    const finished: string[] = []
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.put(sample('a', String(index))).then(() => finished.push(String(index))),
      ),
    )
    expect(finished).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
    expect(store.get('a')?.version).toBe('19')
  })

  test('replaces only an existing ruleset', async () => {
    const store = await open()
    expect(await store.replace(sample('a', '1'))).toBeUndefined()
    expect(store.size).toBe(0)
  })

  test('lists by name, regardless of the order of the changes', async () => {
    const store = await open()
    for (const name of ['c', 'B', 'a10', 'd', 'a9']) await store.put(sample(name, '1'))
    await store.delete('d')
    await store.put(sample('_', '1'))
    expect(Array.from(store.list(), ({ name }) => name)).toEqual(['B', '_', 'a10', 'a9', 'c'])
  })

  test('closing waits for pending writes', async () => {
    const store = await open()
    const settled: string[] = []
    const writes = ['a', 'b', 'c'].map((name) => store.put(sample(name, '1')).then(() => settled.push(name)))
    await store.close()
    expect(settled.sort()).toEqual(['a', 'b', 'c'])
    await Promise.all(writes)
  })

  test('is ready, and rejects changes once closed', async () => {
    const store = await open()
    expect(await store.probe(1000)).toEqual({ ok: true })
    expect(await readdir(directory), 'the probe leaves nothing').toEqual([])
    await store.close()
    await expect(store.put(sample('a', '1'))).rejects.toMatchObject({ code: 'closed' })
  })
})

describe('versions', () => {
  test('each update keeps the replaced content, newest first; the oldest are dropped first', async () => {
    const store = await openSampleStore(directory, undefined, 3)
    for (const version of ['1', '2', '3', '4', '5']) await store.put(sample('a', version))
    expect((await store.versions('a')).map(({ seq, version }) => [seq, version])).toEqual([
      [4, '4'],
      [3, '3'],
      [2, '2'],
    ])
    expect((await store.versions('a'))[0]?.timestamp).toBe('2026-11-20T00:00:00.000Z')
    expect(await readdir(join(directory, '.versions', 'a'))).toEqual([
      'v2_1795132800.json',
      'v3_1795132800.json',
      'v4_1795132800.json',
    ])
    expect((await store.version('a', 3))?.text).toBe(sample('a', '3').text)
    expect(await store.version('a', 1)).toBeUndefined()
  })

  test('a deletion keeps the deleted content, over a restart; numbers continue', async () => {
    const store = await openSampleStore(directory)
    await store.put(sample('a', '1'))
    await store.put(sample('a', '2'))
    await store.delete('a')
    const again = await openSampleStore(directory)
    await again.put(sample('a', '3'))
    await again.put(sample('a', '4'))
    expect(await numbered(again, 'a')).toEqual(['3 3', '2 2', '1 1'])
    expect((await again.version('a', 2))?.text).toBe(sample('a', '2').text)
  })

  test.each<[what: string, change: (store: Store, version: string) => Promise<unknown>]>([
    ['updates', (store, version) => store.put(sample('a', version))],
    ['deletions', async (store, version) => [await store.delete('a'), await store.put(sample('a', version))]],
  ])('no number is used twice, however many %s and restarts there are', async (_what, change) => {
    const given = new Set<string>()
    let store = await openSampleStore(directory, undefined, 3)
    await store.put(sample('a', '0'))
    for (let count = 1; count <= 9; count++) {
      await change(store, String(count))
      if (count % 2 === 0) store = await openSampleStore(directory, undefined, 3)
      const [newest = ''] = await numbered(store, 'a')
      // The n-th change replaced the content of the one before.
      expect(newest).toBe(`${count} ${count - 1}`)
      given.add(newest)
    }
    expect(given.size).toBe(9)
    expect(await numbered(store, 'a')).toEqual(['9 8', '8 7', '7 6'])
    expect((await store.version('a', 7))?.text).toBe(sample('a', '6').text)
  })

  test.each([
    ['before 1970', -86_400_000],
    ['in the year 40000', 1_200_000_000_000_000],
  ])('a clock that stands %s uses no number twice', async (_what, now) => {
    let store = await openSampleStore(directory, undefined, 10, now)
    for (const version of ['1', '2']) await store.put(sample('a', version))
    store = await openSampleStore(directory, undefined, 10, now)
    await store.put(sample('a', '3'))
    expect(await numbered(store, 'a')).toEqual(['2 2', '1 1'])
  })

  test.each([
    ['of another ruleset', sample('b', '9').text],
    ['without a name', '{"config":{},"steps":{}}'],
    ['that is no object', '[]'],
    ['that is no JSON', 'a: 1'],
    ['that is no UTF-8', Buffer.from([0xff])],
  ])('content %s is no version', async (_what, content) => {
    const store = await openSampleStore(directory)
    for (const version of ['1', '2', '3']) await store.put(sample('a', version))
    await writeFile(join(directory, '.versions/a/v1_1795132800.json'), content)
    const again = await openSampleStore(directory)
    expect(await again.version('a', 1)).toBeUndefined()
    expect((await again.version('a', 2))?.version).toBe('2')
  })

  test('a number used by anything but a file counts as taken', async () => {
    await mkdir(join(directory, '.versions/a/v7_1.json'), { recursive: true })
    const store = await openSampleStore(directory)
    for (const version of ['1', '2']) await store.put(sample('a', version))
    expect(await numbered(store, 'a')).toEqual(['8 1'])
  })
})

describe('content that a start could not read is not stored', () => {
  const large = (bytes: number): RulesetDocument => ({
    config: { name: 'a', entry_step: 'end' },
    steps: {},
    filling: 'é'.repeat(bytes / 2),
  })

  test('a text beyond 64 MiB of UTF-8', () => {
    expect(() => storedRuleset(large(64 * 1024 * 1024))).toThrow(
      expect.objectContaining({
        code: 'too-large',
        message: expect.stringMatching(/^`a` is larger than 67108864 bytes/),
      }),
    )
    expect(storedRuleset(large(63 * 1024 * 1024)).name).toBe('a')
  })

  test('a file whose content would be: YAML that repeats itself', async () => {
    const repeated = Array.from({ length: 90 }, () => '*x').join(', ')
    const yaml = `config: {name: a, entry_step: end}\nsteps: {end: {id: end, type: terminal, result: {code: OK, message: ''}}}\nx: &x ${'y'.repeat(800_000)}\nz: [${repeated}]\n`
    await writeFile(join(directory, 'a.yaml'), yaml)
    const store = await openSampleStore(directory)
    expect([store.size, store.isWithheld('a')]).toEqual([0, true])
    expect(store.rejected).toEqual([
      { file: 'a.yaml', reason: expect.stringContaining('is larger than 67108864 bytes') },
    ])
  })

  test('nested lists are laid out only while that is short', async () => {
    const lists = (count: number) =>
      storedRuleset({
        config: { name: 'a', entry_step: 'end' },
        x: parsed(`[${Array.from({ length: count }, () => `${'['.repeat(60)}${']'.repeat(60)}`).join(',')}]`),
      })
    const store = await openSampleStore(directory)
    const size = async () => (await stat(join(directory, 'a.json'))).size
    await store.put(lists(10))
    expect(await readFile(join(directory, 'a.json'), 'utf8')).toContain('\n  "x": [\n')
    await store.put(lists(5000))
    expect(await size()).toBe(lists(5000).text.length)
    await store.delete('a')
    expect((await readdir(join(directory, '.versions/a'))).length).toBe(2)
    const sizes = await Promise.all(
      (await readdir(join(directory, '.versions/a'))).map(
        async (file) => (await stat(join(directory, '.versions/a', file))).size,
      ),
    )
    expect(Math.max(...sizes)).toBe(lists(5000).text.length)
  })
})

const parsed = (text: string): Value => {
  const found = parseJson(text, { duplicateKeys: 'refuse' })
  if (found.kind === 'failed') throw new Error(found.problem.message)
  return found.value
}

describe('files at start', () => {
  test.each([
    ['a.json', '{"config":', 'expected a value, found the end of the text (line 1, column 11)'],
    [
      'a.json',
      '{"config": {"name": "a", "name": "a"}}',
      'the key `name` occurs twice in one object (line 1, column 26)',
    ],
    ['a.json', sample('b', '1').text, 'the file must be called like the ruleset in it, `b`'],
    [
      'a.json',
      '{"config": {"name": "a"}}',
      '`/config/entry_step` the field `entry_step` is missing: it must be the id of the first step; and 1 more',
    ],
    ['a.yaml', 'config: [', 'Flow sequence in block collection must be sufficiently indented and end with a ]'],
    [
      'a.yaml',
      `a: &a [x, x]\n${Array.from({ length: 40 }, (_, index) => `b${index}: &b${index} [*${index === 0 ? 'a' : `b${index - 1}`}, *${index === 0 ? 'a' : `b${index - 1}`}]`).join('\n')}`,
      'its aliases (`*name`) expand beyond the limit',
    ],
    ['a.engine', 'ENG1\u0001', 'it does not start with the tag `ENGR`'],
  ])('%s that contains %j is reported and left unchanged', async (file, text, reason) => {
    await writeFile(join(directory, file), text)
    await writeFile(join(directory, 'good.json'), sample('good', '1').text)
    const store = await openSampleStore(directory)
    expect(names(store)).toEqual(['good'])
    expect(store.rejected).toEqual([{ file, reason: expect.stringContaining(reason.slice(0, 60)) }])
    expect(await readFile(join(directory, file), 'utf8')).toBe(text)
  })

  test('of two files whose names differ only by case the first in order is read', async () => {
    await writeFile(join(directory, 'tax.json'), sample('tax', '2').text)
    await writeFile(join(directory, 'Tax.json'), sample('Tax', '1').text)
    const store = await openSampleStore(directory)
    expect([...store.list()].map(({ name }) => name)).toEqual(['Tax'])
    expect(store.rejected).toEqual([{ file: 'tax.json', reason: '`Tax.json` holds the ruleset of this name' }])
  })

  test('YAML is read, JSON wins over it, and an update turns it into JSON', async () => {
    const yaml =
      'config: {name: a, entry_step: end, version: "1"}\nsteps:\n  end: {id: end, type: terminal, result: {code: OK, message: big, big: 9007199254740993}}\n'
    await writeFile(join(directory, 'a.yaml'), yaml)
    await writeFile(join(directory, 'b.yml'), yaml.replace('name: a', 'name: b'))
    await writeFile(join(directory, 'b.json'), sample('b', '7').text)
    const store = await openSampleStore(directory)
    expect(store.get('a')?.text).toContain('"big":9007199254740993')
    expect(store.get('b')?.version).toBe('7')
    expect(store.rejected).toEqual([{ file: 'b.yml', reason: '`b.json` holds the ruleset of this name' }])
    await store.put(sample('a', '2'))
    expect(await readdir(directory)).toEqual(['.versions', 'a.json', 'b.json', 'b.yml'])
  })

  test('links, folders, hidden and other files are not rulesets; leftovers of a crash are removed', async () => {
    await symlink('/etc/hostname', join(directory, 'link.json'))
    await mkdir(join(directory, 'folder.json'))
    await writeFile(join(directory, 'notes.txt'), 'x')
    await writeFile(join(directory, '.a.json.tmp-0123456789ab'), 'torn')
    const store = await openSampleStore(directory)
    expect(store.size).toBe(0)
    expect(store.rejected).toEqual([{ file: 'link.json', reason: 'it is a symbolic link' }])
    expect(await readdir(directory)).toEqual(['folder.json', 'link.json', 'notes.txt'])
  })

  test.each([
    ['.versions', '.versions` is a symbolic link, and those are not followed'],
    ['.versions/a', '`.versions/a` in the rules directory is a symbolic link, and those are not followed'],
  ])('a link at `%s` is not followed', async (place, message) => {
    const outside = await mkdtemp(join(tmpdir(), 'engine-outside-'))
    await writeFile(join(outside, 'v1_1.json'), sample('a', 'outside').text)
    await mkdir(join(directory, place, '..'), { recursive: true })
    await symlink(outside, join(directory, place))
    await writeFile(join(directory, 'a.json'), sample('a', '1').text)
    const failure = await openSampleStore(directory)
      .then((store) => store.put(sample('a', '2')))
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'disk', message: expect.stringContaining(message) })
    expect(await readdir(outside)).toEqual(['v1_1.json'])
    await rm(outside, { recursive: true })
  })

  test('every number of a document stays unchanged', async () => {
    const text = sample('a', '1').text.replace(
      '"message":"done"',
      '"message":"done","n":[1e400000,1]'.replace('1e400000', '123456789012345678901234567890'),
    )
    await writeFile(join(directory, 'a.json'), text)
    const store = await openSampleStore(directory)
    expect(store.get('a')?.text).toBe(text)
  })
})

/** A file system of 64 KiB, or one that is read-only; needs the right to mount. */
function mounted(options: string, use: (path: string) => Promise<void>): () => Promise<void> {
  return async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory])
    try {
      await use(directory)
    } finally {
      execFileSync('umount', [directory])
    }
  }
}

describe.runIf(canMount())('a real file system', () => {
  test(
    'that is full',
    mounted('size=64k', async (path) => {
      const store = await openSampleStore(path)
      await store.put(sample('a', '1'))
      await writeFile(join(path, 'filling'), Buffer.alloc(64 * 1024)).catch(() => undefined)
      await expect(store.put(sample('a', '2'))).rejects.toMatchObject({
        code: 'disk',
        message: expect.stringContaining('is full'),
      })
      expect(store.get('a')?.version).toBe('1')
      expect((await store.probe(1000)).ok).toBe(false)
      await rm(join(path, 'filling'))
      await store.put(sample('a', '2'))
      expect((await openSampleStore(path)).get('a')?.version).toBe('2')
    }),
  )

  test(
    'that cannot be written',
    mounted('size=1m', async (path) => {
      const store = await openSampleStore(path)
      await store.put(sample('a', '1'))
      execFileSync('mount', ['-o', 'remount,ro', path])
      await expect(store.put(sample('b', '1'))).rejects.toMatchObject({ message: expect.stringContaining('read-only') })
      await expect(store.delete('a')).rejects.toMatchObject({ message: expect.stringContaining('read-only') })
      expect(names(store)).toEqual(['a'])
      expect(await store.probe(1000)).toMatchObject({ ok: false, check: 'disk_writable' })
    }),
  )
})

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' })
    return process.getuid?.() === 0
  } catch {
    return false
  }
}
