import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isMissing, nodeDisk } from '../store/disk.ts'

/** Events may contain inputs: other users get no access. */
const MODE = 0o640

const NEWLINE = 0x0a

/**
 * Appends complete lines to a file, which is created if necessary. If a write fails, usually because of a full disk,
 * partially written lines are removed; after a crash within a line, the next line starts on its own. Rejects with the
 * system's error.
 *
 * @param isDurable the promise resolves when the lines and the file's directory entry are on disk
 */
export async function appendLines(path: string, text: string, isDurable: boolean): Promise<void> {
  const file = await opened(path)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.from(`${(await isTorn(file, size)) ? '\n' : ''}${text}`)
    await writeOrTakeBack(file, size, bytes, isDurable)
    if (isDurable && size === 0) await nodeDisk.syncDirectory(dirname(path))
  } finally {
    await file.close()
  }
}

/** The folder of a new tenant may be missing. */
async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a+', MODE)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    const directory = dirname(path)
    await mkdir(directory, { mode: 0o750 })
    await nodeDisk.syncDirectory(dirname(directory))
    return open(path, 'a+', MODE)
  }
}

async function isTorn(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== NEWLINE
}

/** @internal */
export async function writeOrTakeBack(
  file: Pick<FileHandle, 'write' | 'stat' | 'truncate' | 'sync'>,
  size: number,
  bytes: Uint8Array,
  isDurable: boolean,
): Promise<void> {
  let written = 0
  try {
    while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten
    if (isDurable) await file.sync()
  } catch (cause) {
    // Skipped if another process has written meanwhile: its lines must stay.
    if ((await file.stat()).size === size + written) await file.truncate(size)
    throw cause
  }
}
