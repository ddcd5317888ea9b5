import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failingDisk, openSampleStore, sample } from './store.testing.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-probe-'))
})

afterEach(() => rm(directory, { recursive: true }))

test('fails while the disk does, and names the cause', async () => {
  const disk = failingDisk()
  const store = await openSampleStore(directory, disk)
  disk.failAt(1, 'EROFS', true)
  const reason = 'the rules directory is on a read-only file system'
  expect(await store.probe(1000)).toEqual({ ok: false, check: 'disk_writable', reason })
  disk.failAt(0)
  expect(await store.probe(1000)).toEqual({ ok: true })
})

test('one probe at a time waits for a disk that hangs', async () => {
  const disk = failingDisk()
  let created = 0
  const hanging = { ...disk, create: () => (created++, new Promise<never>(() => undefined)) }
  const store = await openSampleStore(directory, hanging)
  const probes = await Promise.all([1, 2, 3].map(() => store.probe(30)))
  expect(probes).toEqual(
    [1, 2, 3].map(() => ({ ok: false, check: 'disk_writable', reason: 'the disk did not answer within 30 ms' })),
  )
  expect(created).toBe(1)
})

test('fails when writes hang in every place, and recovers with them', async () => {
  const disk = failingDisk()
  const gates: (() => void)[] = []
  const slow = {
    ...disk,
    create: async (path: string, mode: number) => (
      await new Promise<void>((resolve) => gates.push(resolve)),
      disk.create(path, mode)
    ),
  }
  const store = await openSampleStore(directory, slow)
  const writes = Array.from({ length: 16 }, (_, index) => store.put(sample(`r${index}`, '1')))
  expect(await store.probe(30)).toEqual({
    ok: false,
    check: 'store_lock',
    reason: 'the store gave no turn within 30 ms',
  })
  for (const open of gates.splice(0)) open()
  await Promise.all(writes)
  expect(store.size).toBe(16)
})
