import { isObject, parseJson, quote } from '@engine/expression'
import { accessSync, constants, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '@engine/process'
import { nodeDisk } from './disk.ts'
import { LOCK, LOCK_OWNER, temporaryPath } from './durable-files.ts'
import type { StoreLog } from './store.ts'

/** Milliseconds in which two servers that start at the same moment find out which of them has the lock. */
const PATIENCE_MS = 500

/** Bytes of a path beyond which SQLite opens no file (`MAX_PATHNAME` of its Unix layer), with the name of the file. */
const LONGEST_PATH = 511

/** Result codes of SQLite. */
const BUSY = 5

/** Held until it is released or the process ends, however it ends. */
export interface DirectoryLock {
  release(): void
}

/** A database that is collected as garbage gives up its lock. */
const held = new Set<DatabaseSync>()

/**
 * Lock the rules directory for this process: one server to a directory, since each keeps everything in memory and would not
 * see what the other has acknowledged.
 *
 * The lock is the kernel's (`fcntl(2)`), which Node offers through SQLite: an exclusive transaction on an empty database
 * that is never written. It is atomic for servers that start at the same moment, seen across containers that share the
 * volume, not inherited by workers, and free at once after SIGKILL. A directory that cannot be written is not locked:
 * nothing in it can be lost. Throws `StartError`.
 */
export async function lockDirectory(
  directory: string,
  instanceId: string,
  log: Pick<StoreLog, 'info'>,
): Promise<DirectoryLock> {
  const path = join(directory, LOCK)
  const kind = await nodeDisk.kind(path)
  if (kind !== 'absent' && kind !== 'file') throw refusal(directory, 'its `.lock` is no regular file')
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: PATIENCE_MS })
    // Without it the journal would be a file, which SIGKILL leaves behind.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    database?.close()
    if (codeOf(cause) === BUSY) throw inUse(directory)
    if (isWritable(directory)) throw refusal(directory, `it cannot be locked: ${reasonOf(cause, path)}`)
    log.info({ directory }, 'the rules directory is read-only and therefore not locked')
    return { release() {} }
  }
  held.add(database)
  describeOwner(directory, instanceId)
  return {
    release() {
      // The locked file stays: without it two servers could lock two files of its name.
      rmSync(join(directory, LOCK_OWNER), { force: true })
      held.delete(database)
      database.close()
    },
  }
}

/** At once and not later: who finds the directory locked reads it after `PATIENCE_MS`. As far as the disk lets us. */
function describeOwner(directory: string, instanceId: string): void {
  const temporary = temporaryPath(directory, LOCK_OWNER.slice(1))
  try {
    writeFileSync(temporary, `${JSON.stringify({ pid: process.pid, instance_id: instanceId, host: hostname() })}\n`)
    renameSync(temporary, join(directory, LOCK_OWNER))
  } catch {
    rmSync(temporary, { force: true })
  }
}

function inUse(directory: string): StartError {
  return refusal(directory, `another server uses it${ownerText(directory)}. One server to a directory`)
}

/** With the host, because process ids mean nothing on another one. Empty when it cannot be read. */
function ownerText(directory: string): string {
  try {
    const parsed = parseJson(readFileSync(join(directory, LOCK_OWNER), 'utf8'), { duplicateKeys: 'refuse' })
    if (parsed.kind === 'failed' || !isObject(parsed.value)) return ''
    const { pid, instance_id: instance, host } = parsed.value
    if (typeof pid !== 'number' || typeof instance !== 'string' || typeof host !== 'string') return ''
    return ` (process ${pid}, instance ${quote(instance)}, on ${host})`
  } catch {
    return ''
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function reasonOf(cause: unknown, path: string): string {
  const longest = Math.max(Buffer.byteLength(path), Buffer.byteLength(join(realpathSync(join(path, '..')), LOCK)))
  if (longest > LONGEST_PATH) return `its path is longer than ${LONGEST_PATH - LOCK.length - 1} bytes`
  return cause instanceof Error ? cause.message : String(cause)
}

function codeOf(cause: unknown): number | undefined {
  return cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number' ? cause.errcode : undefined
}

function refusal(directory: string, reason: string): StartError {
  return new StartError(`--rules-dir: cannot use \`${directory}\`: ${reason}`)
}
