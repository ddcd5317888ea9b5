import { type Log, StartError, startThread } from '@engine/process'
import { readdirSync } from 'node:fs'
import { type DataDirectory, openDataDirectory, unwritable } from './data-directory.ts'
import type { FromThread, ThreadData, ToThread } from './embedded-messages.ts'
import { createStorage } from './storage.ts'
import { EmbeddedSocket } from './embedded-socket.ts'

/** A database in this process, with one connection at a time. */
export interface Embedded {
  /** A connection for `pg`. */
  readonly connect: () => EmbeddedSocket
  /** Rejects when the database has stopped unexpectedly. */
  readonly lost: Promise<never>
  /** Dumps a database in memory as a template for others. Nothing else may use it meanwhile. */
  dump(): Promise<Uint8Array>
  close(): Promise<void>
  /** Closes it, and removes it if this start has created it. */
  discard(): Promise<void>
}

/** The location of its files. */
export type EmbeddedLocation =
  | { readonly kind: 'embedded'; readonly directory: string; readonly instanceId: string }
  /** Lost when the process ends: for tests. With a template it opens in a quarter of the time. */
  | { readonly kind: 'memory'; readonly template?: Uint8Array | undefined }

/** Approximate number of files of a new database. */
const EXPECTED_FILES = 970
const PROGRESS_INTERVAL_MS = 2000

/** Opens the embedded database; the first start creates it. Throws `StartError`. */
export async function openEmbedded(location: EmbeddedLocation, log: Log): Promise<Embedded> {
  if (location.kind === 'memory') return startDatabase(undefined, location.template)
  const data = await openDataDirectory(location.directory, location.instanceId)
  const stopProgress = data.isNew ? reportProgress(data, log) : () => {}
  try {
    return await startDatabase(data, undefined)
  } catch (error) {
    data.release()
    throw await unopened(location.directory, error)
  } finally {
    stopProgress()
  }
}

/**
 * A restore is recommended only if the disk is not at fault: otherwise the database is intact, and opens once the disk
 * works.
 */
async function unopened(directory: string, cause: unknown): Promise<StartError> {
  const fault = await createStorage(directory).fault()
  if (fault !== undefined) return unwritable(directory, fault, cause)
  const { cause: reason } = cause instanceof Error ? cause : {}
  const words = reason instanceof Error ? reason.message : String(cause)
  return new StartError(
    `--data-dir: cannot use \`${directory}\`: the database in it cannot be opened (${words}). ` +
      'Restore a backup into an empty directory',
    { cause },
  )
}

async function startDatabase(data: DataDirectory | undefined, template: Uint8Array | undefined): Promise<Embedded> {
  const workerData: ThreadData = { folder: data?.folder, template, isNew: data?.isNew === true }
  const thread = startThread(new URL('embedded-thread.ts', import.meta.url), { workerData })
  const ready = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const dumped = Promise.withResolvers<Uint8Array>()
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  const connections = new Map<number, EmbeddedSocket>()
  const post = (message: ToThread) => thread.postMessage(message)

  const fail = (reason: Error) => {
    ready.reject(reason)
    lost.reject(reason)
    closed.resolve()
    for (const wire of connections.values()) wire.destroy(reason)
  }
  thread.on('error', (cause) => fail(new Error('the embedded database has failed', { cause })))
  thread.on('exit', () => fail(new Error('the embedded database has stopped')))
  thread.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'created':
        return
      case 'ready':
        return ready.resolve()
      case 'bytes':
        return connections.get(message.connection)?.receive(message.bytes)
      case 'dumped':
        return dumped.resolve(message.template)
      case 'closed':
        return closed.resolve()
    }
  })
  await ready.promise
  if (data?.isNew === true) data.created()

  const close = async () => {
    post({ kind: 'close' })
    await closed.promise
  }
  let number = 0
  return {
    connect() {
      const connection = ++number
      post({ kind: 'connect' })
      const wire = new EmbeddedSocket({
        write: (bytes) => post({ kind: 'bytes', connection, bytes }),
        closed: () => void connections.delete(connection),
      })
      connections.set(connection, wire)
      return wire
    },
    lost: lost.promise,
    dump() {
      post({ kind: 'dump' })
      return dumped.promise
    },
    async close() {
      await close()
      data?.release()
    },
    async discard() {
      await close()
      if (data?.isNew === true) data.discard()
      data?.release()
    },
  }
}

/** The first start takes seconds without other output. */
function reportProgress({ folder }: DataDirectory, log: Log): () => void {
  const begun = performance.now()
  log.info({ folder }, 'first start: creating the embedded database')
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begun) / 1000)
    log.info(
      { files: filesIn(folder), of_about: EXPECTED_FILES, seconds },
      'first start: creating the embedded database',
    )
  }, PROGRESS_INTERVAL_MS)
  return () => {
    clearInterval(timer)
    log.info(
      { seconds: Math.round((performance.now() - begun) / 1000) },
      'first start: the embedded database is created',
    )
  }
}

function filesIn(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true }).length
  } catch {
    return 0
  }
}
