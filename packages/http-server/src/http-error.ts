import { type JsonProblem, quote } from '@engine/expression'

/** Every way in which a request fails before its route has read it, whatever the server does. A server's table has a row for each. */
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

/** One fault of what was sent: where it is, as JSON pointer into the body, and what is wrong. */
export interface FaultDetail {
  readonly path: string
  readonly message: string
  readonly code?: string
  readonly line?: number
  readonly column?: number
  /** UTF-16 units of a text that are wrong. */
  readonly length?: number
  /** Of a ruleset in the format of the editor. */
  readonly step_id?: string
  /** What is meant, probably. */
  readonly suggestion?: string
}

/** What a response says of an error beside its message. */
interface ErrorFacts {
  readonly details?: readonly FaultDetail[]
  readonly allow?: readonly string[]
  readonly retryAfterSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A request failed by what HTTP itself demands. The message is sent to its sender. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code: HttpErrorCode
  readonly details: readonly FaultDetail[] | undefined
  /** Of `method-not-allowed`: the methods that would be right. */
  readonly allow: readonly string[] | undefined
  /** Of `overloaded`: when to ask again. */
  readonly retryAfterSeconds: number | undefined
  /** Headers that help the sender to do better. */
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

/** The options that limit requests are called so by every server, since messages to senders and operators name them. */
export const LIMIT_FLAGS = {
  body: '--max-request-body-bytes',
  unread: '--max-unread-body-bytes',
  time: '--request-timeout-secs',
  connections: '--max-connections',
} as const

/** The messages that more than one place gives, so that all say the same. */
export const httpErrors = {
  /** @param limit bytes */
  tooLarge: (limit: number) =>
    new HttpError('payload-too-large', `the request body is larger than ${limit} bytes (${LIMIT_FLAGS.body})`),
  /** The memory for bodies that are still arriving is taken. */
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
  /** A body with too many values is too large (413), whatever its bytes. */
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
