import { constants } from 'node:fs'
import { dirname } from 'node:path'
import { createDiskWriter, type FileSystem, isMissing, type OpenFile, pooledFileSystem } from '../store/disk.ts'

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
export async function appendLines(
  path: string,
  text: string,
  isDurable: boolean,
  system: FileSystem = pooledFileSystem,
): Promise<void> {
  const file = await opened(path, system)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.from(`${(await isTorn(file, size)) ? '\n' : ''}${text}`)
    await writeOrTakeBack(file, size, bytes, isDurable)
    if (isDurable && size === 0) await createDiskWriter(system).syncDirectory(dirname(path))
  } finally {
    await file.close()
  }
}

/** The folder of a new tenant may be missing. */
async function opened(path: string, system: FileSystem): Promise<OpenFile> {
  try {
    return await system.open(path, 'a+', MODE)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    const directory = dirname(path)
    await system.mkdir(directory, { mode: 0o750 })
    await createDiskWriter(system).syncDirectory(dirname(directory))
    return system.open(path, 'a+', MODE)
  }
}

async function isTorn(file: OpenFile, size: number): Promise<boolean> {
  if (size === 0) return false
  const last = Buffer.alloc(1)
  await file.read(last, 0, 1, size - 1)
  return last[0] !== NEWLINE
}

/** @internal */
export async function writeOrTakeBack(
  file: Pick<OpenFile, 'write' | 'stat' | 'truncate' | 'sync'>,
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

/** Disk space that must be free before a change is made: room for the events of changes in progress. */
const MIN_FREE_BYTES = 64 * 1024

/**
 * The error of a full or read-only disk, as far as it can be detected without a write; undefined if none is detected.
 */
export async function findDirectoryFault(directory: string, system: FileSystem = pooledFileSystem): Promise<unknown> {
  try {
    await system.access(directory, constants.W_OK)
    const { bavail, bsize } = await system.statfs(directory)
    return bavail * bsize < MIN_FREE_BYTES ? Object.assign(new Error('no space left'), { code: 'ENOSPC' }) : undefined
  } catch (cause) {
    // The next event recreates a missing directory.
    return isMissing(cause) ? undefined : cause
  }
}
