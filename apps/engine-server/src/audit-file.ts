import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isMissing } from './store/disk.ts'

/** Events may hold inputs: nothing for others. */
const MODE = 0o640

const NEWLINE = 0x0a

/**
 * Append whole lines to a file, which is made when it is not there. When it fails, for a full disk mostly, what was
 * written of them is taken away again; when a process was ended in the middle of a line, the next line begins on its own.
 * Rejects with the system's error.
 */
export async function appendLines(path: string, text: string): Promise<void> {
  const file = await opened(path)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.from(`${(await isTorn(file, size)) ? '\n' : ''}${text}`)
    await writeOrTakeBack(file, size, bytes)
  } finally {
    await file.close()
  }
}

/** Of a tenant that is new the folder may be missing. */
async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a+', MODE)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    await mkdir(dirname(path), { mode: 0o750 })
    return open(path, 'a+', MODE)
  }
}

async function isTorn(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== NEWLINE
}

async function writeOrTakeBack(file: FileHandle, size: number, bytes: Uint8Array): Promise<void> {
  let written = 0
  try {
    while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten
  } catch (cause) {
    // Not when another process has written meanwhile: those lines are not ours to take.
    if ((await file.stat()).size === size + written) await file.truncate(size)
    throw cause
  }
}
