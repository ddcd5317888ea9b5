import { lockFile, StartError } from '@engine/process'
import { accessSync, constants, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { nodeDisk } from './disk.ts'
import { LOCK, LOCK_OWNER, temporaryPath } from './durable-files.ts'
import type { StoreLog } from './store.ts'

/** Longest path that SQLite opens, in bytes, including the file name (`MAX_PATHNAME` of its Unix layer). */
const MAX_PATH_BYTES = 511

/** Held until it is released or the process ends, however it ends. */
export interface DirectoryLock {
  release(): void
}

/**
 * Lock the rules directory for this process: only one server may use it, since each keeps everything in memory and
 * would not see the other's changes. A directory that cannot be written is not locked: nothing in it can be lost.
 * Throws `StartError`.
 */
export async function lockDirectory(
  directory: string,
  instanceId: string,
  log: Pick<StoreLog, 'info'>,
  option: '--rules-dir' | '--receipts-dir' = '--rules-dir',
): Promise<DirectoryLock> {
  const path = join(directory, LOCK)
  const kind = await nodeDisk.kind(path)
  if (kind !== 'absent' && kind !== 'file') throw refusal(option, directory, 'its `.lock` is no regular file')
  const temporary = temporaryPath(directory, LOCK_OWNER.slice(1))
  const attempt = lockFile({ lock: path, owner: join(directory, LOCK_OWNER), temporary }, instanceId)
  switch (attempt.kind) {
    case 'locked':
      return attempt
    case 'in-use':
      throw refusal(option, directory, `another server uses it${attempt.owner}. One server to a directory`)
    case 'failed':
      if (isWritable(directory))
        throw refusal(option, directory, `it cannot be locked: ${reasonOf(attempt.cause, path)}`)
      log.info({ directory }, 'the directory is read-only and therefore not locked')
      return { release() {} }
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
  if (longest > MAX_PATH_BYTES) return `its path is longer than ${MAX_PATH_BYTES - LOCK.length - 1} bytes`
  return cause instanceof Error ? cause.message : String(cause)
}

function refusal(option: string, directory: string, reason: string): StartError {
  return new StartError(`${option}: cannot use \`${directory}\`: ${reason}`)
}
