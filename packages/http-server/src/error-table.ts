import type { HttpErrorCode } from './http-error.ts'
import { type Answer, json } from './response.ts'

/** A server error as mapped by its table, including the errors of HTTP itself (`HttpError`). */
export interface AnsweredError<Code extends string> {
  readonly code: Code
  /** Sent to the client. */
  readonly message: string
  readonly details?: readonly object[] | undefined
  /** For the header `allow`. */
  readonly allow?: readonly string[] | undefined
  /** For the header `retry-after`. */
  readonly retryAfterSeconds?: number | undefined
  /** Further headers of this one error. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The response to errors with one code. */
export interface ErrorRow<PublicCode extends string> {
  readonly status: number
  /** The error code for programs. */
  readonly code: PublicCode
  readonly headers?: Readonly<Record<string, string>>
}

/** One row per error code of a server, including those of HTTP: a code without a row does not compile. */
export type ErrorRows<Code extends string, PublicCode extends string = string> = Readonly<
  Record<Code | HttpErrorCode, ErrorRow<PublicCode>>
>

/**
 * Maps errors to responses by a table. The body is `{error, code, details?}`; the cause of an error is never sent.
 *
 * @param bodyOf custom body of an error, based on the common one; undefined for the common one
 */
export function errorAnswers<Failed extends AnsweredError<string>>(
  rows: ErrorRows<Failed['code']>,
  bodyOf: (error: Failed, common: object) => object | undefined = () => undefined,
): (error: Failed) => Answer {
  return (error) => {
    const row: ErrorRow<string> = rows[error.code as Failed['code']]
    const common = commonBody(error, row.code)
    const answer = { ...json(row.status, bodyOf(error, common) ?? common), errorCode: row.code }
    const headers = headersOf(error, row.headers)
    return headers === undefined ? answer : { ...answer, headers }
  }
}

function commonBody({ message, details }: AnsweredError<string>, code: string): object {
  return { error: message, code, ...(details === undefined ? {} : { details }) }
}

function headersOf(
  { allow, retryAfterSeconds, headers: own }: AnsweredError<string>,
  ofRow: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  const headers = own === undefined ? ofRow : { ...ofRow, ...own }
  if (allow !== undefined) return { ...headers, allow: allow.join(', ') }
  if (retryAfterSeconds !== undefined) return { ...headers, 'retry-after': String(retryAfterSeconds) }
  return headers
}
