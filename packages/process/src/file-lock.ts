import { isObject, parseJson, quote } from '@engine/expression'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { DatabaseSync } from 'node:sqlite'

/** Milliseconds in which two processes that start at the same moment find out which of them has the lock. */
const PATIENCE_MS = 500

/** Result code of SQLite. */
const BUSY = 5

/** The files of one lock, all in the directory that it guards. */
export interface LockFiles {
  /** Locked, and never written. */
  readonly lock: string
  /** Says who holds the lock. */
  readonly owner: string
  /** Where `owner` is written before it gets its name. */
  readonly temporary: string
}

export type LockAttempt =
  | { readonly kind: 'locked'; release(): void }
  /** @property owner ` (process 7, instance \`i\`, on host)`, or empty when that cannot be read */
  | { readonly kind: 'in-use'; readonly owner: string }
  | { readonly kind: 'failed'; readonly cause: unknown }

/** A database that is collected as garbage gives up its lock. */
const held = new Set<DatabaseSync>()

/**
 * Lock a file for this process, until it is released or the process ends, however it ends.
 *
 * The lock is the kernel's (`fcntl(2)`), which Node offers through SQLite: an exclusive transaction on an empty database
 * that is never written. It is atomic for processes that start at the same moment, seen across containers that share the
 * volume, not inherited by child processes, and free at once after SIGKILL.
 */
export function lockFile(files: LockFiles, instanceId: string): LockAttempt {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(files.lock, { timeout: PATIENCE_MS })
    // Without it the journal would be a file, which SIGKILL leaves behind.
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
      // The locked file stays: without it two processes could lock two files of its name.
      rmSync(files.owner, { force: true })
      held.delete(database)
      database.close()
    },
  }
}

/** At once and not later: a process that finds the lock taken reads it after `PATIENCE_MS`. As far as the disk lets us. */
function describeOwner({ owner, temporary }: LockFiles, instanceId: string): void {
  try {
    writeFileSync(temporary, `${JSON.stringify({ pid: process.pid, instance_id: instanceId, host: hostname() })}\n`)
    renameSync(temporary, owner)
  } catch {
    rmSync(temporary, { force: true })
  }
}

/** With the host, because process ids mean nothing on another one. Empty when it cannot be read. */
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
