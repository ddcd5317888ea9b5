import { status } from '@grpc/grpc-js'
import { EngineError, type EngineErrorCode } from '../errors.ts'

/** One row per code of `errors.ts`; a new code does not compile until it has a row. */
const GRPC_STATUS = {
  'invalid-request': status.INVALID_ARGUMENT,
  'invalid-ruleset': status.INVALID_ARGUMENT,
  'invalid-expression': status.INVALID_ARGUMENT,
  'no-history': status.FAILED_PRECONDITION,
  unauthorized: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  'signature-rejected': status.PERMISSION_DENIED,
  'not-found': status.NOT_FOUND,
  'method-not-allowed': status.UNIMPLEMENTED,
  'late-request': status.DEADLINE_EXCEEDED,
  conflict: status.ABORTED,
  'read-only': status.FAILED_PRECONDITION,
  'payload-too-large': status.RESOURCE_EXHAUSTED,
  'too-many-requests': status.RESOURCE_EXHAUSTED,
  'unsupported-media-type': status.INVALID_ARGUMENT,
  'expectation-failed': status.INVALID_ARGUMENT,
  'headers-too-large': status.INVALID_ARGUMENT,
  'execution-failed': status.INTERNAL,
  'filter-failed': status.INTERNAL,
  'storage-failed': status.INTERNAL,
  defect: status.INTERNAL,
  timeout: status.DEADLINE_EXCEEDED,
  'too-many-hops': status.FAILED_PRECONDITION,
  'shutting-down': status.UNAVAILABLE,
  overloaded: status.UNAVAILABLE,
} as const satisfies Record<EngineErrorCode, status>

/** A failed call as grpc-js sends it: the detail is the message that HTTP gives. Its cause stays here. */
export interface GrpcFailure {
  readonly code: status
  readonly details: string
}

/** Give an `EngineError` its status. An exceeded time limit of the rules differs from a failure of the rules. */
export function grpcFailure(error: EngineError): GrpcFailure {
  const isLate = error.code === 'execution-failed' && error.details?.[0]?.code === 'timeout'
  return { code: isLate ? status.DEADLINE_EXCEEDED : GRPC_STATUS[error.code], details: error.message }
}
