import { sqlState } from './sql-state.ts'

/** Codes of the system for a connection that cannot be made, or broke off. */
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
 * SQLSTATEs of a server that shuts down, starts, has no connection left, or is a standby for a moment; of a transaction that
 * it ended because this process stood still; of a statement that its time limit ended, because it waits for a lock.
 */
const STATES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300', '25006', '25P03', '57014'])

/** Messages of `pg` for connection errors without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|the embedded database has )/

/** The connection broke while a transaction was being committed: whether its changes were stored is unknown. */
export class CommitOutcomeUnknown extends Error {
  override readonly name = 'CommitOutcomeUnknown'

  constructor(cause: unknown) {
    super('the outcome of a commit is unknown', { cause })
  }
}

/** The error of a failed commit: `CommitOutcomeUnknown` when the connection to the database broke meanwhile. */
export function failedCommit(error: unknown): unknown {
  return isUnavailable(error) ? new CommitOutcomeUnknown(error) : error
}

/**
 * Whether a transaction failed because the database is unavailable, and certainly before its commit: it may run again.
 */
export const isUncommitted = (error: unknown): boolean =>
  isUnavailable(error) && !(error instanceof CommitOutcomeUnknown)

/** Whether other transactions kept this one from its end, and it may succeed when it is run again: serialization failure, deadlock. */
export const hasLostRace = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error) ?? '')

/** Whether the server has no connection left for this user or database (`max_connections`). */
export const hasNoConnectionLeft = (error: unknown): boolean => sqlState(error) === '53300'

/** Whether a query failed because the database cannot be reached, and not because of the query: it may be tried again. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  if (!(error instanceof Error)) return false
  if (error instanceof CommitOutcomeUnknown) return true
  const state = sqlState(error)
  if (state !== undefined) return STATES.has(state) || state.startsWith('08')
  if ('code' in error && typeof error.code === 'string' && NETWORK.has(error.code)) return true
  return MESSAGES.test(error.message)
}
