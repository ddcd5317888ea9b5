import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { type Any, anyPack } from '@bufbuild/protobuf/wkt'
import type { ErrorDetail } from '@engine/api'
import { BadRequestSchema, ErrorInfoSchema, GrpcError, RetryInfoSchema, type StatusName } from '@engine/grpc-server'
import type { HttpError, HttpErrorCode } from '@engine/http-server'
import type { EngineError, EngineErrorCode } from '../errors.ts'

/**
 * One row per code of `errors.ts`; a new code does not compile until it has a row. INTERNAL is a failure of the server alone:
 * rules that fail on an input are FAILED_PRECONDITION, which alarms do not count against the server.
 */
const GRPC_STATUS = {
  'invalid-request': 'INVALID_ARGUMENT',
  'invalid-input': 'INVALID_ARGUMENT',
  'no-targeting-key': 'INVALID_ARGUMENT',
  'invalid-ruleset': 'INVALID_ARGUMENT',
  'invalid-expression': 'INVALID_ARGUMENT',
  'no-history': 'FAILED_PRECONDITION',
  unauthorized: 'UNAUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  'signature-rejected': 'PERMISSION_DENIED',
  'not-found': 'NOT_FOUND',
  'method-not-allowed': 'UNIMPLEMENTED',
  'method-unknown': 'UNIMPLEMENTED',
  'precondition-failed': 'FAILED_PRECONDITION',
  'late-request': 'DEADLINE_EXCEEDED',
  conflict: 'ABORTED',
  'read-only': 'FAILED_PRECONDITION',
  'payload-too-large': 'RESOURCE_EXHAUSTED',
  'too-many-requests': 'RESOURCE_EXHAUSTED',
  'unsupported-media-type': 'INVALID_ARGUMENT',
  'expectation-failed': 'INVALID_ARGUMENT',
  'headers-too-large': 'INVALID_ARGUMENT',
  'execution-failed': 'FAILED_PRECONDITION',
  'filter-failed': 'FAILED_PRECONDITION',
  untranslatable: 'FAILED_PRECONDITION',
  'unloadable-ruleset': 'INVALID_ARGUMENT',
  'analysis-findings': 'FAILED_PRECONDITION',
  'analysis-failed': 'FAILED_PRECONDITION',
  defect: 'INTERNAL',
  timeout: 'DEADLINE_EXCEEDED',
  'too-many-hops': 'FAILED_PRECONDITION',
  'storage-failed': 'UNAVAILABLE',
  'shutting-down': 'UNAVAILABLE',
  overloaded: 'RESOURCE_EXHAUSTED',
  'receipts-off': 'INVALID_ARGUMENT',
  'receipts-unavailable': 'UNAVAILABLE',
  'not-signed-yet': 'FAILED_PRECONDITION',
} as const satisfies Record<EngineErrorCode | HttpErrorCode, StatusName>

/** Codes of `details` by which a failure of the rules is one of time. */
const TIMEOUT_CODES = new Set(['timeout', 'request-timeout'])

/** Characters of violations in one trailer: servers and proxies limit headers to 8 KiB or more. */
const MAX_VIOLATIONS_LENGTH = 3000

interface FieldViolation {
  readonly field: string
  readonly description: string
  readonly reason: string
}

/** The first violations that a trailer has room for; the message counts all. */
function withinTrailer(violations: readonly FieldViolation[]): FieldViolation[] {
  let left = MAX_VIOLATIONS_LENGTH
  const end = violations.findIndex(({ field, description, reason }) => {
    left -= field.length + description.length + reason.length
    return left < 0
  })
  return violations.slice(0, end < 0 ? violations.length : Math.max(1, end))
}

/**
 * An error of an operation, or of what HTTP itself demands, as sent: the message is the one that HTTP gives. Its cause stays
 * here.
 */
export function grpcFailure(
  { code, message, details = [], retryAfterSeconds }: EngineError | HttpError,
  more: readonly Any[] = [],
): GrpcError {
  const [first] = details
  const isLate = code === 'execution-failed' && TIMEOUT_CODES.has(first?.code ?? '')
  const info = detail(ErrorInfoSchema, {
    reason: upperSnake(first?.code ?? code),
    domain: 'engine',
    metadata: first === undefined ? {} : metadataOf(first),
  })
  const violations = withinTrailer(
    details.map((one) => ({
      field: one.path.slice(1),
      description: one.message,
      reason: upperSnake(one.code ?? code),
    })),
  )
  const isArgument = GRPC_STATUS[code] === 'INVALID_ARGUMENT' && violations.length > 0
  return new GrpcError(isLate ? 'DEADLINE_EXCEEDED' : GRPC_STATUS[code], message, [
    info,
    ...(isArgument ? [detail(BadRequestSchema, { fieldViolations: violations })] : []),
    ...more,
    ...(retryAfterSeconds === undefined
      ? []
      : [detail(RetryInfoSchema, { retryDelay: { seconds: BigInt(Math.ceil(retryAfterSeconds)) } })]),
  ])
}

/** A message of `google.rpc`. */
export function detail<Schema extends DescMessage>(schema: Schema, fields: MessageInitShape<Schema>): Any {
  return anyPack(schema, create(schema, fields))
}

/** The place and the suggestion of the first fault. */
function metadataOf({ path, line, column, suggestion }: ErrorDetail): Record<string, string> {
  const entries = Object.entries({ path, line, column, suggestion })
  return Object.fromEntries(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])))
}

/** As the reasons of `google.rpc` are written. */
function upperSnake(code: string): string {
  return code.replaceAll('-', '_').toUpperCase()
}
