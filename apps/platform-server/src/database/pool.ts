import type { Log } from '@engine/process'
import pg from 'pg'
import { jsonOfColumn } from './long-json.ts'

const { builtins } = pg.types

/** Parsers of values that `pg` would parse differently. */
const READERS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  // Numbers of rows and of events: none is beyond 2^53.
  [builtins.INT8, Number],
  [builtins.JSON, jsonOfColumn],
  [builtins.JSONB, jsonOfColumn],
])

const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : READERS.get(type)) ?? pg.types.getTypeParser(type, format ?? 'text'),
}

/** Timeout of a query for a connection, and of a connection for the server. */
const CONNECT_TIMEOUT_MS = 10_000

/**
 * Connections to the database, embedded or not. One that breaks while it is idle is logged and replaced; one that
 * breaks in use fails its query. The listener keeps such an error from ending the process.
 */
export function createPool(config: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool({
    application_name: 'engine-platform',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types,
    ...config,
  })
  pool.on('error', (err) => log.warn({ err }, 'an idle connection to the database broke off'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
