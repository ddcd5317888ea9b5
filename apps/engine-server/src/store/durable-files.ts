import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { type Disk, type Entry, isMissing } from './disk.ts'
import { notOurDirectory } from './errors.ts'

/** Rule files may hold secrets (addresses with credentials): nothing for others. */
const FILE_MODE = 0o640
const DIRECTORY_MODE = 0o750

/** Names of our temporary files: hidden, and no ruleset can be called so, because names do not start with a dot. */
const TEMPORARY = /^\..+\.tmp-[0-9a-f]{12}$/

/** The lock files of a rules directory: the lock itself, and its owner. */
export const LOCK = '.lock'
export const LOCK_OWNER = '.owner'

/** The file that the readiness probe writes and removes (specification 4.4). */
export const PROBE = '.health_probe'

/** Whether a file in the rules directory is a temporary one of ours, left by a crash. */
export function isTemporary(file: string): boolean {
  return TEMPORARY.test(file)
}

/**
 * A path in the rules directory for content on its way to or from `file`. Always in the rules directory itself, also
 * for versions, so that one look there at start finds every leftover.
 */
export function temporaryPath(root: string, file: string): string {
  return join(root, `.${file}.tmp-${randomBytes(6).toString('hex')}`)
}

/** Writes text to a new temporary file and syncs it. On failure the file is removed, as far as the disk lets us. */
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

/** Writes text to a file that must not exist yet, and syncs it. On failure a part of the file may stay. */
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

/** Puts a synced temporary file in its place and makes that durable. On failure the temporary file is removed. */
export async function moveDurably(disk: Disk, temporary: string, path: string): Promise<void> {
  try {
    await disk.rename(temporary, path)
    await disk.syncDirectory(dirname(path))
  } catch (cause) {
    await attempt(() => disk.unlink(temporary))
    throw cause
  }
}

/** Whether there is anything of this name, links not followed. */
export async function isThere(disk: Disk, path: string): Promise<boolean> {
  return (await disk.kind(path)) !== 'absent'
}

/** Whether there is a directory, or a link to one. False also when that cannot be known. */
export async function isDirectory(disk: Disk, path: string): Promise<boolean> {
  try {
    // With `/.` a link is followed.
    return (await disk.kind(`${path}/.`)) === 'directory'
  } catch {
    return false
  }
}

/**
 * Makes a directory with its missing parents, and makes all of them durable: else a power failure could take the
 * directory with everything that was acknowledged in it.
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
 * Creates an own subdirectory of an existing directory if it is missing. Rejects anything else in its place, including
 * links: files would be written and removed outside the rules directory. Throws `StoreError`.
 *
 * @param place its name in messages
 */
export async function makeOwnDirectory(disk: Disk, path: string, place: string): Promise<void> {
  if (await isOwnDirectory(disk, path, place)) return
  await disk.makeDirectory(path, DIRECTORY_MODE)
  await disk.syncDirectory(dirname(path))
}

/** Whether an own directory exists; rejects anything else in its place. Throws `StoreError`. */
export async function isOwnDirectory(disk: Disk, path: string, place: string): Promise<boolean> {
  const kind = await disk.kind(path)
  if (kind !== 'absent' && kind !== 'directory') throw notOurDirectory(place, kind)
  return kind === 'directory'
}

/** Removes incomplete files left by a crash: they were never acknowledged. Errors of the disk are ignored. */
export async function removeLeftovers(disk: Disk, directory: string, entries: readonly Entry[]): Promise<void> {
  for (const { name } of entries) {
    if (isTemporary(name) || name === PROBE) await attempt(() => disk.unlink(join(directory, name)))
  }
}

/** Removes a file; fine when it is not there. */
export async function unlinkIfThere(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
  }
}

/** Runs an optional action: cleaning up after a failure that is reported anyway. Returns false when it failed. */
export async function attempt(action: () => Promise<void>): Promise<boolean> {
  try {
    await action()
    return true
  } catch {
    return false
  }
}
