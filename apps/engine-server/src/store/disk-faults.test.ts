import { spawnSync } from 'node:child_process'
import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Disk, nodeDisk } from './disk.ts'
import { failingDisk, filesIn, openSampleStore, sample } from './store.testing.ts'
import type { Store } from './store.ts'

let directory: string
let prepared: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-faults-'))
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

const YAML =
  'config: {name: y, entry_step: end, version: "1"}\nsteps:\n  end: {id: end, type: terminal, result: {code: OK, message: ""}}\n'

/** Present before each write: `a` with one version, `y` from YAML, a JSON file that hides a YAML one, a torn one. */
beforeAll(async () => {
  prepared = await mkdtemp(join(tmpdir(), 'engine-faults-'))
  const store = await openSampleStore(prepared)
  for (const version of ['1', '2']) await store.put(sample('a', version))
  await store.put(sample('both', '1'))
  await writeFile(join(prepared, 'y.yaml'), YAML)
  await writeFile(join(prepared, 'both.yaml'), YAML.replace('name: y', 'name: both'))
  await writeFile(join(prepared, 'torn.json'), '{"config": {"na')
})

afterAll(() => rm(prepared, { recursive: true }))

async function openPrepared(path: string, disk: Disk = nodeDisk): Promise<Store> {
  await cp(prepared, path, { recursive: true })
  return openSampleStore(path, disk)
}

type Write = readonly [what: string, name: string, write: (store: Store) => Promise<unknown>]

const WRITES: readonly Write[] = [
  ['create', 'new', (store) => store.put(sample('new', '1'))],
  ['create in place of a file that is not a ruleset', 'torn', (store) => store.put(sample('torn', '1'))],
  ['update', 'a', (store) => store.put(sample('a', '3'))],
  ['the first update', 'both', (store) => store.put(sample('both', '2'))],
  ['update of a ruleset from YAML', 'y', (store) => store.put(sample('y', '2'))],
  ['replace', 'a', (store) => store.replace(sample('a', '1'))],
  ['delete', 'a', (store) => store.delete('a')],
  ['delete of a ruleset from YAML', 'y', (store) => store.delete('y')],
  ['delete of a ruleset that hides a YAML file', 'both', (store) => store.delete('both')],
]

const texts = (store: Store) => Object.fromEntries(Array.from(store.list(), ({ name, text }) => [name, text]))

async function versionsOf(store: Store): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {}
  for (const name of ['a', 'both', 'new', 'torn', 'y']) {
    found[name] = (await store.versions(name)).map(({ seq, version }) => `${seq} ${version}`)
  }
  return found
}

/** Run `attempt` with the n-th step failing, for each n until one run needs no more than n - 1 steps. */
async function atEachStep(
  attempt: (n: number, path: string) => Promise<'failed' | 'survived' | 'over'>,
): Promise<void> {
  let failures = 0
  for (let n = 1; ; n++) {
    const ended = await attempt(n, join(directory, String(n)))
    if (ended === 'over') break
    if (ended === 'failed') failures++
  }
  expect(failures, 'a write takes steps that matter').toBeGreaterThan(2)
}

const failureOf = (write: Promise<unknown>): Promise<Error | undefined> =>
  write.then(
    () => undefined,
    (error: unknown) => error as Error,
  )

/** One error at every write, the others at one of them: the errors differ in their words only. */
const FAULTS: readonly (readonly [code: string, words: string, writes: readonly Write[]])[] = [
  ['ENOSPC', 'the disk that holds the rules directory is full', WRITES],
  ['EIO', 'the disk that holds the rules directory reports an input/output error', WRITES.slice(2, 3)],
  ['EACCES', 'the server has no permission to write into the rules directory', WRITES.slice(2, 3)],
]

describe.each(FAULTS)('%s once, at any step', (code, words, writes) => {
  test.each(writes)(
    'of %s (`%s`): a clear error, memory and disk as before, and the next attempt works',
    (_what, name, write) =>
      atEachStep(async (n, path) => {
        const disk = failingDisk()
        const store = await openPrepared(path, disk)
        const [held, files, versions] = [
          texts(store),
          await filesIn(path),
          await versionsOf(await openSampleStore(path)),
        ]
        disk.failAt(n, code)
        const failure = await failureOf(write(store))
        disk.failAt(0)
        if (failure !== undefined) {
          expect(failure).toMatchObject({
            code: 'disk',
            message: expect.stringMatching(`^\`${name}\` was not (stored|deleted): `),
          })
          expect(failure?.message).toContain(words)
          expect(texts(store), `step ${n}`).toEqual(held)
          expect(inPlace(await filesIn(path)), `step ${n}`).toEqual(inPlace(files))
          expect(await versionsOf(store)).toEqual(versions)
          await write(store)
        }
        const again = await openSampleStore(path)
        expect(texts(again), `step ${n}`).toEqual(texts(store))
        expect(await versionsOf(again)).toEqual(await versionsOf(store))
        return failure !== undefined ? 'failed' : disk.hasFailed ? 'survived' : 'over'
      }),
  )
})

