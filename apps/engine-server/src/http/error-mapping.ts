import type { ErrorCode, FlagErrorCode, ReadOnlyRejection, SignatureRejection } from '@engine/api'
import type { IncomingMessage } from 'node:http'
import { asEngineError, type EngineError, type EngineErrorCode } from '../errors.ts'
import { type Answer, errorAnswers, type ErrorRow, HttpError, type HttpErrorCode, json } from '@engine/http-server'
import { flagKeyOf, standardOf } from './standard-paths.ts'

/** The responses to an error: of the engine's own interface, of AuthZEN with the same body, and of OFREP. */
interface ErrorMapping extends ErrorRow<ErrorCode> {
  readonly authzen: number
  readonly ofrep: readonly [status: number, code: FlagErrorCode]
}

/**
 * One row per code of `errors.ts`; a code without a row does not compile. Specification 7.1.
 *
 * @internal
 */
export const ROWS = {
  'invalid-request': { status: 400, code: 'BAD_REQUEST', authzen: 400, ofrep: [400, 'PARSE_ERROR'] },
  'invalid-input': { status: 400, code: 'INVALID_INPUT', authzen: 400, ofrep: [400, 'INVALID_CONTEXT'] },
  'no-targeting-key': { status: 400, code: 'BAD_REQUEST', authzen: 400, ofrep: [400, 'TARGETING_KEY_MISSING'] },
  'invalid-ruleset': { status: 400, code: 'BAD_REQUEST', authzen: 400, ofrep: [400, 'GENERAL'] },
  'invalid-expression': { status: 400, code: 'BAD_REQUEST', authzen: 400, ofrep: [400, 'GENERAL'] },
  'no-history': { status: 400, code: 'BAD_REQUEST', authzen: 400, ofrep: [400, 'GENERAL'] },
  unauthorized: {
    status: 401,
    code: 'UNAUTHORIZED',
    headers: { 'www-authenticate': 'Bearer' },
    authzen: 401,
    ofrep: [401, 'GENERAL'],
  },
  forbidden: { status: 403, code: 'FORBIDDEN', authzen: 403, ofrep: [403, 'GENERAL'] },
  'signature-rejected': { status: 403, code: 'FORBIDDEN', authzen: 403, ofrep: [403, 'GENERAL'] },
  'not-found': { status: 404, code: 'NOT_FOUND', authzen: 404, ofrep: [404, 'FLAG_NOT_FOUND'] },
  'method-not-allowed': { status: 405, code: 'METHOD_NOT_ALLOWED', authzen: 405, ofrep: [400, 'GENERAL'] },
  'method-unknown': { status: 501, code: 'NOT_IMPLEMENTED', authzen: 501, ofrep: [400, 'GENERAL'] },
  'late-request': { status: 408, code: 'TIMEOUT', authzen: 408, ofrep: [400, 'PARSE_ERROR'] },
  conflict: { status: 409, code: 'CONFLICT', authzen: 500, ofrep: [500, 'GENERAL'] },
  'read-only': { status: 409, code: 'CONFLICT', authzen: 500, ofrep: [500, 'GENERAL'] },
  'precondition-failed': { status: 412, code: 'PRECONDITION_FAILED', authzen: 400, ofrep: [400, 'GENERAL'] },
  'payload-too-large': { status: 413, code: 'PAYLOAD_TOO_LARGE', authzen: 413, ofrep: [400, 'PARSE_ERROR'] },
  'too-many-requests': { status: 429, code: 'TOO_MANY_REQUESTS', authzen: 429, ofrep: [429, 'GENERAL'] },
  'unsupported-media-type': { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', authzen: 400, ofrep: [400, 'PARSE_ERROR'] },
  'expectation-failed': { status: 417, code: 'BAD_REQUEST', authzen: 417, ofrep: [400, 'GENERAL'] },
  'headers-too-large': { status: 431, code: 'BAD_REQUEST', authzen: 431, ofrep: [400, 'GENERAL'] },
  'execution-failed': { status: 500, code: 'INTERNAL_ERROR', authzen: 500, ofrep: [500, 'GENERAL'] },
  untranslatable: { status: 422, code: 'UNTRANSLATABLE', authzen: 500, ofrep: [500, 'GENERAL'] },
  'unloadable-ruleset': { status: 422, code: 'INVALID_RULESET', authzen: 500, ofrep: [500, 'GENERAL'] },
  'analysis-findings': { status: 422, code: 'ANALYSIS_FINDINGS', authzen: 500, ofrep: [500, 'GENERAL'] },
  'analysis-failed': { status: 422, code: 'ANALYSIS_FAILED', authzen: 500, ofrep: [500, 'GENERAL'] },
  'filter-failed': { status: 500, code: 'INTERNAL_ERROR', authzen: 500, ofrep: [500, 'GENERAL'] },
  defect: { status: 500, code: 'INTERNAL_ERROR', authzen: 500, ofrep: [500, 'GENERAL'] },
  timeout: { status: 503, code: 'TIMEOUT', authzen: 500, ofrep: [500, 'GENERAL'] },
  // RFC 5842, section 7.2
  'too-many-hops': { status: 508, code: 'LOOP_DETECTED', authzen: 500, ofrep: [500, 'GENERAL'] },
  'storage-failed': { status: 503, code: 'UNAVAILABLE', authzen: 500, ofrep: [500, 'GENERAL'] },
  'shutting-down': { status: 503, code: 'UNAVAILABLE', authzen: 503, ofrep: [500, 'GENERAL'] },
  overloaded: { status: 503, code: 'UNAVAILABLE', authzen: 503, ofrep: [500, 'GENERAL'] },
  'receipts-off': { status: 400, code: 'RECEIPTS_OFF', authzen: 400, ofrep: [400, 'GENERAL'] },
  'receipts-unavailable': { status: 503, code: 'RECEIPTS_UNAVAILABLE', authzen: 503, ofrep: [500, 'GENERAL'] },
  'not-signed-yet': { status: 409, code: 'NOT_SIGNED_YET', authzen: 400, ofrep: [400, 'GENERAL'] },
} as const satisfies Readonly<Record<EngineErrorCode | HttpErrorCode, ErrorMapping>>

/** The errors that have a response: those of the operations, and those of HTTP itself. */
export type ResponseError = EngineError | HttpError

const ownFailure = errorAnswers<ResponseError>(ROWS, bodyOf)

/**
 * The answer to a failed request: specification 7.1, or as the standard of its path defines.
 *
 * @param request undefined if the data received is not a request
 */
export function failure(error: ResponseError, request?: Pick<IncomingMessage, 'url'>): Answer {
  const standard = standardOf(request)
  if (standard === undefined || request === undefined) return ownFailure(error)
  const own = { ...ownFailure(error), errorCode: undefined }
  if (standard === 'authzen') return { ...own, status: ROWS[error.code].authzen }
  return { ...own, ...flagFailure(error, flagKeyOf(request)) }
}

function flagFailure({ code, message }: ResponseError, key: string | undefined): Answer {
  const [status, errorCode] = ROWS[code].ofrep
  return json(status, { ...(key === undefined ? {} : { key }), errorCode, errorDetails: message })
}

/** The code of OFREP for an error. */
export const flagErrorCode = ({ code }: ResponseError): FlagErrorCode => ROWS[code].ofrep[1]

/** Converts any thrown value to an error with a response. */
export function asResponseError(thrown: unknown): ResponseError {
  return thrown instanceof HttpError ? thrown : asEngineError(thrown)
}

/**
 * Specification 7.1 defines separate bodies for two refusals; the refusal of a ruleset with findings also has its own.
 */
function bodyOf(error: ResponseError, common: object): object | undefined {
  if (error.code === 'signature-rejected')
    return { error: 'Forbidden', message: error.message } satisfies SignatureRejection
  if (error.code === 'read-only')
    return {
      error: 'read_only',
      message: error.message,
      writer: error.writer ?? 'unknown',
    } satisfies ReadOnlyRejection
  if (error.code === 'analysis-findings') return { ...common, findings: error.findings }
  return undefined
}
