import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { type Disk, type Entry, isMissing } from './disk.ts'
import { notOurDirectory } from './errors.ts'

/** Rule files may hold secrets (addresses with credentials): other users get no access. */
const FILE_MODE = 0o640
const DIRECTORY_MODE = 0o750

/** Names of temporary files: hidden, and never the name of a ruleset, because those do not start with a dot. */
const TEMPORARY = /^\..+\.tmp-[0-9a-f]{12}$/

/** The lock files of a rules directory: the lock itself, and its owner. */
export const LOCK = '.lock'
export const LOCK_OWNER = '.owner'

/** The file that the readiness probe writes and removes (specification 4.4). */
export const PROBE = '.health_probe'

/** True if a file in the rules directory is a temporary file of the store, left by a crash. */
export function isTemporary(file: string): boolean {
  return TEMPORARY.test(file)
}

/**
 * A temporary path for content that is moved to or from `file`. It is always directly in the rules directory, also for
 * versions, so that one listing at start finds every leftover.
 */
export function temporaryPath(root: string, file: string): string {
  return join(root, `.${file}.tmp-${randomBytes(6).toString('hex')}`)
}

/** Writes text to a new temporary file and syncs it. On failure the file is removed, if the disk permits. */
export async function writeTemporary(disk: Disk, root: string, file: string, text: string): Promise<string> {
  const path = temporaryPath(root, file)
  try {
    await writeNew(disk, path, text)
  } catch (cause) {
    await attempt(() => disk.unlink(path))
    throw cause
  }
  return path
}

/** Writes text to a file that must not exist yet, and syncs it. On failure a partial file may remain. */
async function writeNew(disk: Disk, path: string, text: string): Promise<void> {
  const file = await disk.create(path, FILE_MODE)
  try {
    await file.write(Buffer.from(text))
    await file.sync()
  } catch (cause) {
    await attempt(() => file.close())
    throw cause
  }
  await file.close()
}

/**
 * Renames a synced temporary file to its final path and makes the rename durable. On failure the temporary file is
 * removed.
 */
export async function moveDurably(disk: Disk, temporary: string, path: string): Promise<void> {
  try {
    await disk.rename(temporary, path)
    await disk.syncDirectory(dirname(path))
  } catch (cause) {
    await attempt(() => disk.unlink(temporary))
    throw cause
  }
}

/** True if the path exists; links are not followed. */
export async function isThere(disk: Disk, path: string): Promise<boolean> {
  return (await disk.kind(path)) !== 'absent'
}

/** True if the path is a directory or a link to one; false if the check fails. */
export async function isDirectory(disk: Disk, path: string): Promise<boolean> {
  try {
    // `/.` makes the system follow a link.
    return (await disk.kind(`${path}/.`)) === 'directory'
  } catch {
    return false
  }
}

/**
 * Creates a directory and its missing parents durably: otherwise a power failure could remove the directory with
 * everything that was acknowledged in it.
 */
export async function makeDirectoryDurably(disk: Disk, path: string): Promise<void> {
  const missing: string[] = []
  for (let at = resolve(path); !(await isThere(disk, at)); at = dirname(at)) missing.push(at)
  for (const made of missing.toReversed()) {
    await disk.makeDirectory(made, DIRECTORY_MODE)
    await disk.syncDirectory(dirname(made))
  }
}

/**
 * Creates a subdirectory of the store if it is missing; its parent must exist. Rejects anything else of that name,
 * including links, through which files would be written and removed outside the rules directory. Throws `StoreError`.
 *
 * @param place its name in messages
 */
export async function makeOwnDirectory(disk: Disk, path: string, place: string): Promise<void> {
  if (await isOwnDirectory(disk, path, place)) return
  await disk.makeDirectory(path, DIRECTORY_MODE)
  await disk.syncDirectory(dirname(path))
}

/** True if a subdirectory of the store exists; rejects anything else of that name. Throws `StoreError`. */
export async function isOwnDirectory(disk: Disk, path: string, place: string): Promise<boolean> {
  const kind = await disk.kind(path)
  if (kind !== 'absent' && kind !== 'directory') throw notOurDirectory(place, kind)
  return kind === 'directory'
}

/** Removes incomplete files left by a crash: they were never acknowledged. Disk errors are ignored. */
export async function removeLeftovers(disk: Disk, directory: string, entries: readonly Entry[]): Promise<void> {
  for (const { name } of entries) {
    if (isTemporary(name) || name === PROBE) await attempt(() => disk.unlink(join(directory, name)))
  }
}

/** Removes a file if it exists. */
export async function unlinkIfThere(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
  }
}

/** Runs an optional action, such as cleaning up after a failure that is reported anyway. Returns false if it failed. */
export async function attempt(action: () => Promise<void>): Promise<boolean> {
  try {
    await action()
    return true
  } catch {
    return false
  }
}
