import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { DiskWriter } from './disk.ts'
import {
  attempt,
  isOwnDirectory,
  isThere,
  makeOwnDirectory,
  moveDurably,
  unlinkIfThere,
  writeTemporary,
} from './durable-files.ts'

/**
 * The outcome of a change on disk. `undone` false: the change was made, may not survive a power failure, and could not
 * be undone, so a restart finds the new state.
 */
export type Outcome<Cause = unknown> =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly cause: Cause; readonly undone: boolean }

/** New content for the file of a ruleset. Plain data, because another thread may make the change. */
export interface Replacement {
  readonly rulesDirectory: string
  /** Name of the file that is written. */
  readonly file: string
  /** Its new text. */
  readonly text: string
  /** Name of the file that is served now, possibly another one; undefined if there is none. */
  readonly served: string | undefined
  /** The replaced content; undefined if there is none. */
  readonly version: NewVersion | undefined
}

/** Replaced content that is saved. */
export interface NewVersion {
  /** From the outermost one below the rules directory to the one that holds the file. */
  readonly directories: readonly OwnDirectory[]
  /** False if the directories are known to exist. */
  readonly mayBeFirst: boolean
  readonly file: string
  readonly text: string
}

/** A subdirectory of the store. */
export interface OwnDirectory {
  readonly path: string
  /** Its name in messages. */
  readonly place: string
}

/** `unsaved`: the replaced content could not be saved, so nothing was changed. */
export type ReplacementOutcome<Cause = unknown> = (
  | Outcome<Cause>
  | { readonly kind: 'unsaved'; readonly cause: Cause }
) & {
  /** The new name of a file that was never served and had the name of the written file. */
  readonly aside?: string | undefined
}

/**
 * Writes the new content of a ruleset and saves the replaced one, at the same time; the new content gets its name when the
 * replaced one is durable. To undo the change, the saved copy becomes the current file again, which needs no space on a
 * full disk; after any failure the copy is gone.
 */
export async function replaceFile(disk: DiskWriter, replacement: Replacement): Promise<ReplacementOutcome> {
  const { rulesDirectory, file, text, served, version } = replacement
  const path = join(rulesDirectory, file)
  const isServed = served === file
  const [saved, written] = await Promise.allSettled([
    version === undefined ? undefined : saveVersion(disk, rulesDirectory, version),
    writeTemporary(disk, rulesDirectory, file, text),
  ])
  const temporary = written.status === 'fulfilled' ? written.value : undefined
  const discard = async () => temporary === undefined || attempt(() => unlinkIfThere(disk, temporary))
  if (saved.status === 'rejected') {
    await discard()
    return { kind: 'unsaved', cause: saved.reason }
  }
  const copy = saved.value
  let aside: string | undefined
  let isInPlace = false
  try {
    if (written.status === 'rejected') throw written.reason
    if (!isServed) aside = await setAside(disk, rulesDirectory, file)
    await disk.rename(written.value, path)
    isInPlace = true
    await disk.syncDirectory(rulesDirectory)
  } catch (cause) {
    const undone = await attempt(async () => {
      if (isInPlace && isServed && copy !== undefined) await disk.rename(copy, path)
      else if (aside !== undefined) await disk.rename(join(rulesDirectory, aside), path)
      else if (isInPlace) await unlinkIfThere(disk, path)
    })
    if (!isInPlace) await discard()
    if (undone) await attempt(() => removeCopy(disk, rulesDirectory, copy))
    // The old file is still in place unless the new one has replaced it.
    return { kind: 'failed', cause, undone: undone || !isInPlace, aside: undone ? undefined : aside }
  }
  // A start between the two steps finds both files, and JSON takes precedence.
  if (served !== undefined && !isServed) await attempt(() => unlinkIfThere(disk, join(rulesDirectory, served)))
  return { kind: 'done', aside }
}

/**
 * Saves replaced content durably. Returns the path of the copy. Rejects with the system's error, or with a `StoreError` when
 * a directory is a link or a file.
 */
export async function saveVersion(disk: DiskWriter, rulesDirectory: string, version: NewVersion): Promise<string> {
  const { directories, mayBeFirst, file, text } = version
  const path = join(directories.at(-1)?.path ?? rulesDirectory, file)
  const [written, found] = await Promise.allSettled([
    writeTemporary(disk, rulesDirectory, file, text),
    mayBeFirst ? makeOwnDirectories(disk, directories) : areOwnDirectories(disk, directories),
  ])
  if (written.status === 'rejected') throw written.reason
  try {
    if (found.status === 'rejected') throw found.reason
    await moveDurably(disk, written.value, path)
    return path
  } catch (cause) {
    // The file may be in place, but not yet durable.
    for (const left of [written.value, path]) await attempt(() => unlinkIfThere(disk, left))
    throw cause
  }
}

async function makeOwnDirectories(disk: DiskWriter, directories: readonly OwnDirectory[]): Promise<void> {
  for (const { path, place } of directories) await makeOwnDirectory(disk, path, place)
}

/** False if one is missing. Rejects with a `StoreError` when one is a link or a file. */
export async function areOwnDirectories(disk: DiskWriter, directories: readonly OwnDirectory[]): Promise<boolean> {
  for (const { path, place } of directories) if (!(await isOwnDirectory(disk, path, place))) return false
  return true
}

/**
 * Renames a file so that it is no longer a rule file. Returns its new name; undefined when there is no such file. The rename
 * is durable with the next sync of the directory.
 */
export async function setAside(disk: DiskWriter, directory: string, file: string): Promise<string | undefined> {
  const path = join(directory, file)
  if (!(await isThere(disk, path))) return undefined
  const aside = `${file}.set-aside-${randomBytes(6).toString('hex')}`
  await disk.rename(path, join(directory, aside))
  return aside
}

/** Removes the saved copy of content that is current again. Durability is not required, but sooner is better. */
export async function removeCopy(disk: DiskWriter, rulesDirectory: string, copy: string | undefined): Promise<void> {
  if (copy !== undefined) await unlinkIfThere(disk, copy)
  await disk.syncDirectory(rulesDirectory)
}
