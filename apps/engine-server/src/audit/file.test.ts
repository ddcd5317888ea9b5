import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { appendLines, writeOrTakeBack } from './file.ts'

let directory: string
const path = () => join(directory, 'audit.jsonl')

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-audit-file-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

describe('partially written lines', () => {
  /** Writes the first bytes, then something happens, then the disk is full. */
  async function partlyWritten(meanwhile: () => void): Promise<string> {
    const file = await open(path(), 'a+')
    try {
      const full: Pick<FileHandle, 'write' | 'stat' | 'truncate' | 'sync'> = {
        write: (async (bytes: Uint8Array, offset: number) => {
          if (offset > 0) {
            meanwhile()
            throw new Error('ENOSPC')
          }
          return file.write(bytes, 0, 4)
        }) as unknown as FileHandle['write'],
        stat: file.stat.bind(file),
        truncate: file.truncate.bind(file),
        sync: file.sync.bind(file),
      }
      const { size } = await file.stat()
      await expect(writeOrTakeBack(full, size, Buffer.from('{"event":"new"}\n'), true)).rejects.toThrow('ENOSPC')
    } finally {
      await file.close()
    }
    return readFileSync(path(), 'utf8')
  }

  test('are removed', async () => {
    await appendLines(path(), '{"event":"old"}\n', false)
    expect(await partlyWritten(() => {})).toBe('{"event":"old"}\n')
  })

  test('stay when another process has written after them: its lines would be lost', async () => {
    await appendLines(path(), '{"event":"old"}\n', false)
    expect(await partlyWritten(() => appendFileSync(path(), '{"event":"theirs"}\n'))).toBe(
      '{"event":"old"}\n{"ev{"event":"theirs"}\n',
    )
  })
})

test.each([
  [true, 3],
  [false, 1],
])('durable %s: file, its entry in a new folder and that folder are synced', async (isDurable, syncs) => {
  const probe = await open(directory)
  const sync = vi.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'sync')
  await probe.close()
  try {
    await appendLines(join(directory, 'tenant', 'audit.jsonl'), '{}\n', isDurable)
    expect(sync).toHaveBeenCalledTimes(syncs)
    sync.mockClear()
    await appendLines(join(directory, 'tenant', 'audit.jsonl'), '{}\n', isDurable)
    expect(sync).toHaveBeenCalledTimes(isDurable ? 1 : 0)
  } finally {
    sync.mockRestore()
  }
})

test('other users can neither read the file nor list the folder of a tenant', async () => {
  const file = join(directory, 'tenant', 'audit.jsonl')
  await appendLines(file, '{}\n', false)
  for (const created of [file, dirname(file)]) expect(statSync(created).mode & 0o007).toBe(0)
})
