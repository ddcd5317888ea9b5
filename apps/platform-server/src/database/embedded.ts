import type { Log } from '@engine/process'
import { readdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'
import type { FromThread, ThreadData, ToThread } from './embedded-messages.ts'
import { Wire } from './wire.ts'

/** A database of this process. One connection at a time. */
export interface Embedded {
  /** A connection for `pg`. */
  readonly connect: () => Wire
  /** Rejects when the database has stopped by itself. */
  readonly lost: Promise<never>
  close(): Promise<void>
}

/** Files of a new database, about. */
const FILES = 970
const PROGRESS_MS = 2000

/**
 * Open the database in a data directory, and create it there when it is the first start.
 *
 * @param directory undefined: in memory, gone with the process
 */
export async function openEmbedded(directory: string | undefined, instanceId: string, log: Log): Promise<Embedded> {
  const data = directory === undefined ? undefined : await openDataDirectory(directory, instanceId)
  try {
    const stopProgress = data?.isNew === true ? reportProgress(data, log) : () => {}
    try {
      return await startThread(data)
    } finally {
      stopProgress()
    }
  } catch (error) {
    data?.release()
    throw error
  }
}

async function startThread(data: DataDirectory | undefined): Promise<Embedded> {
  const workerData: ThreadData = { folder: data?.folder, isNew: data?.isNew === true }
  const thread = new Worker(new URL('embedded-thread.ts', import.meta.url), { workerData })
  const ready = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  const connections = new Map<number, Wire>()
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
      case 'closed':
        return closed.resolve()
    }
  })
  await ready.promise
  if (data?.isNew === true) data.created()

  let number = 0
  return {
    connect() {
      const connection = ++number
      post({ kind: 'connect' })
      const wire = new Wire({
        write: (bytes) => post({ kind: 'bytes', connection, bytes }),
        closed: () => void connections.delete(connection),
      })
      connections.set(connection, wire)
      return wire
    },
    lost: lost.promise,
    async close() {
      post({ kind: 'close' })
      await closed.promise
      data?.release()
    },
  }
}

/** The first start takes seconds in which nothing else is to be seen. */
function reportProgress({ folder }: DataDirectory, log: Log): () => void {
  const begun = performance.now()
  log.info({ folder }, 'first start: creating the embedded database')
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begun) / 1000)
    log.info({ files: filesIn(folder), of_about: FILES, seconds }, 'first start: creating the embedded database')
  }, PROGRESS_MS)
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
