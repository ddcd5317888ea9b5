import { isObject, parseJson, quote } from '@engine/expression'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'

/** Time within which two processes that start simultaneously determine who holds the lock. */
const LOCK_TIMEOUT_MS = 500

/** Result code of SQLite. */
const BUSY = 5

/** The files of one lock, in the directory that it guards. */
export interface LockFiles {
  /** Locked, and never written. */
  readonly lock: string
  /** Identifies the owner of the lock. */
  readonly owner: string
  /** `owner` is written here first, then renamed. */
  readonly temporary: string
}

export type LockAttempt =
  | { readonly kind: 'locked'; release(): void }
  /** @property owner ` (process 7, instance \`i\`, on host)`, or empty when that cannot be read */
  | { readonly kind: 'in-use'; readonly owner: string }
  | { readonly kind: 'failed'; readonly cause: unknown }

/** Prevents garbage collection of the database, which would release the lock. */
const held = new Set<DatabaseSync>()

/**
 * Lock a file for this process until it is released or the process ends in any way.
 *
 * The lock is the kernel's (`fcntl(2)`), available in Node through SQLite: an exclusive transaction on an empty
 * database that is never written. It is atomic for processes that start simultaneously, visible across containers that
 * share the volume, not inherited by child processes, and released immediately after SIGKILL.
 */
export function lockFile(files: LockFiles, instanceId: string): LockAttempt {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(files.lock, { timeout: LOCK_TIMEOUT_MS })
    // Otherwise the journal would be a file, which SIGKILL leaves behind.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    database?.close()
    return codeOf(cause) === BUSY ? { kind: 'in-use', owner: ownerText(files.owner) } : { kind: 'failed', cause }
  }
  held.add(database)
  describeOwner(files, instanceId)
  return {
    kind: 'locked',
    release() {
      // The locked file is kept: if it were deleted, two processes could lock different files of the same name.
      rmSync(files.owner, { force: true })
      held.delete(database)
      database.close()
    },
  }
}

/**
 * Written immediately: a process that finds the lock taken reads it after `LOCK_TIMEOUT_MS`. Errors of the disk are
 * ignored.
 */
function describeOwner({ owner, temporary }: LockFiles, instanceId: string): void {
  try {
    writeFileSync(temporary, `${JSON.stringify({ pid: process.pid, instance_id: instanceId, host: hostname() })}\n`)
    renameSync(temporary, owner)
  } catch {
    rmSync(temporary, { force: true })
  }
}

/** Includes the host, because process ids are only meaningful there. Empty when it cannot be read. */
function ownerText(path: string): string {
  try {
    const parsed = parseJson(readFileSync(path, 'utf8'), { duplicateKeys: 'refuse' })
    if (parsed.kind === 'failed' || !isObject(parsed.value)) return ''
    const { pid, instance_id: instance, host } = parsed.value
    if (typeof pid !== 'number' || typeof instance !== 'string' || typeof host !== 'string') return ''
    return ` (process ${pid}, instance ${quote(instance)}, on ${host})`
  } catch {
    return ''
  }
}

function codeOf(cause: unknown): number | undefined {
  return cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number' ? cause.errcode : undefined
}
