import { isObject } from '@engine/expression'
import { parsedJson } from '@engine/process'
import { ruleFileText } from '@engine/rule-file'
import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'
import { type Disk, type Entry, isMissing } from './disk.ts'
import {
  attempt,
  isOwnDirectory,
  makeOwnDirectory,
  moveDurably,
  unlinkIfThere,
  writeTemporary,
} from './durable-files.ts'
import { entryPath, VERSIONS, versionsDirectory } from './paths.ts'
import { type StoredRuleset, storedInTurns } from './store.ts'

/**
 * The directories of replaced contents on the disk, one for each ruleset. Members reject with the system's error, or with a
 * `StoreError` when a directory is a link or a file.
 */
export interface VersionFiles {
  /** Empty if the directory does not exist. */
  list(name: string): Promise<readonly Entry[]>
  /** Undefined when the file is missing or is not a ruleset of this name. Also rejects with `too-large`. */
  read(name: string, file: string): Promise<StoredRuleset | undefined>
  /**
   * Save a text durably. Returns the path of the file.
   *
   * @param isFirst the directories may have to be created
   */
  save(name: string, file: string, text: string, isFirst: boolean): Promise<string>
  /** False when the disk refuses. */
  delete(name: string, file: string): Promise<boolean>
}

/** Maximum size of a version that is read: the server accepts less. */
const MAX_BYTES = 512 * 1024 * 1024

/** The directories as shown to people. */
const PLACE = '`.versions` in the rules directory'
const placeOf = (name: string) => `\`.versions/${name}\` in the rules directory`

export function createVersionFiles(rulesDirectory: string, disk: Disk): VersionFiles {
  const root = join(rulesDirectory, VERSIONS)
  const pathOf = (name: string, file: string) => entryPath(versionsDirectory(rulesDirectory, name), file)
  return { list, read, save, delete: (name, file) => attempt(() => unlinkIfThere(disk, pathOf(name, file))) }

  async function list(name: string): Promise<readonly Entry[]> {
    try {
      return (await isOurs(name)) ? await disk.list(versionsDirectory(rulesDirectory, name)) : []
    } catch (cause) {
      if (isMissing(cause)) return []
      throw cause
    }
  }

  /** False if the directory does not exist. */
  async function isOurs(name: string): Promise<boolean> {
    return (
      (await isOwnDirectory(disk, root, PLACE)) &&
      isOwnDirectory(disk, versionsDirectory(rulesDirectory, name), placeOf(name))
    )
  }

  async function makeDirectories(name: string): Promise<void> {
    await makeOwnDirectory(disk, root, PLACE)
    await makeOwnDirectory(disk, versionsDirectory(rulesDirectory, name), placeOf(name))
  }

  async function read(name: string, file: string): Promise<StoredRuleset | undefined> {
    const bytes = await bytesOf(pathOf(name, file))
    if (bytes === undefined || !isUtf8(bytes)) return undefined
    const parsed = await parsedJson(Buffer.from(bytes).toString('utf8'), { duplicateKeys: 'last', numbers: 'document' })
    if (parsed.kind === 'failed' || !isObject(parsed.value)) return undefined
    const { config } = parsed.value
    return isObject(config) && config['name'] === name ? storedInTurns(parsed.value) : undefined
  }

  async function bytesOf(path: string): Promise<Uint8Array | undefined> {
    try {
      const content = await disk.read(path, MAX_BYTES)
      return content.kind === 'bytes' ? content.bytes : undefined
    } catch (cause) {
      if (isMissing(cause)) return undefined
      throw cause
    }
  }

  /** Returns the path of the copy, which is in place and durable. */
  async function save(name: string, file: string, text: string, isFirst: boolean): Promise<string> {
    const path = pathOf(name, file)
    const [written, directories] = await Promise.allSettled([
      writeTemporary(disk, rulesDirectory, file, ruleFileText(text)),
      isFirst ? makeDirectories(name) : isOurs(name),
    ])
    if (written.status === 'rejected') throw written.reason
    try {
      if (directories.status === 'rejected') throw directories.reason
      await moveDurably(disk, written.value, path)
      return path
    } catch (cause) {
      // The file may be in place, but not yet durable.
      for (const left of [written.value, path]) await attempt(() => unlinkIfThere(disk, left))
      throw cause
    }
  }
}
