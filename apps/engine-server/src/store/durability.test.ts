import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Disk, nodeDisk } from './disk.ts'
import { openSampleStore, sample } from './store.testing.ts'
import type { Store } from './store.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-order-'))
})

afterEach(() => rm(directory, { recursive: true }))

/** A file that is new in full, and closed. */
const written = (file: string) => ['create', 'write', 'sync', 'close'].map((step) => `${step} ${file}`)

const VERSION = '.v1_1795132800.json.tmp'
const NAMED_VERSION = [`rename ${VERSION} .versions/a/v1_1795132800.json`, 'syncDirectory .versions/a']
const FIRST_VERSION = [
  [...written(VERSION), ...NAMED_VERSION],
  [
    'makeDirectory .versions',
    'syncDirectory .',
    'makeDirectory .versions/a',
    'syncDirectory .versions',
    ...NAMED_VERSION,
  ],
]

describe('content is synced before it is named, a name before the next step, and the version before its replacement', () => {
  test.each<[what: string, change: (store: Store) => Promise<unknown>, orders: readonly (readonly string[])[]]>([
    [
      'an update, whose content is written while the version is saved',
      (store) => store.put(sample('a', '2')),
      [
        ...FIRST_VERSION,
        [...NAMED_VERSION, 'rename .a.json.tmp a.json', 'syncDirectory .'],
        [...written('.a.json.tmp'), 'rename .a.json.tmp a.json'],
      ],
    ],
    [
      'a deletion',
      (store) => store.delete('a'),
      [...FIRST_VERSION, [...NAMED_VERSION, 'rename a.json .a.json.tmp', 'syncDirectory .', 'unlink .a.json.tmp']],
    ],
    [
      'a new one in the place of a file that was not served, which stays until the new one is whole',
      (store) => store.put(sample('torn', '1')),
      [
        [
          ...written('.torn.json.tmp'),
          'rename torn.json torn.json.set-aside',
          'rename .torn.json.tmp torn.json',
          'syncDirectory .',
        ],
      ],
    ],
  ])('%s', async (_what, change, orders) => {
    await writeFile(join(directory, 'torn.json'), '{"con')
    const steps: string[] = []
    const store = await openSampleStore(directory, recordingDisk(steps))
    await store.put(sample('a', '1'))
    steps.length = 0
    await change(store)
    const changes = steps.filter((step) => !LOOK.test(step))
    expect(new Set(changes)).toEqual(new Set(orders.flat()))
    for (const order of orders) expect(inOrder(changes, order)).toEqual(order)
  })
})

/** The longest beginning of `order` that occurs in `steps`, other steps in between. */
function inOrder(steps: readonly string[], order: readonly string[]): readonly string[] {
  let from = 0
  const missing = order.findIndex((step) => {
    from = steps.indexOf(step, from) + 1
    return from === 0
  })
  return missing < 0 ? order : order.slice(0, missing)
}

test('on the real disk each of these is a system call, and a short write is continued', async () => {
  const probe = await open(join(directory, 'probe'), 'w')
  const handles = Object.getPrototypeOf(probe) as typeof probe
  await probe.close()
  const sync = vi.spyOn(handles, 'sync')
  const whole = handles.write as (bytes: Uint8Array, offset: number, length: number, at: null) => Promise<unknown>
  const write = vi.spyOn(handles, 'write').mockImplementation(function (
    this: FileHandle,
    bytes: Uint8Array,
    offset: number,
    length: number,
  ) {
    return whole.call(this, bytes, offset, Math.min(length, 100), null)
  } as never)
  onTestFinished(() => void vi.restoreAllMocks())
  const store = await openSampleStore(directory)
  const syncs = async (change: Promise<unknown>) => {
    sync.mockClear()
    await change
    return sync.mock.calls.length
  }
  // The file and its directory; with the version and its two directories; with the version.
  expect(await syncs(store.put(sample('a', '1')))).toBe(2)
  expect(await syncs(store.put(sample('a', '2')))).toBe(2 + 4)
  expect(await syncs(store.put(sample('a', '3')))).toBe(2 + 2)
  expect(await syncs(store.delete('a'))).toBe(1 + 2)
  expect(write.mock.calls.length).toBeGreaterThan(10)
  await store.put(sample('a', '4'))
  const again = await openSampleStore(directory)
  expect(again.get('a')?.text).toBe(sample('a', '4').text)
  expect((await again.version('a', 3))?.text).toBe(sample('a', '3').text)
})

test('a rules directory created with its parents is durable before anything is stored in it', async () => {
  const steps: string[] = []
  await openSampleStore(join(directory, 'b', 'c'), recordingDisk(steps))
  expect(steps.filter((step) => !LOOK.test(step))).toEqual([
    'makeDirectory b',
    'syncDirectory .',
    'makeDirectory b/c',
    'syncDirectory b',
  ])
})

/** Steps that change nothing. */
const LOOK = /^(kind|list) /

/** The real disk; lists every step when it starts, and a sync when it has ended, with paths from the test's directory on. */
function recordingDisk(steps: string[]): Disk {
  const record = (what: string, ...paths: readonly string[]) => {
    const names = paths.map((path) => (relative(directory, path) || '.').replace(/(tmp|set-aside)-\w+$/, '$1'))
    steps.push([what, ...names].join(' '))
  }
  const recorded =
    <T>(what: string, run: (path: string, ...others: never[]) => Promise<T>) =>
    (path: string, ...others: never[]) => {
      record(what, path)
      return run(path, ...others)
    }
  return {
    ...nodeDisk,
    list: recorded('list', nodeDisk.list),
    kind: recorded('kind', nodeDisk.kind),
    unlink: recorded('unlink', nodeDisk.unlink),
    makeDirectory: (path, mode) => (record('makeDirectory', path), nodeDisk.makeDirectory(path, mode)),
    rename: (from, to) => (record('rename', from, to), nodeDisk.rename(from, to)),
    async syncDirectory(path) {
      await nodeDisk.syncDirectory(path)
      record('syncDirectory', path)
    },
    async create(path, mode) {
      record('create', path)
      const file = await nodeDisk.create(path, mode)
      return {
        write: (bytes) => (record('write', path), file.write(bytes)),
        async sync() {
          await file.sync()
          record('sync', path)
        },
        close: () => (record('close', path), file.close()),
      }
    },
  }
}
