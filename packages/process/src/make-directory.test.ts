import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeDirectory } from './make-directory.ts'

const scratch = mkdtempSync(join(tmpdir(), 'make-directory-'))
const at = (...names: readonly string[]) => join(scratch, ...names)

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

test('it creates a directory with its parents, each with the mode, and accepts an existing one', async () => {
  await makeDirectory(at('a', 'b', 'c'), 0o750)
  for (const names of [['a'], ['a', 'b'], ['a', 'b', 'c']]) expect(statSync(at(...names)).mode & 0o777).toBe(0o750)
  await makeDirectory(at('a', 'b', 'c'), 0o750)
})

test('two processes that create the same directory concurrently both succeed', async () => {
  await Promise.all(Array.from({ length: 20 }, () => makeDirectory(at('same', 'x', 'y'), 0o750)))
  expect(statSync(at('same', 'x', 'y')).isDirectory()).toBe(true)
})

test('a link to a directory counts as one', async () => {
  symlinkSync(scratch, at('link'))
  await makeDirectory(at('link'), 0o750)
  await makeDirectory(at('link', 'inside'), 0o750)
  expect(statSync(at('inside')).isDirectory()).toBe(true)
})

test.each([
  // The parent exists but rejects new entries: Node's recursive `mkdir` would retry forever.
  ...(process.platform === 'linux'
    ? ([
        ['/proc/x', 'ENOENT'],
        ['/proc/x/y/z', 'ENOENT'],
      ] as const)
    : []),
  ['file', 'EEXIST'],
  ['file/x', 'ENOTDIR'],
  ['file/x/y', 'ENOTDIR'],
  ['dangling', 'EEXIST'],
] as const)('%s cannot be created: %s', async (name, code) => {
  writeFileSync(at('file'), '')
  rmSync(at('dangling'), { force: true })
  symlinkSync(at('nowhere', 'else'), at('dangling'))
  const path = name.startsWith('/') ? name : at(name)
  await expect(makeDirectory(path, 0o750)).rejects.toMatchObject({ code })
})
