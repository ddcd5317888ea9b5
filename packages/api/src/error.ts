import { Type } from 'typebox'
import { DecisionReceipt } from './execution.ts'
import type { ReadonlyStatic } from './static.ts'

/** One fault of a request: its position, the error, and a correction when there is a good guess. */
export const ErrorDetail = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer (RFC 6901) into the request body' }),
    message: Type.String(),
    code: Type.Optional(Type.String({ description: 'stable identifier of the kind of fault' })),
    line: Type.Optional(Type.Integer({ description: 'one-based' })),
    column: Type.Optional(Type.Integer({ description: 'one-based' })),
    suggestion: Type.Optional(Type.String()),
    expected: Type.Optional(Type.String()),
    found: Type.Optional(Type.String()),
    construct: Type.Optional(Type.String({ description: 'the expression or action that has no form in SQL' })),
    excerpt: Type.Optional(Type.String({ description: 'the line at fault with a caret below' })),
  },
  { title: 'ErrorDetail', description: 'one fault of the request' },
)
export type ErrorDetail = ReadonlyStatic<typeof ErrorDetail>

/** The codes of error bodies: the three of specification 7.1 and those of docs/http.md. */
export const ERROR_CODES = [
  'BAD_REQUEST',
  'INVALID_INPUT',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'TOO_MANY_REQUESTS',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNTRANSLATABLE',
  'INVALID_RULESET',
  'ANALYSIS_FINDINGS',
  'ANALYSIS_FAILED',
  'INTERNAL_ERROR',
  'NOT_IMPLEMENTED',
  'TIMEOUT',
  'UNAVAILABLE',
  'LOOP_DETECTED',
  'RECEIPTS_OFF',
  'RECEIPTS_UNAVAILABLE',
  'NOT_SIGNED_YET',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Specification 7.1. */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'the mistake and its correction' }),
    code: Type.Unsafe<ErrorCode>(Type.Union(ERROR_CODES.map((code) => Type.Literal(code)))),
    details: Type.Optional(Type.Array(ErrorDetail)),
    receipt: Type.Optional(DecisionReceipt),
  },
  { title: 'Error', description: 'error (specification 7.1)' },
)
export type ErrorBody = ReadonlyStatic<typeof ErrorBody>

/** A reader rejected a change, specification 7.1. */
export const ReadOnlyRejection = Type.Object(
  {
    error: Type.Literal('read_only'),
    message: Type.String({ description: 'what to do instead' }),
    writer: Type.String({ description: 'where changes are made; `unknown` without `--writer-addr`' }),
  },
  {
    title: 'ReadOnlyRejection',
    examples: [
      {
        error: 'read_only',
        message: 'this server is a reader: change the rulesets at the writer',
        writer: 'http://writer:8080',
      },
    ],
  },
)
export type ReadOnlyRejection = ReadonlyStatic<typeof ReadOnlyRejection>

/** The signature of a ruleset was rejected, specification 7.1. */
export const SignatureRejection = Type.Object(
  {
    error: Type.Literal('Forbidden'),
    message: Type.String({ description: 'the reason' }),
  },
  { title: 'SignatureRejection', examples: [{ error: 'Forbidden', message: 'no signature found' }] },
)
export type SignatureRejection = ReadonlyStatic<typeof SignatureRejection>
