import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Disk, nodeDisk } from './disk.ts'
import type { Store } from './store.ts'
import { openSampleStore, sample } from './store.testing.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-deleted-'))
})
afterEach(() => rm(directory, { recursive: true }))

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapBytes(): number {
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

const NAMES = 150
const ROUNDS = 4
/** A map entry with its key and a list of one version takes more than 400. */
const MAX_BYTES_A_NAME = 200

/** Syncing takes most of the time, and the test needs no durability. */
const disk: Disk = {
  ...nodeDisk,
  create: async (path, mode) => ({ ...(await nodeDisk.create(path, mode)), sync: async () => undefined }),
  syncDirectory: async () => undefined,
}

test.each<[way: string, remove: (store: Store, name: string) => Promise<unknown>]>([
  ['deleted', (store, name) => store.delete(name)],
  [
    'removed with their files',
    async (store, name) => {
      await rm(join(directory, `${name}.json`))
      await store.refresh(name)
    },
  ],
])('names that were stored and %s take no memory', async (_way, remove) => {
  const store = await openSampleStore(directory, disk, 3)
  const round = async (from: number) => {
    for (let number = from; number < from + NAMES; number++) {
      const name = `name-${number}`
      await store.put(sample(name, '1'))
      await store.put(sample(name, '2'))
      await remove(store, name)
    }
    return heapBytes()
  }
  const heaps: number[] = []
  for (let number = 0; number < ROUNDS; number++) heaps.push(await round(number * NAMES))
  // Compiled code and caches grow in some rounds, kept names in each.
  const growth = heaps.slice(1).map((heap, index) => (heap - (heaps[index] ?? 0)) / NAMES)
  expect(Math.min(...growth)).toBeLessThan(MAX_BYTES_A_NAME)
})
