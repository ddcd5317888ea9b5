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
/** Interval of checks for changes, by name: editors and this server replace the file. */
const WATCH_INTERVAL_MS = 500

/** `tenants.json` in the rules directory. */
export interface TenantsFile {
  /** Its text; undefined if the file does not exist. Rejects with `TenantsFileError`, whose message has the reason. */
  read(): Promise<string | undefined>
  /** Durable when the promise resolves. Rejects with the system's error. */
  write(text: string): Promise<void>
  /** Called whenever the file may have changed. */
  watch(changed: () => void): void
  close(): void
}

/** Removes incomplete files left by a crash. Rejects with the system's error. */
export async function openTenantsFile(disk: Disk, rulesDirectory: string): Promise<TenantsFile> {
  const path = join(rulesDirectory, FILE)
  // With tenants no store uses this directory, which would do the same.
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
    watch: (changed) => void watchFile(path, { interval: WATCH_INTERVAL_MS, persistent: false }, changed),
    close: () => unwatchFile(path),
  }
}

/** The content of the file that this process has read or written last. */
export interface SeenFile {
  /**
   * Applies the text of the file if it differs from the last one read or written. A missing file changes nothing and is
   * logged. Rejects like `TenantsFile.read`.
   *
   * @param take applies the text; if it rejects, the next check reads the text again
   */
  news(take: (text: string) => Promise<void>): Promise<void>
  /** Like `TenantsFile.write`. */
  write(text: string): Promise<void>
}

/**
 * @param file undefined if tenants are kept in memory only
 * @param first the text read at start; undefined if there was no file
 */
export function createSeenFile(file: TenantsFile | undefined, first: string | undefined, log: Log): SeenFile {
  let seen = first
  let isAway = false
  return {
    async news(take) {
      const text = await file?.read()
      if (text === undefined) {
        // An editor is replacing the file, or it was removed by mistake: an empty object means no tenants, a missing
        // file means no change.
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

/** Why one file could not be read although the directory can. */
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
