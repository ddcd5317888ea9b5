import type { EntryKind } from './disk.ts'
import { StartError } from '@engine/process'
import { StoreError } from './store.ts'
import type { Probe } from './store.ts'

/** The text of every failure that the store answers or reports. */

/** A name that a case-insensitive disk would confuse with the name of another stored ruleset. */
export function caseConflict(name: string, holder: string): StoreError {
  return new StoreError('conflict', `\`${name}\` differs only by case from the stored ruleset \`${holder}\``)
}

/** The meaning of the system's error codes for an operator. `errno(3)`. */
const CAUSES: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk that holds the rules directory is full'],
  ['EDQUOT', 'the disk quota of the rules directory is used up'],
  ['EIO', 'the disk that holds the rules directory reports an input/output error'],
  ['EROFS', 'the rules directory is on a read-only file system'],
  ['EACCES', 'the server has no permission to write into the rules directory'],
  ['EPERM', 'the server has no permission to write into the rules directory'],
  ['EMFILE', 'the server has too many open files; raise its limit (`ulimit -n`)'],
  ['ENFILE', 'the machine has too many open files'],
  ['ENOENT', 'the rules directory, or a part of it, is gone'],
  ['ENOTDIR', 'the rules directory, or a part of it, is not a directory'],
  ['ELOOP', 'a part of the rules directory is a symbolic link, and those are not followed'],
  ['EFBIG', 'the file would be larger than the limit of the process (`ulimit -f`) or of the file system'],
  ['ENAMETOOLONG', 'the path of the rules directory is too long for the names of files in it'],
  ['EXDEV', 'the rules directory spans two file systems, `.versions` must be on the same one'],
])

/** The cause of a failed disk operation in words, without paths. */
export function causeText(cause: unknown): string {
  if (cause instanceof StoreError || cause instanceof StartError) return cause.message
  const code = errorCode(cause)
  return CAUSES.get(code) ?? `the rules directory cannot be used (${code})`
}

/** Whether a thrown error means a disk failure; anything else is a defect. */
export function isDiskFailure(cause: unknown): boolean {
  // Node's own errors have codes too (`ERR_…`).
  return cause instanceof StoreError || /^E(?!RR_)[A-Z0-9]+$/.test(errorCode(cause))
}

/** `cause.code` of a system error; `unknown error` for anything else. */
export function errorCode(cause: unknown): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : 'unknown error'
}

/** A write that failed on disk. `done` is what failed: "stored", "deleted", "read". */
export function diskFailure(name: string, done: string, cause: unknown): StoreError {
  return new StoreError('disk', `\`${name}\` was not ${done}: ${causeText(cause)}`, { cause })
}

/** Something else has the name of a subdirectory of the store. `place` is its name in messages. */
export function notOurDirectory(place: string, kind: EntryKind): StoreError {
  const what = kind === 'link' ? 'a symbolic link, and those are not followed' : 'no directory'
  return new StoreError('disk', `${place} is ${what}`)
}

/** Like `diskFailure`, but the change could not be undone and remains in effect. */
export function unsettled(name: string, done: string, cause: unknown): StoreError {
  const message = `\`${name}\` was ${done}, but a power failure may undo that: ${causeText(cause)}`
  return new StoreError('disk', message, { cause })
}

/** The store accepted no write in time: writes hang. */
export function noTurn(timeoutMs: number): Probe {
  return { ok: false, check: 'store_lock', reason: `the store gave no turn within ${timeoutMs} ms` }
}

/** The probe file could not be written. */
export function notWritable(cause: unknown): Probe {
  return { ok: false, check: 'disk_writable', reason: causeText(cause) }
}

/** The probe file was not on disk in time: the disk hangs. */
export function slowDisk(timeoutMs: number): Probe {
  return { ok: false, check: 'disk_writable', reason: `the disk did not answer within ${timeoutMs} ms` }
}
