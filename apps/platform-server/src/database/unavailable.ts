import { sqlState } from './database.ts'

/** Errors of the connection, as the system and the driver name them. */
const CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
])

/** What `pg` throws without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** SQLSTATEs of a server that is going down or coming up, or has no connection left. */
const STATES = /^(?:08...|57P0[123]|53300)$/

/** Whether the database did not answer, in place of having an answer that is an error. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (CODES.has(code) || STATES.test(sqlState(error) ?? '') || MESSAGES.test(error.message)) return true
  return error instanceof AggregateError && error.errors.some(isUnavailable)
}
