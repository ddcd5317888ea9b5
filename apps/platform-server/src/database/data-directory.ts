import { lockFile, makeDirectory, StartError, starting } from '@engine/process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { syncPath } from './durable-files.ts'
import { writeFault } from './storage.ts'

/** The major version of PostgreSQL in PGlite: it cannot open a folder of another one. */
const MAJOR = '18'

/** No access for others: the database holds email addresses and hashes of tokens. */
const DIRECTORY_MODE = 0o700

/** The folder of the embedded database, locked for this process. */
export interface DataDirectory {
  /** Where PGlite keeps its files. */
  readonly folder: string
  /** True if it must be created. */
  readonly isNew: boolean
  /** Called when a new database is complete on disk: an interrupted start no longer removes it. */
  created(): void
  /** Remove the database. */
  discard(): void
  release(): void
}

/**
 * Locks the data directory for this process and examines its database. A database whose creation was interrupted is
 * removed: nothing in it was ever acknowledged. Throws `StartError`.
 */
export async function openDataDirectory(directory: string, instanceId: string): Promise<DataDirectory> {
  await starting(
    '--data-dir',
    directory,
    () => makeDirectory(resolve(directory), DIRECTORY_MODE),
    (error) =>
      error instanceof Error && 'code' in error && error.code === 'EEXIST'
        ? `cannot use \`${directory}\`: it is not a directory`
        : undefined,
  )
  const fault = await writeFault(directory)
  if (fault !== undefined) throw unwritable(directory, fault)
  const release = locked(directory, instanceId)
  try {
    const folder = join(directory, 'database')
    const incomplete = join(directory, 'database.incomplete')
    return await starting('--data-dir', directory, () => {
      if (existsSync(incomplete)) rmSync(folder, { recursive: true, force: true })
      const isNew = !existsSync(folder)
      if (isNew) begin(directory, incomplete)
      else refuseOtherMajor(directory, folder)
      return {
        folder,
        isNew,
        created: () => complete(directory, incomplete),
        discard: () => discard(directory, folder, incomplete),
        release,
      }
    })
  } catch (error) {
    release()
    throw error
  }
}

function begin(directory: string, incomplete: string): void {
  writeFileSync(incomplete, '')
  syncPath(incomplete)
  syncPath(directory)
}

function complete(directory: string, incomplete: string): void {
  syncPath(directory)
  rmSync(incomplete, { force: true })
  syncPath(directory)
}

/** The next start removes the leftovers of an interruption. */
function discard(directory: string, folder: string, incomplete: string): void {
  begin(directory, incomplete)
  rmSync(folder, { recursive: true, force: true })
  complete(directory, incomplete)
}

function locked(directory: string, instanceId: string): () => void {
  const at = (name: string) => join(directory, name)
  const attempt = lockFile(
    { lock: at('lock.sqlite'), owner: at('lock.owner'), temporary: at(`lock.owner.${process.pid}`) },
    instanceId,
  )
  switch (attempt.kind) {
    case 'locked':
      return () => attempt.release()
    case 'in-use':
      throw refusal(directory, `another platform uses it${attempt.owner}. One process to a directory`)
    case 'failed':
      throw refusal(directory, `it cannot be locked: ${String(attempt.cause)}`)
  }
}

function refuseOtherMajor(directory: string, folder: string): void {
  const found = existsSync(join(folder, 'PG_VERSION')) ? readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim() : ''
  if (found === MAJOR) return
  const what = found === '' ? '`database` in it is no database' : `its database is of PostgreSQL ${found}`
  throw refusal(
    directory,
    `${what}, and this program has PostgreSQL ${MAJOR}. Make a backup with the program that wrote it ` +
      '(`engine-platform backup FILE`) and restore it into an empty directory',
  )
}

function refusal(directory: string, reason: string): StartError {
  return new StartError(`--data-dir: cannot use \`${directory}\`: ${reason}`)
}

/** The error for a data directory that is not writable. */
export function unwritable(directory: string, fault: string, cause?: unknown): StartError {
  return new StartError(
    `--data-dir: cannot use \`${directory}\`: nothing can be written to it: ${fault}. The data in it are not damaged: ` +
      'make it writable, with room for at least 20 MiB, and start again',
    { cause },
  )
}

/** True if a data directory contains a complete database. */
export function hasDatabase(directory: string): boolean {
  return existsSync(join(directory, 'database')) && !existsSync(join(directory, 'database.incomplete'))
}
