import { sqlState } from './sql-state.ts'

/** System error codes of a connection that cannot be established, or broke. */
const NETWORK: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/**
 * SQLSTATEs of a server that shuts down, starts, has no free connection, or is temporarily a standby; of a transaction
 * that the server ended because this process stood still; of a statement that was waiting for a lock when its time
 * limit expired.
 */
const STATES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300', '25006', '25P03', '57014'])

/** Messages of `pg` for connection errors without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|the embedded database has )/

/** The connection broke while a transaction was being committed: it is unknown if its changes were stored. */
export class CommitOutcomeUnknown extends Error {
  override readonly name = 'CommitOutcomeUnknown'

  constructor(cause: unknown) {
    super('the outcome of a commit is unknown', { cause })
  }
}

/** The error of a failed commit: `CommitOutcomeUnknown` if the connection to the database broke meanwhile. */
export function failedCommit(error: unknown): unknown {
  return isUnavailable(error) ? new CommitOutcomeUnknown(error) : error
}

/**
 * True if a transaction failed because the database is unavailable, and certainly before its commit: it may be retried.
 */
export const isUncommitted = (error: unknown): boolean =>
  isUnavailable(error) && !(error instanceof CommitOutcomeUnknown)

/**
 * True if a transaction failed because of concurrent ones, and may succeed when retried: serialization failure,
 * deadlock.
 */
export const hasLostRace = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error) ?? '')

/** True if the server has no free connection for this user or database (`max_connections`). */
export const hasNoConnectionLeft = (error: unknown): boolean => sqlState(error) === '53300'

/** True if a query failed because the database cannot be reached, not because of the query: it may be retried. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  if (!(error instanceof Error)) return false
  if (error instanceof CommitOutcomeUnknown) return true
  const state = sqlState(error)
  if (state !== undefined) return STATES.has(state) || state.startsWith('08')
  if ('code' in error && typeof error.code === 'string' && NETWORK.has(error.code)) return true
  return MESSAGES.test(error.message)
}
