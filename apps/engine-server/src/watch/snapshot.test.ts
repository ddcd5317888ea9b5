import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { snapshotIfThere, takeSnapshot, UNSETTLED } from './snapshot.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-snapshot-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const path = (file: string) => join(directory, file)

test('holds the rule files and nothing else', async () => {
  for (const file of ['a.json', 'b.yaml', 'c.yml', 'd.engine', 'e.txt', '.f.json', '.g.json.swp', 'h.json~', '4913'])
    await writeFile(path(file), '')
  await mkdir(path('i.json'))
  await symlink(path('a.json'), path('j.json'))
  expect([...(await takeSnapshot(directory)).keys()].sort()).toEqual([
    'a.json',
    'b.yaml',
    'c.yml',
    'd.engine',
    'j.json',
  ])
})

test('a file that changed just now is unsettled: it may change again without a sign', async () => {
  await writeFile(path('a.json'), '')
  expect((await takeSnapshot(directory)).get('a.json')).toBe(UNSETTLED)
})

test('a file that has settled has the same state until it changes', async () => {
  await writeFile(path('a.json'), 'one')
  await writeFile(path('b.json'), 'two')
  for (const file of ['a.json', 'b.json']) await utimes(path(file), 1, 1)
  await sleep(2100)
  const before = await takeSnapshot(directory)
  expect(await takeSnapshot(directory)).toEqual(before)
  expect(before.get('a.json')).not.toBe(UNSETTLED)
  await rename(path('b.json'), path('a.json'))
  expect((await takeSnapshot(directory)).get('a.json'), 'of the same size and time').not.toBe(before.get('a.json'))
})

test('a directory that does not exist yet is empty', async () => {
  expect((await snapshotIfThere(path('nothing'))).size).toBe(0)
  await expect(takeSnapshot(path('nothing'))).rejects.toMatchObject({ code: 'ENOENT' })
})
