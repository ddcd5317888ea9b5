import { type Log, StartError } from '@engine/process'
import type pg from 'pg'
import { createPool } from './pool.ts'

/** The oldest major version of PostgreSQL that is supported, as `server_version_num` has it. */
const OLDEST = 15_00_00

/** Connections of one replica, in addition to those of `reservedPool` and the listening one. */
const CONNECTIONS = 10

/** Connections for decisions, and as many for probes. */
const RESERVED_CONNECTIONS = 2
/** Milliseconds that a reserved connection may take to be made, and a query on it. */
const [RESERVED_CONNECT_MS, RESERVED_QUERY_MS] = [2000, 5000] as const

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
 * A replica that stands still within a transaction keeps its locks, and others wait: after a minute the server ends it. Not an
 * option of the connection, since poolers in between refuse those.
 */
async function limitIdleTransactions(client: pg.ClientBase): Promise<void> {
  await client.query("set idle_in_transaction_session_timeout = '60s'")
}

/** Connect to a PostgreSQL server. Throws `StartError` when it cannot be used. */
export async function connectServer(url: string, log: Log): Promise<pg.Pool> {
  const pool = createPool({ connectionString: url, max: CONNECTIONS, onConnect: limitIdleTransactions }, log)
  try {
    await refuseOldServer(pool)
    return pool
  } catch (error) {
    await pool.end()
    if (error instanceof StartError) throw error
    throw new StartError(`--database-url: ${shownServer(url)}: ${reasonOf(error)}`, { cause: error })
  }
}

/** Connections for one purpose, whose queries end soon: by the server where they wait for a lock, else by this process. */
export function reservedPool(url: string, log: Log): pg.Pool {
  return createPool(
    {
      connectionString: url,
      max: RESERVED_CONNECTIONS,
      connectionTimeoutMillis: RESERVED_CONNECT_MS,
      query_timeout: RESERVED_QUERY_MS,
      onConnect: async (client) => {
        await client.query(`set statement_timeout = ${RESERVED_QUERY_MS}`)
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
  if (server === undefined || server.number < OLDEST)
    throw new StartError(`--database-url: PostgreSQL ${server?.version ?? '?'} is too old: 15 or later is needed`)
}

/** The address for messages, without the user and password, which must stay secret. */
function shownServer(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'it is no URL' : `${parsed.host === '' ? 'the local server' : parsed.host}${parsed.pathname}`
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return REASONS[code] ?? error.message
}
