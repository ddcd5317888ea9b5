import type { ErrorCode, ReadOnlyRejection, SignatureRejection } from '@engine/api'
import { asEngineError, type EngineError, type EngineErrorCode } from '../errors.ts'
import { errorAnswers, type ErrorRows, HttpError } from '@engine/http-server'

/** One row per code of `errors.ts`; a new code does not compile until it has a row. Specification 7.1. */
const HTTP_FAILURE = {
  'invalid-request': { status: 400, code: 'BAD_REQUEST' },
  'invalid-input': { status: 400, code: 'INVALID_INPUT' },
  'invalid-ruleset': { status: 400, code: 'BAD_REQUEST' },
  'invalid-expression': { status: 400, code: 'BAD_REQUEST' },
  'no-history': { status: 400, code: 'BAD_REQUEST' },
  unauthorized: { status: 401, code: 'UNAUTHORIZED', headers: { 'www-authenticate': 'Bearer' } },
  forbidden: { status: 403, code: 'FORBIDDEN' },
  'signature-rejected': { status: 403, code: 'FORBIDDEN' },
  'not-found': { status: 404, code: 'NOT_FOUND' },
  'method-not-allowed': { status: 405, code: 'METHOD_NOT_ALLOWED' },
  'method-unknown': { status: 501, code: 'NOT_IMPLEMENTED' },
  'late-request': { status: 408, code: 'TIMEOUT' },
  conflict: { status: 409, code: 'CONFLICT' },
  'read-only': { status: 409, code: 'CONFLICT' },
  'precondition-failed': { status: 412, code: 'PRECONDITION_FAILED' },
  'payload-too-large': { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  'too-many-requests': { status: 429, code: 'TOO_MANY_REQUESTS' },
  'unsupported-media-type': { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  'expectation-failed': { status: 417, code: 'BAD_REQUEST' },
  'headers-too-large': { status: 431, code: 'BAD_REQUEST' },
  'execution-failed': { status: 500, code: 'INTERNAL_ERROR' },
  untranslatable: { status: 422, code: 'UNTRANSLATABLE' },
  'unloadable-ruleset': { status: 422, code: 'INVALID_RULESET' },
  'analysis-findings': { status: 422, code: 'ANALYSIS_FINDINGS' },
  'analysis-failed': { status: 422, code: 'ANALYSIS_FAILED' },
  'filter-failed': { status: 500, code: 'INTERNAL_ERROR' },
  defect: { status: 500, code: 'INTERNAL_ERROR' },
  timeout: { status: 503, code: 'TIMEOUT' },
  // RFC 5842, section 7.2
  'too-many-hops': { status: 508, code: 'LOOP_DETECTED' },
  'storage-failed': { status: 503, code: 'UNAVAILABLE' },
  'shutting-down': { status: 503, code: 'UNAVAILABLE' },
  overloaded: { status: 503, code: 'UNAVAILABLE' },
} as const satisfies ErrorRows<EngineErrorCode, ErrorCode>

/** The errors that have a response: those of the operations, and those of HTTP itself. */
export type ResponseError = EngineError | HttpError

/** The answer to a failed request: specification 7.1. */
export const failure = errorAnswers<ResponseError>(HTTP_FAILURE, bodyOf)

/** Whatever was thrown, as an error that has a response. */
export function asResponseError(thrown: unknown): ResponseError {
  return thrown instanceof HttpError ? thrown : asEngineError(thrown)
}

/** Specification 7.1 gives two refusals separate forms; the refusal of a ruleset with findings has these. */
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
