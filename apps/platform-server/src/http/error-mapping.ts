import { type Answer, errorAnswers, type ErrorRows } from '@engine/http-server'
import { type Static, Type } from 'typebox'
import { JsonText } from './json-response.ts'
import { PlatformError, type PlatformErrorCode, type ResponseError } from '../errors.ts'

/** Error codes for programs. */
const ERROR_CODES = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'NOT_IMPLEMENTED',
  'BAD_GATEWAY',
  'UNAVAILABLE',
  'TIMEOUT',
] as const
export type PublicCode = (typeof ERROR_CODES)[number]

const Detail = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer (RFC 6901) into the body of the request' }),
    message: Type.String(),
    code: Type.Optional(
      Type.String({ description: 'stable name of the kind of fault; of 403 the action that is missing' }),
    ),
    line: Type.Optional(Type.Integer({ description: 'one-based' })),
    column: Type.Optional(Type.Integer({ description: 'one-based' })),
    length: Type.Optional(Type.Integer({ description: 'UTF-16 units' })),
    suggestion: Type.Optional(Type.String()),
    step_id: Type.Optional(Type.String()),
  },
  { title: 'ErrorDetail' },
)

/** The body of every error. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'the mistake and its correction' }),
    code: Type.Enum([...ERROR_CODES]),
    details: Type.Optional(Type.Array(Detail)),
    request_id: Type.String({ description: 'also in the header `x-request-id`, the log and the audit' }),
    current: Type.Optional(Type.Unknown({ description: 'of a conflict: the state that the change contradicts' })),
  },
  { title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** One row per code of `errors.ts` and of HTTP itself; a code without a row does not compile. */
const HTTP_FAILURE = {
  'invalid-request': { status: 400, code: 'BAD_REQUEST' },
  unauthorized: { status: 401, code: 'UNAUTHORIZED', headers: { 'www-authenticate': 'Bearer' } },
  forbidden: { status: 403, code: 'FORBIDDEN' },
  'not-found': { status: 404, code: 'NOT_FOUND' },
  'method-not-allowed': { status: 405, code: 'METHOD_NOT_ALLOWED' },
  'late-request': { status: 408, code: 'TIMEOUT' },
  conflict: { status: 409, code: 'CONFLICT' },
  // The platform compares `if-match` itself and answers 409; only HTTP's own row is needed.
  'precondition-failed': { status: 409, code: 'CONFLICT' },
  'payload-too-large': { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  'unsupported-media-type': { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  'expectation-failed': { status: 417, code: 'BAD_REQUEST' },
  'too-many-requests': { status: 429, code: 'TOO_MANY_REQUESTS' },
  'headers-too-large': { status: 431, code: 'BAD_REQUEST' },
  defect: { status: 500, code: 'INTERNAL_ERROR' },
  'method-unknown': { status: 501, code: 'NOT_IMPLEMENTED' },
  'bad-gateway': { status: 502, code: 'BAD_GATEWAY' },
  unavailable: { status: 503, code: 'UNAVAILABLE' },
  overloaded: { status: 503, code: 'UNAVAILABLE' },
  timeout: { status: 504, code: 'TIMEOUT' },
} as const satisfies ErrorRows<PlatformErrorCode, PublicCode>

/** The answer to a failed request. */
export function failure(error: ResponseError, requestId: string): Answer {
  const current = error instanceof PlatformError ? error.current : undefined
  const answer = errorAnswers<ResponseError>(HTTP_FAILURE, (_error, common) => ({
    ...common,
    request_id: requestId,
    ...(current !== undefined && !(current instanceof JsonText) && { current }),
  }))(error)
  if (!(current instanceof JsonText)) return answer
  return { ...answer, body: `${String(answer.body).slice(0, -1)},"current":${current.text}}` }
}
