import { type JsonProblem, quote } from '@engine/expression'

/** Every error that a request can cause before its route has read it. A server's table has a row for each. */
export type HttpErrorCode =
  | 'invalid-request'
  | 'not-found'
  | 'method-not-allowed'
  | 'method-unknown'
  | 'late-request'
  | 'precondition-failed'
  | 'payload-too-large'
  | 'unsupported-media-type'
  | 'expectation-failed'
  | 'headers-too-large'
  | 'timeout'
  | 'overloaded'

/** One fault of a request: its position as a JSON pointer into the body, and the error. */
export interface FaultDetail {
  readonly path: string
  readonly message: string
  readonly code?: string
  readonly line?: number
  readonly column?: number
  /** Length of the faulty text in UTF-16 units. */
  readonly length?: number
  /** For a ruleset in the editor's format. */
  readonly step_id?: string
  /** The probable intention. */
  readonly suggestion?: string
}

/** Details of an error response besides its message. */
interface ErrorFacts {
  readonly details?: readonly FaultDetail[]
  readonly allow?: readonly string[]
  readonly retryAfterSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A request violated a requirement of HTTP. The message is sent to the client. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code: HttpErrorCode
  readonly details: readonly FaultDetail[] | undefined
  /** For `method-not-allowed`: the allowed methods. */
  readonly allow: readonly string[] | undefined
  /** For `overloaded`: when to retry. */
  readonly retryAfterSeconds: number | undefined
  /** Headers that help the client to correct the request. */
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: HttpErrorCode, message: string, facts?: ErrorFacts) {
    super(message)
    this.code = code
    this.details = facts?.details
    this.allow = facts?.allow
    this.retryAfterSeconds = facts?.retryAfterSeconds
    this.headers = facts?.headers
  }
}

/** The options that limit requests have these names in every server, since messages refer to them. */
export const LIMIT_FLAGS = {
  body: '--max-request-body-bytes',
  unread: '--max-unread-body-bytes',
  time: '--request-timeout-secs',
  connections: '--max-connections',
} as const

/** Messages used in several places. */
export const httpErrors = {
  /** @param limit bytes */
  tooLarge: (limit: number) =>
    new HttpError('payload-too-large', `the request body is larger than ${limit} bytes (${LIMIT_FLAGS.body})`),
  /** The memory for arriving bodies is exhausted. */
  tooManyBodies: () =>
    new HttpError(
      'overloaded',
      `too many request bodies are arriving at the same time (${LIMIT_FLAGS.unread}): try again`,
      { retryAfterSeconds: 1 },
    ),
  /** The request did not arrive in full. */
  lateRequest: (seconds: number) =>
    new HttpError('late-request', `the request did not arrive within ${seconds} s (${LIMIT_FLAGS.time})`),
  timedOut: (seconds: number) =>
    new HttpError('timeout', `the request was not answered within ${seconds} s (${LIMIT_FLAGS.time})`),
  notText: () => new HttpError('invalid-request', 'the body is not valid UTF-8'),
  /** A body with too many values is too large (413), regardless of its size in bytes. */
  notJson: ({ message, code, line, column }: JsonProblem) =>
    code === 'too-many-values'
      ? new HttpError('payload-too-large', `the body is too large: ${message}`, {
          details: [{ path: '', message, code, line, column }],
        })
      : new HttpError('invalid-request', `the body cannot be read as JSON: ${message}`, {
          details: [{ path: '', message, code, line, column }],
        }),
  badUrl: (url = '') =>
    new HttpError(
      'invalid-request',
      `the path ${quote(url)} is not a valid URL: check its percent signs and its length`,
    ),
} as const
