import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendLines, findDirectoryFault } from '../audit/file.ts'
import { createDiskWriter, type DiskWriter, type FileSystem, pooledFileSystem } from '../store/disk.ts'
import { synchronousFileSystem } from './synchronous-file-system.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-disk-'))
  mkdirSync(join(directory, 'folder'))
  writeFileSync(join(directory, 'file'), 'old')
  symlinkSync('file', join(directory, 'link'))
})
afterEach(() => rmSync(directory, { recursive: true }))

type Step = readonly [what: string, step: (disk: DiskWriter, path: (name: string) => string) => Promise<unknown>]

/** Each step with its result, or the code of its error, and the entries of the directory after it. */
const STEPS: readonly (readonly [...Step, result: unknown, left: string])[] = [
  ['the kind of a file', (disk, path) => disk.kind(path('file')), 'file', 'file folder link'],
  ['the kind of a directory', (disk, path) => disk.kind(path('folder')), 'directory', 'file folder link'],
  ['the kind of a link', (disk, path) => disk.kind(path('link')), 'link', 'file folder link'],
  ['the kind of nothing', (disk, path) => disk.kind(path('none')), 'absent', 'file folder link'],
  ['the kind of an entry of a file', (disk, path) => disk.kind(path('file/x')), 'ENOTDIR', 'file folder link'],
  ['rename', (disk, path) => disk.rename(path('file'), path('new')), undefined, 'folder link new'],
  ['rename of nothing', (disk, path) => disk.rename(path('none'), path('new')), 'ENOENT', 'file folder link'],
  ['unlink', (disk, path) => disk.unlink(path('link')), undefined, 'file folder'],
  ['unlink of nothing', (disk, path) => disk.unlink(path('none')), 'ENOENT', 'file folder link'],
  ['a new directory', (disk, path) => disk.makeDirectory(path('new'), 0o750), undefined, 'file folder link new'],
  ['a directory that exists', (disk, path) => disk.makeDirectory(path('folder'), 0o750), undefined, 'file folder link'],
  ['a directory in nothing', (disk, path) => disk.makeDirectory(path('a/b'), 0o750), 'ENOENT', 'file folder link'],
  ['sync of a directory', (disk, path) => disk.syncDirectory(path('folder')), undefined, 'file folder link'],
  ['sync of a file as a directory', (disk, path) => disk.syncDirectory(path('file')), 'ENOTDIR', 'file folder link'],
  ['creation of a file that exists', (disk, path) => disk.create(path('file'), 0o640), 'EEXIST', 'file folder link'],
]

describe.each<[name: string, system: FileSystem]>([
  ['in the pool', pooledFileSystem],
  ['on this thread', synchronousFileSystem],
])('steps %s', (_name, system) => {
  const path = (name: string) => join(directory, name)

  test.each(STEPS)('%s', async (_what, step, result, left) => {
    const outcome = await step(createDiskWriter(system), path).catch((error: NodeJS.ErrnoException) => error.code)
    expect(outcome).toEqual(result)
    expect(readdirSync(directory).join(' ')).toBe(left)
    expect(readFileSync(path(left.includes('new') && !left.includes('file') ? 'new' : 'file'), 'utf8')).toBe('old')
  })

  test('a new file has all bytes of its writes, in their order', async () => {
    const file = await createDiskWriter(system).create(path('new'), 0o640)
    await file.write(Buffer.from('one, '))
    await file.write(Buffer.from('two'))
    await file.sync()
    await file.close()
    expect(readFileSync(path('new'), 'utf8')).toBe('one, two')
    await expect(file.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'EBADF' })
  })

  test('lines are appended, after a newline when the last one is torn', async () => {
    await appendLines(path('log'), 'a\n', true, system)
    await appendLines(path('log'), 'b', false, system)
    await appendLines(path('log'), 'c\n', true, system)
    expect(readFileSync(path('log'), 'utf8')).toBe('a\nb\nc\n')
  })

  test('the missing directory of a log is created', async () => {
    await appendLines(path('logs/log'), 'a\n', true, system)
    expect(readFileSync(path('logs/log'), 'utf8')).toBe('a\n')
  })

  test('a directory has a fault when it cannot be used, and none when it is missing', async () => {
    expect(await findDirectoryFault(directory, system)).toBeUndefined()
    expect(await findDirectoryFault(path('none'), system)).toBeUndefined()
    expect(await findDirectoryFault(path('file/x'), system)).toMatchObject({ code: 'ENOTDIR' })
    expect(await findDirectoryFault('/proc/self', system)).toMatchObject({
      code: expect.stringMatching(/^(?:ENOSPC|EACCES|EPERM|EROFS)$/),
    })
  })
})
