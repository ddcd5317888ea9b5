import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { type Any, anyPack } from '@bufbuild/protobuf/wkt'
import type { ErrorDetail } from '@engine/api'
import { BadRequestSchema, ErrorInfoSchema, GrpcError, RetryInfoSchema, type StatusName } from '@engine/grpc-server'
import type { HttpError, HttpErrorCode } from '@engine/http-server'
import type { EngineError, EngineErrorCode } from '../errors.ts'

/**
 * One row per code of `errors.ts`; a code without a row does not compile. INTERNAL is only used for failures of the
 * server: rules that fail on an input are FAILED_PRECONDITION, which alarms do not count against the server.
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

/** Codes in `details` that classify a failure of the rules as a timeout. */
const TIMEOUT_CODES = new Set(['timeout', 'request-timeout'])

/** Maximum number of characters of violations in one trailer: servers and proxies limit headers to 8 KiB or more. */
const MAX_VIOLATIONS_LENGTH = 3000

interface FieldViolation {
  readonly field: string
  readonly description: string
  readonly reason: string
}

/** The first violations that fit into a trailer; the message counts all. */
function withinTrailer(violations: readonly FieldViolation[]): FieldViolation[] {
  let left = MAX_VIOLATIONS_LENGTH
  const end = violations.findIndex(({ field, description, reason }) => {
    left -= field.length + description.length + reason.length
    return left < 0
  })
  return violations.slice(0, end < 0 ? violations.length : Math.max(1, end))
}

/**
 * Converts an error of an operation or of HTTP itself to a status: the message is the same as over HTTP. The cause is
 * not sent.
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

/** The location and the suggestion of the first fault. */
function metadataOf({ path, line, column, suggestion }: ErrorDetail): Record<string, string> {
  const entries = Object.entries({ path, line, column, suggestion })
  return Object.fromEntries(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])))
}

/** The notation of reasons in `google.rpc`. */
function upperSnake(code: string): string {
  return code.replaceAll('-', '_').toUpperCase()
}
