import type { Server } from 'node:net'
import type { Log } from '@engine/process'
import { LIMIT_FLAGS } from './http-error.ts'

/** Interval of log lines about closed connections. */
const LOG_INTERVAL_MS = 60_000

/** Logs at most once a minute that connections are closed because there are too many. */
export function tooManyConnections(log: Log, limit: number): () => void {
  let told = -Infinity
  return () => {
    const now = performance.now()
    if (now - told < LOG_INTERVAL_MS) return
    told = now
    log.warn({ limit }, `too many connections: new ones are closed (${LIMIT_FLAGS.connections})`)
  }
}

/** Limits the connections of a server; further ones are closed right after they are accepted. */
export function limitConnections(server: Server, limit: number, log: Log): void {
  server.maxConnections = limit
  server.on('drop', tooManyConnections(log, limit))
}
