import { isUtf8 } from 'node:buffer'
import { unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import { type Disk, isMissing } from '../store/disk.ts'
import { attempt, isTemporary, moveDurably, writeTemporary } from '../store/durable-files.ts'
import { causeText, errorCode } from '../store/errors.ts'
import type { Log } from '@engine/process'
import { TenantsFileError } from './tenant.ts'

const FILE = 'tenants.json'
/** Maximum size of the file in bytes, for writing and reading. */
export const MAX_TENANTS_FILE = 16 * 1024 * 1024
/** Milliseconds between two looks: the file is replaced by editors and by us, and looked at by name. */
const WATCH_MS = 500

/** `tenants.json` in the rules directory. */
export interface TenantsFile {
  /** Its text; undefined when there is none. Rejects with `TenantsFileError`, which contains the reason. */
  read(): Promise<string | undefined>
  /** Durable when it resolves. Rejects with the system's error. */
  write(text: string): Promise<void>
  /** Called whenever the file may have changed. */
  watch(changed: () => void): void
  close(): void
}

/** Removes incomplete files left by a crash. Rejects with the system's error. */
export async function openTenantsFile(disk: Disk, rulesDirectory: string): Promise<TenantsFile> {
  const path = join(rulesDirectory, FILE)
  // With tenants this is the directory of no store, which would do the same.
  for (const { name } of await disk.list(rulesDirectory))
    if (isTemporary(name)) await attempt(() => disk.unlink(join(rulesDirectory, name)))
  return {
    async read() {
      try {
        const content = await disk.read(path, MAX_TENANTS_FILE)
        if (content.kind === 'refused') throw new TenantsFileError(content.reason)
        if (!isUtf8(content.bytes)) throw new TenantsFileError('it is not valid UTF-8')
        return Buffer.from(content.bytes).toString('utf8')
      } catch (error) {
        if (isMissing(error)) return undefined
        if (error instanceof TenantsFileError) throw error
        throw new TenantsFileError(unread(error), { cause: error })
      }
    },
    async write(text) {
      const temporary = await writeTemporary(disk, rulesDirectory, FILE, text)
      await moveDurably(disk, temporary, path)
    },
    watch: (changed) => void watchFile(path, { interval: WATCH_MS, persistent: false }, changed),
    close: () => unwatchFile(path),
  }
}

/** The file as this process has seen it. */
export interface SeenFile {
  /**
   * Its text when it differs from the last one read or written. A missing file changes nothing: that is logged, and
   * everything stays as it is. Rejects as `TenantsFile.read`.
   *
   * @param take applies the text; when it rejects, the text is read again next time
   */
  news(take: (text: string) => Promise<void>): Promise<void>
  /** As `TenantsFile.write`. */
  write(text: string): Promise<void>
}

/**
 * @param file undefined: tenants are kept in memory only
 * @param first the text that was read at start; undefined: there was no file
 */
export function createSeenFile(file: TenantsFile | undefined, first: string | undefined, log: Log): SeenFile {
  let seen = first
  let isAway = false
  return {
    async news(take) {
      const text = await file?.read()
      if (text === undefined) {
        // An editor that renames, or a mistake: an empty object means no tenants, a missing file means nothing.
        if (seen === undefined || isAway || file === undefined) return
        isAway = true
        log.warn(
          {},
          'tenants.json is missing: the tenants are unchanged, and the next change of a tenant writes the file',
        )
        return
      }
      if (isAway) log.info({}, 'tenants.json exists again')
      isAway = false
      if (text === seen) return
      await take(text)
      seen = text
    },
    async write(text) {
      await file?.write(text)
      seen = text
      isAway = false
    },
  }
}

/** Why one file could not be read, where that is not the fault of the directory. */
const UNREAD: Readonly<Record<string, string>> = {
  ELOOP: 'it is a symbolic link, and links are not followed',
  EACCES: 'the server has no permission to read it',
  EPERM: 'the server has no permission to read it',
  EISDIR: 'it is not a regular file',
  ENXIO: 'it is not a regular file',
}

function unread(cause: unknown): string {
  return UNREAD[errorCode(cause)] ?? causeText(cause)
}