/** A renamed file keeps its content. */
function inPlace(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace(/\.set-aside-\w+$/, ''), text]))
}

describe('EIO from any step on', () => {
  test.each(WRITES)(
    'of %s (`%s`): the served content is the one that a restart finds, and nothing old is lost',
    (_what, name, write) =>
      atEachStep(async (n, path) => {
        const disk = failingDisk()
        const store = await openPrepared(path, disk)
        const before = store.get(name)
        disk.failAt(n, 'EIO', true)
        const failure = await failureOf(write(store))
        disk.failAt(0)
        const again = await openSampleStore(path)
        expect(texts(again), `step ${n}`).toEqual(texts(store))
        expect(await versionsOf(again)).toEqual(await versionsOf(store))
        if (failure !== undefined) expect(failure).toMatchObject({ code: 'disk' })
        if (failure !== undefined && before !== undefined && store.get(name) !== before) {
          // Either the message says so, or the change is the requested deletion.
          expect(failure?.message).toMatch(/was (stored|deleted), but a power failure may undo that/)
          const contents = await Promise.all((await again.versions(name)).map(({ seq }) => again.version(name, seq)))
          if (store.get(name) !== undefined) expect(contents.map((content) => content?.text)).toContain(before.text)
        }
        return failure !== undefined ? 'failed' : disk.hasFailed ? 'survived' : 'over'
      }),
  )
})

describe('a process that ends at any step', () => {
  test.each(WRITES)('of %s (`%s`): the next start finds the old or the new state whole', async (_what, name, write) => {
    const unharmed = await openPrepared(join(directory, 'unharmed'))
    const { [name]: before, ...others } = texts(unharmed)
    const versions = (await versionsOf(unharmed))[name] ?? []
    const rejected = new Set(unharmed.rejected.map(({ file }) => file)).add(`${name}.yaml`)
    await write(unharmed)
    const after = unharmed.get(name)?.text
    await atEachStep(async (n, path) => {
      const disk = failingDisk()
      const store = await openPrepared(path, disk)
      // From this step on nothing reaches the disk: the current state is what the process leaves behind.
      disk.failAt(n, 'EIO', true)
      await failureOf(write(store))
      const again = await openSampleStore(path)
      const { [name]: found, ...othersFound } = texts(again)
      expect(othersFound).toEqual(others)
      expect([before, after]).toContain(found)
      expect(again.rejected.filter(({ file }) => !rejected.has(file))).toEqual([])
      const versionsFound = (await versionsOf(again))[name] ?? []
      expect(versionsFound.slice(versionsFound.length - versions.length)).toEqual(versions)
      // At most one copy of the still current content.
      expect(versionsFound.length - versions.length).toBeLessThanOrEqual(1)
      return disk.hasFailed ? 'failed' : 'over'
    })
  })
})

describe('reading versions', () => {
  test.each([
    ['list', (store: Store) => store.versions('a')],
    ['read', (store: Store) => store.version('a', 1)],
  ])('a disk error is reported when they are %s, not a missing version', async (_what, read) => {
    const disk = failingDisk()
    const store = await openPrepared(directory, disk)
    disk.failAt(1, 'EMFILE')
    await expect(read(store)).rejects.toMatchObject({
      code: 'disk',
      message: expect.stringContaining('too many open files'),
    })
    expect(await read(store)).toBeTruthy()
  })
})

test('a real directory without write permission: writes are refused, stored rulesets are served', async () => {
  await chmod(directory, 0o755)
  const store = await openSampleStore(join(directory, 'rules'))
  await store.put(sample('a', '1'))
  await chmod(join(directory, 'rules'), 0o555)
  await chmod(join(directory, 'rules', 'a.json'), 0o444)
  // Permissions do not apply to root, so the store runs as the user `nobody`.
  const isRoot = process.getuid?.() === 0
  const child = spawnSync(
    process.execPath,
    [new URL('denied-writer.testing.ts', import.meta.url).pathname, join(directory, 'rules')],
    { encoding: 'utf8', ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}) },
  )
  await chmod(join(directory, 'rules'), 0o755)
  expect(child.stderr).toBe('')
  const denied = 'the server has no permission to write into the rules directory'
  expect(JSON.parse(child.stdout)).toEqual({
    put: `\`b\` was not stored: ${denied}`,
    delete: `\`a\` was not deleted: ${denied}`,
    served: ['a'],
    probe: { ok: false, check: 'disk_writable', reason: denied },
  })
})
