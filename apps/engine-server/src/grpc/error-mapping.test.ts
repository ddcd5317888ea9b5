import type { MessageShape, DescMessage } from '@bufbuild/protobuf'
import { anyUnpack } from '@bufbuild/protobuf/wkt'
import { BadRequestSchema, ErrorInfoSchema, type GrpcError, RetryInfoSchema } from '@engine/grpc-server'
import { HttpError } from '@engine/http-server'
import { expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import { grpcFailure } from './error-mapping.ts'

function detailOf<Schema extends DescMessage>(
  { details }: Pick<GrpcError, 'details'>,
  schema: Schema,
): MessageShape<Schema> | undefined {
  return details.map((any) => anyUnpack(any, schema)).find((message) => message !== undefined)
}

// Clients repeat UNAVAILABLE and RESOURCE_EXHAUSTED, and alarms count INTERNAL against the server.
test.each([
  ['invalid-input', 'INVALID_ARGUMENT'],
  ['unauthorized', 'UNAUTHENTICATED'],
  ['forbidden', 'PERMISSION_DENIED'],
  ['signature-rejected', 'PERMISSION_DENIED'],
  ['not-found', 'NOT_FOUND'],
  ['conflict', 'ABORTED'],
  ['read-only', 'FAILED_PRECONDITION'],
  ['execution-failed', 'FAILED_PRECONDITION'],
  ['payload-too-large', 'RESOURCE_EXHAUSTED'],
  ['too-many-requests', 'RESOURCE_EXHAUSTED'],
  ['overloaded', 'RESOURCE_EXHAUSTED'],
  ['late-request', 'DEADLINE_EXCEEDED'],
  ['timeout', 'DEADLINE_EXCEEDED'],
  ['storage-failed', 'UNAVAILABLE'],
  ['shutting-down', 'UNAVAILABLE'],
  ['receipts-unavailable', 'UNAVAILABLE'],
  ['defect', 'INTERNAL'],
] as const)('%s is %s, with the message and the code as reason', (code, status) => {
  const failure = grpcFailure(new EngineError(code, 'no'))
  expect([failure.status, failure.message]).toEqual([status, 'no'])
  expect(detailOf(failure, ErrorInfoSchema)).toMatchObject({
    reason: code.replaceAll('-', '_').toUpperCase(),
    domain: 'engine',
    metadata: {},
  })
  expect(failure.details).toHaveLength(1)
})

test('the first detail gives the reason, its place and its suggestion', () => {
  const details = [
    { path: '/input/age', message: 'a', code: 'type-mismatch', line: 2, column: 5, suggestion: 'x' },
    { path: '/input/name', message: 'b' },
  ]
  const failure = grpcFailure(new EngineError('invalid-input', 'two faults', { details }))
  expect(detailOf(failure, ErrorInfoSchema)).toMatchObject({
    reason: 'TYPE_MISMATCH',
    metadata: { path: '/input/age', line: '2', column: '5', suggestion: 'x' },
  })
  expect(detailOf(failure, BadRequestSchema)?.fieldViolations).toMatchObject([
    { field: 'input/age', description: 'a', reason: 'TYPE_MISMATCH' },
    { field: 'input/name', description: 'b', reason: 'INVALID_INPUT' },
  ])
})

test.each([
  ['timeout', 'DEADLINE_EXCEEDED'],
  ['request-timeout', 'DEADLINE_EXCEEDED'],
  ['division-by-zero', 'FAILED_PRECONDITION'],
])('rules that fail with %s: %s, which is no fault of an argument', (code, status) => {
  const details = [{ path: '/steps/a', message: 'm', code }]
  const failure = grpcFailure(new EngineError('execution-failed', 'no', { details }))
  expect([failure.status, detailOf(failure, BadRequestSchema)]).toEqual([status, undefined])
})

test.each([
  [0.2, 1n],
  [1, 1n],
  [1.5, 2n],
])('a pause of %d s is one of %d whole seconds', (retryAfterSeconds, seconds) => {
  const failure = grpcFailure(new EngineError('too-many-requests', 'no', { retryAfterSeconds }))
  expect(detailOf(failure, RetryInfoSchema)?.retryDelay?.seconds).toBe(seconds)
})

// `field`, `description` and `reason` have 3,000 characters together.
test.each<[title: string, lengths: readonly number[], shown: number]>([
  ['all violations that fit', [1483, 1483], 2],
  ['no violation beyond', [1483, 1484], 1],
  ['the first one whatever its length', [5000, 1], 1],
])('a trailer has %s', (_title, lengths, shown) => {
  const details = lengths.map((length) => ({ path: '/', message: 'x'.repeat(length), code: 'a'.repeat(17) }))
  const failure = grpcFailure(new EngineError('invalid-input', 'no', { details }))
  expect(detailOf(failure, BadRequestSchema)?.fieldViolations).toHaveLength(shown)
})

test.each([
  ['method-unknown', 'UNIMPLEMENTED'],
  ['precondition-failed', 'FAILED_PRECONDITION'],
  ['headers-too-large', 'INVALID_ARGUMENT'],
  ['overloaded', 'RESOURCE_EXHAUSTED'],
] as const)('the error %s of HTTP itself is %s', (code, status) => {
  expect(grpcFailure(new HttpError(code, 'no')).status).toBe(status)
})
