import { open, type FileHandle } from 'node:fs/promises'

/** Events may hold inputs: nothing for others. */
const MODE = 0o640

const NEWLINE = 0x0a

/**
 * Append whole lines to a file, which is made when it is not there. When it fails, for a full disk mostly, what was
 * written of them is taken away again; when a process was ended in the middle of a line, the next line begins on its own.
 * Rejects with the system's error.
 */
export async function appendLines(path: string, text: string): Promise<void> {
  const file = await open(path, 'a+', MODE)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.from(`${(await isTorn(file, size)) ? '\n' : ''}${text}`)
    await writeOrTakeBack(file, size, bytes)
  } finally {
    await file.close()
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
