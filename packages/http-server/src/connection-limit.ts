import type { Server } from 'node:net'
import type { Log } from '@engine/process'
import { LIMIT_FLAGS } from './http-error.ts'

/** Milliseconds between two lines of the log about connections that were closed. */
const QUIET_MS = 60_000

/** Says that connections are closed because there are too many, once a minute at most. */
export function tooManyConnections(log: Log, limit: number): () => void {
  let told = -Infinity
  return () => {
    const now = performance.now()
    if (now - told < QUIET_MS) return
    told = now
    log.warn({ limit }, `too many connections: new ones are closed (${LIMIT_FLAGS.connections})`)
  }
}

/** Let a server have so many connections at once; further ones are closed as soon as they are accepted. */
export function limitConnections(server: Server, limit: number, log: Log): void {
  server.maxConnections = limit
  server.on('drop', tooManyConnections(log, limit))
}
