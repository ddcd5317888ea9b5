import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Disk, nodeDisk } from './disk.ts'
import { openSampleStore, sample } from './store.testing.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-order-'))
})

afterEach(() => rm(directory, { recursive: true }))

test('content is synced before it is named, a name before the next step, and the version before the new content', async () => {
  const steps: string[] = []
  const store = await openSampleStore(directory, recordingDisk(steps))
  await store.put(sample('both', '1'))
  steps.length = 0
  await store.put(sample('both', '2'))
  expect(steps).toEqual([
    'list .versions/both',
    'create .v1_1795132800.json.tmp',
    'write',
    'sync',
    'close',
    'makeDirectory .versions/both',
    'syncDirectory .versions',
    'syncDirectory .',
    'rename .v1_1795132800.json.tmp .versions/both/v1_1795132800.json',
    'syncDirectory .versions/both',
    'create .both.json.tmp',
    'write',
    'sync',
    'close',
    'rename .both.json.tmp both.json',
    'syncDirectory .',
  ])
})

test('a rules directory that is made with its parents is durable before anything is stored in it', async () => {
  const steps: string[] = []
  await openSampleStore(join(directory, 'b', 'c'), recordingDisk(steps))
  expect(steps.filter((step) => !step.startsWith('kind'))).toEqual([
    'makeDirectory b/c',
    'syncDirectory b',
    'syncDirectory .',
    'list b/c',
  ])
})

/** The real disk; puts every step on the list, paths from the test's directory on. */
function recordingDisk(steps: string[]): Disk {
  const said = (what: string, ...paths: readonly string[]) => {
    const names = paths.map((path) => (relative(directory, path) || '.').replace(/tmp-\w+$/, 'tmp'))
    steps.push([what, ...names].join(' '))
  }
  const told =
    <T>(what: string, run: (path: string, ...others: never[]) => Promise<T>) =>
    (path: string, ...others: never[]) => {
      said(what, path)
      return run(path, ...others)
    }
  return {
    ...nodeDisk,
    list: told('list', nodeDisk.list),
    kind: told('kind', nodeDisk.kind),
    unlink: told('unlink', nodeDisk.unlink),
    syncDirectory: told('syncDirectory', nodeDisk.syncDirectory),
    makeDirectory: (path, mode) => (said('makeDirectory', path), nodeDisk.makeDirectory(path, mode)),
    rename: (from, to) => (said('rename', from, to), nodeDisk.rename(from, to)),
    async create(path, mode) {
      said('create', path)
      const file = await nodeDisk.create(path, mode)
      return {
        write: (bytes) => (said('write'), file.write(bytes)),
        sync: () => (said('sync'), file.sync()),
        close: () => (said('close'), file.close()),
      }
    },
  }
}
