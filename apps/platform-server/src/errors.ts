import { quote } from '@engine/expression'
import { type AnsweredError, type FaultDetail, HttpError } from '@engine/http-server'
import { storageFault } from './database/storage.ts'
import { CommitOutcomeUnknown, hasLostRace, hasNoConnectionLeft, isUnavailable } from './database/availability.ts'

/** Every known reason for an operation of the platform to fail, in addition to those of HTTP itself. */
export type PlatformErrorCode =
  | 'unauthorized'
  | 'forbidden'
  | 'conflict'
  | 'too-many-requests'
  | 'bad-gateway'
  | 'unavailable'
  | 'defect'

/** Why a change contradicts the state (`details[0].code` of 409). */
export type ConflictCode =
  | 'stale'
  | 'duplicate'
  | 'wrong_state'
  | 'tests_failed'
  | 'breaking_change'
  | 'contract_mode'
  | 'forbidden_transition'
  | 'max_changed'
  | 'coverage'
  | 'frozen'
  | 'release_required'
  | 'reviewed'
  | 'busy'
  | 'in_use'
  | 'last_owner'
  | 'no_baseline'
  | 'name_taken'
  | 'approvals_missing'
  | 'not_signed_yet'

interface ErrorFacts {
  readonly details?: readonly FaultDetail[]
  readonly cause?: unknown
  readonly retryAfterSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly current?: unknown
}

/**
 * An operation failed for a reason that its caller may know. The message is sent to the caller; the cause is logged and
 * never sent. Anything that is thrown and is neither this nor an `HttpError` is a defect.
 */
export class PlatformError extends Error implements AnsweredError<PlatformErrorCode> {
  override readonly name = 'PlatformError'
  readonly code: PlatformErrorCode
  readonly details: readonly FaultDetail[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  /** For `conflict`: the state that the change contradicts. */
  readonly current: unknown

  constructor(code: PlatformErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = code
    this.details = facts.details
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.headers = facts.headers
    this.current = facts.current
  }
}

/** The errors that have a response: those of the operations, and those of HTTP itself. */
export type ResponseError = PlatformError | HttpError

/** Converts any thrown value to an error with a response. */
export function asResponseError(thrown: unknown): ResponseError {
  if (thrown instanceof HttpError || thrown instanceof PlatformError) return thrown
  const fault = storageFault(thrown)
  if (fault !== undefined)
    return new PlatformError('unavailable', `the database cannot store the change: ${fault}`, {
      cause: thrown,
      retryAfterSeconds: 10,
    })
  if (hasLostRace(thrown))
    return new PlatformError(
      'unavailable',
      'other changes were made at the same time, and nothing was stored: try again',
      {
        cause: thrown,
        retryAfterSeconds: 1,
      },
    )
  if (isUnavailable(thrown)) return unavailable(thrown)
  return new PlatformError('defect', 'internal error; the log of the platform has the details', { cause: thrown })
}

function unavailable(cause: unknown): PlatformError {
  const facts = { cause, retryAfterSeconds: 1 }
  if (cause instanceof CommitOutcomeUnknown)
    return new PlatformError('unavailable', OUTCOME_UNKNOWN, {
      ...facts,
      details: [{ path: '', message: OUTCOME_UNKNOWN, code: 'outcome_unknown' }],
    })
  return new PlatformError(
    'unavailable',
    hasNoConnectionLeft(cause)
      ? 'the database server has no connection left (`max_connections`)'
      : 'the database does not answer',
    facts,
  )
}

const OUTCOME_UNKNOWN =
  'the database went away during the commit, so it is unknown whether the change was made: read the state, or send the request again with the same `idempotency-key`'

/** Messages used in several places. */
export const failures = {
  /** The same for unknown resources, deleted ones and those of other organizations. */
  notFound: (noun: string, id: string) => new HttpError('not-found', `there is no ${noun} ${quote(id)}`),
  unauthorized: (message = 'sign in, or send an API key: `authorization: Bearer eng_key_…`') =>
    new PlatformError('unauthorized', message),
  /** @param action the action that is missing, or a word for another reason */
  forbidden: (message: string, action: string) =>
    new PlatformError('forbidden', message, { details: [{ path: '', message, code: action }] }),
  /** @param path JSON pointer of the invalid part of the body */
  invalid: (path: string, message: string, code?: string) =>
    new HttpError('invalid-request', `${path === '' ? 'the body' : quote(path)} ${message}`, {
      details: [{ path, message, ...(code === undefined ? {} : { code }) }],
    }),
  /** Refuses a request for a reason outside its body. @param message a whole sentence */
  refused: (message: string, code?: string) =>
    new HttpError('invalid-request', message, {
      details: [{ path: '', message, ...(code === undefined ? {} : { code }) }],
    }),
  /** @param current the state that the change contradicts */
  conflict: (code: ConflictCode, message: string, current?: unknown) =>
    new PlatformError('conflict', message, { details: [{ path: '', message, code }], current }),
  tooMany: (message: string, retryAfterSeconds: number) =>
    new PlatformError('too-many-requests', message, { retryAfterSeconds }),
} as const
