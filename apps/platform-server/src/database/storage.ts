import { systemReason } from '@engine/process'
import { accessSync, constants, statfsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { sqlState } from './sql-state.ts'
import type { Tables } from './tables.ts'

/**
 * Bytes that changes leave free on the disk of the embedded database: one segment of its write-ahead log (16 MiB),
 * without which PostgreSQL stops immediately, and room for writes that are not changes by people, such as heartbeats.
 */
const MIN_FREE_BYTES = 20 * 1024 * 1024

/** Bytes of the file that is written as a test. */
const PROBE = Buffer.alloc(4096)

/** Nothing can be stored, for a reason of the disk; nothing was stored either. */
class StorageError extends Error {
  override readonly name = 'StorageError'
}

/** Where a database is stored. */
export interface Storage {
  /** Throws `StorageError` when a change must not begin. */
  check(): void
  /** Records the error of a failed change. */
  noteFailure(error: unknown): void
  /** Why nothing can be stored, after a test; undefined: it can. */
  fault(): Promise<string | undefined>
}

/** @param directory that the embedded database is in */
export function createStorage(directory: string): Storage {
  return {
    check() {
      const fault = visibleFault(directory)
      if (fault !== undefined) throw new StorageError(fault)
    },
    noteFailure: () => {},
    async fault() {
      return visibleFault(directory) ?? writeFault(directory)
    },
  }
}

/** Milliseconds for which a failure counts where the server lets nothing be written as a test. */
const FAILURE_LASTS_MS = 60_000

/**
 * The disk of a server shows in the errors of changes alone. After one of those, each look writes as a test, until that
 * succeeds.
 *
 * @param write stores something that nothing else sees
 */
export function createServerStorage(write: () => Promise<void>, now: () => number = Date.now): Storage {
  let failed: { readonly fault: string; readonly at: number } | undefined
  const note = (error: unknown) => {
    const fault = storageFault(error)
    if (fault !== undefined) failed = { fault, at: now() }
    return fault !== undefined
  }
  return {
    check() {},
    noteFailure: note,
    async fault() {
      const before = failed
      if (before === undefined) return undefined
      try {
        await write()
        failed = undefined
      } catch (error) {
        // The user lacks the right to write the test, or the server is unavailable.
        if (!note(error) && now() - before.at > FAILURE_LASTS_MS) failed = undefined
      }
      return failed?.fault
    },
  }
}

/** Write a page to the disk of the server, into a table of this session that goes with the transaction. */
export async function writeTestPage(tables: Kysely<Tables>): Promise<void> {
  await tables
    .transaction()
    .execute((begun) =>
      sql`create temporary table storage_probe on commit drop as select repeat('x', 1000) as filler`.execute(begun),
    )
}

/** The fault that shows without a write. */
function visibleFault(directory: string): string | undefined {
  try {
    accessSync(directory, constants.W_OK)
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize < MIN_FREE_BYTES
      ? `the disk is full (less than ${MIN_FREE_BYTES >> 20} MiB are free)`
      : undefined
  } catch (error) {
    return systemReason(error)
  }
}

/**
 * Write a file as a test. A quota, for one, shows in no other way.
 *
 * @returns why it cannot be written
 */
export async function writeFault(directory: string): Promise<string | undefined> {
  const path = join(directory, `.write-probe-${process.pid}`)
  try {
    await writeFile(path, PROBE, { mode: 0o600 })
    return undefined
  } catch (error) {
    return systemReason(error) ?? String(error)
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}

/** PostgreSQL's messages for system errors at its files. */
const FILE_ERROR =
  /could not .*(?:file|directory|segment|descriptor|relation).*: (No space left on device|Disk quota exceeded|Read-only file system|Permission denied|Input\/output error)$/

const REASONS: Readonly<Record<string, string>> = {
  'No space left on device': 'the disk is full',
  'Disk quota exceeded': 'the disk quota is used up',
  'Read-only file system': 'the file system is read-only',
  'Permission denied': 'permission denied',
  'Input/output error': 'the disk reports errors',
}

/** Why a query could not store anything; undefined: it failed for another reason. */
export function storageFault(error: unknown): string | undefined {
  if (error instanceof StorageError) return error.message
  if (!(error instanceof Error) || sqlState(error) === undefined) return undefined
  const reason = REASONS[FILE_ERROR.exec(error.message)?.[1] ?? '']
  // Servers may speak another language; the state is the same.
  return reason ?? (sqlState(error) === '53100' ? 'the disk is full' : undefined)
}
