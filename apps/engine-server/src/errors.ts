import type { ErrorDetail, SavedRuleset } from '@engine/api'
import { type JsonProblem, quote } from '@engine/expression'

/** Every way in which an operation of the server can fail for a known reason. Transports map each to their own status. */
export type EngineErrorCode =
  | 'invalid-request'
  | 'invalid-input'
  | 'no-targeting-key'
  | 'invalid-ruleset'
  | 'invalid-expression'
  | 'no-history'
  | 'unauthorized'
  | 'forbidden'
  | 'signature-rejected'
  | 'not-found'
  | 'method-not-allowed'
  | 'late-request'
  | 'conflict'
  | 'read-only'
  | 'payload-too-large'
  | 'too-many-requests'
  | 'too-many-hops'
  | 'unsupported-media-type'
  | 'expectation-failed'
  | 'headers-too-large'
  | 'execution-failed'
  | 'filter-failed'
  | 'untranslatable'
  | 'unloadable-ruleset'
  | 'analysis-findings'
  | 'analysis-failed'
  | 'storage-failed'
  | 'defect'
  | 'timeout'
  | 'shutting-down'
  | 'overloaded'
  | 'receipts-off'
  | 'receipts-unavailable'
  | 'not-signed-yet'

/**
 * An operation failed for a reason that its caller may know. The message is sent to the caller; the cause is logged and
 * never sent. Anything that is thrown and is not an `EngineError` is a defect.
 */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  readonly details: readonly ErrorDetail[] | undefined
  /** Of `method-not-allowed`: the methods that would be right. */
  readonly allow: readonly string[] | undefined
  /** For `too-many-requests`, `overloaded` and `storage-failed`: when to retry. */
  readonly retryAfterSeconds: number | undefined
  /** Of `read-only`: where changes are made. */
  readonly writer: string | undefined
  /** Of `analysis-findings`: the errors and warnings. */
  readonly findings: SavedRuleset['findings']
  constructor(
    code: EngineErrorCode,
    message: string,
    options?: {
      readonly details?: readonly ErrorDetail[]
      readonly cause?: unknown
      readonly allow?: readonly string[]
      readonly retryAfterSeconds?: number
      readonly writer?: string
      readonly findings?: SavedRuleset['findings']
    },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options?.details
    this.allow = options?.allow
    this.retryAfterSeconds = options?.retryAfterSeconds
    this.writer = options?.writer
    this.findings = options?.findings
  }
}

/** Converts anything thrown to an `EngineError`: other errors are defects, whose messages are not exposed. */
export function asEngineError(thrown: unknown): EngineError {
  return thrown instanceof EngineError
    ? thrown
    : new EngineError('defect', 'internal error; the log of the server has the details', { cause: thrown })
}

/** Seconds until a change that the disk has refused may be tried again: people have to make room. */
const STORAGE_RETRY_SECONDS = 10

/** Seconds after which receipts are probably written again. */
const RECEIPTS_RETRY_SECONDS = 1

/** Messages used in several places. */
export const failures = {
  storageFailed: (message: string, cause: unknown) =>
    new EngineError('storage-failed', message, { cause, retryAfterSeconds: STORAGE_RETRY_SECONDS }),
  receiptsOff: () => new EngineError('receipts-off', 'this engine keeps no receipts (--receipts)'),
  receiptsUnavailable: (reason: string) =>
    new EngineError('receipts-unavailable', `receipts cannot be written: ${reason}`, {
      retryAfterSeconds: RECEIPTS_RETRY_SECONDS,
    }),
  noSuchRuleset: (name: string) => new EngineError('not-found', `ruleset ${quote(name)} not found`),
  noSuchVersion: (name: string, seq: number) =>
    new EngineError('not-found', `version ${seq} of ruleset ${quote(name)} not found`),
  /** The wording is fixed by specification 7.1. */
  noHistory: () => new EngineError('no-history', 'Version rollback not available in memory-only mode'),
  /** @param writer the address of the writer; undefined: not configured */
  readOnly: (writer: string | undefined) =>
    new EngineError(
      'read-only',
      writer === undefined
        ? 'this instance is a reader and cannot change rulesets: send changes to the writer'
        : `this instance is a reader and cannot change rulesets: send changes to the writer at ${writer}`,
      { writer: writer ?? 'unknown' },
    ),
  platformWrites: () =>
    new EngineError(
      'forbidden',
      'the rulesets of this engine are changed through its platform: release them there, give writers tokens (--api-tokens-file), or allow changes by anyone (--allow-direct-writes)',
    ),
  inputNotAnObject: (found: string) =>
    new EngineError('invalid-request', `\`input\` must be an object, found ${found}`, {
      details: [{ path: '/input', message: `must be an object, found ${found}` }],
    }),
  /** @param path JSON pointer of the invalid part; @param subject its name in the message */
  invalidPart: (path: string, message: string, subject = path === '' ? 'the body' : quote(path)) =>
    new EngineError('invalid-request', `${subject} ${message}`, { details: [{ path, message }] }),
  /** @param path JSON pointer of the text with invalid JSON; @param subject its name in the message */
  notJson: (path: string, subject: string, { message, code, line, column }: JsonProblem) =>
    new EngineError('invalid-request', `${subject} cannot be read as JSON: ${message}`, {
      details: [{ path, message, code, line, column }],
    }),
  /** A call of gRPC took too long. */
  notAnswered: (seconds: number) =>
    new EngineError('timeout', `the call was not answered within ${seconds} s (--request-timeout-secs)`),
  timedOut: (seconds: number) =>
    new EngineError('timeout', `the request was not answered within ${seconds} s (--request-timeout-secs)`),
} as const

/** User text for a message. */
export { quote as quoted }
/** The kind of a value, for messages. */
export { describe } from '@engine/http-api'
