import { type Log, StartError } from '@engine/process'
import { unescape } from 'node:querystring'
import type pg from 'pg'
import { createPool } from './pool.ts'

/** The oldest major version of PostgreSQL that is supported, in the format of `server_version_num`. */
const MIN_SERVER_VERSION = 15_00_00

/** Maximum number of connections of one replica, in addition to those of `reservedPool` and the listening one. */
const MAX_CONNECTIONS = 10

/** Number of connections for decisions, and of those for probes. */
const RESERVED_CONNECTIONS = 2
/** Timeout for establishing a reserved connection, and for a query on it. */
const [RESERVED_CONNECT_TIMEOUT_MS, RESERVED_QUERY_TIMEOUT_MS] = [2000, 5000] as const

/** Connection errors with advice on how to fix them, by SQLSTATE or system code. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused. Is the server running there?',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host cannot be resolved',
  ETIMEDOUT: 'the server does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENOENT: 'there is no such socket',
}

/**
 * A replica that stands still within a transaction keeps its locks, and others wait: after a minute the server ends it.
 * This is not set as an option of the connection, since connection poolers refuse such options.
 */
async function limitIdleTransactions(client: pg.ClientBase): Promise<void> {
  await client.query("set idle_in_transaction_session_timeout = '60s'")
}

/** Connects to a PostgreSQL server. Throws `StartError` if it cannot be used. */
export async function connectServer(url: string, log: Log): Promise<pg.Pool> {
  const pool = createPool({ connectionString: url, max: MAX_CONNECTIONS, onConnect: limitIdleTransactions }, log)
  try {
    await refuseOldServer(pool)
    return pool
  } catch (error) {
    await pool.end()
    if (error instanceof StartError) throw error
    throw new StartError(`--database-url: ${shownServer(url)}: ${reasonOf(error)}`, { cause: error })
  }
}

/**
 * Connections for one purpose, with short queries: the server ends those that wait for a lock, this process ends
 * others.
 */
export function reservedPool(url: string, log: Log): pg.Pool {
  return createPool(
    {
      connectionString: url,
      max: RESERVED_CONNECTIONS,
      connectionTimeoutMillis: RESERVED_CONNECT_TIMEOUT_MS,
      query_timeout: RESERVED_QUERY_TIMEOUT_MS,
      onConnect: async (client) => {
        await client.query(`set statement_timeout = ${RESERVED_QUERY_TIMEOUT_MS}`)
      },
    },
    log,
  )
}

interface ServerVersion {
  readonly number: number
  readonly version: string
}

/**
 * Throws `StartError` for a version that is not supported.
 *
 * @internal
 */
export async function refuseOldServer(pool: {
  query(text: string): Promise<{ readonly rows: readonly ServerVersion[] }>
}): Promise<void> {
  const { rows } = await pool.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  )
  const [server] = rows
  if (server === undefined || server.number < MIN_SERVER_VERSION)
    throw new StartError(`--database-url: PostgreSQL ${server?.version ?? '?'} is too old: 15 or later is needed`)
}

/** The address for messages, without the user and password, which must stay secret. */
function shownServer(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return 'it is no URL'
  // The folder of a socket is a host with encoded slashes, or a parameter.
  const host = parsed.host === '' ? (parsed.searchParams.get('host') ?? 'the local server') : unescape(parsed.host)
  return host.startsWith('/') ? `${host}, database ${parsed.pathname.slice(1)}` : `${host}${parsed.pathname}`
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return REASONS[code] ?? error.message
}
