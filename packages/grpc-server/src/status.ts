import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, anyPack } from '@bufbuild/protobuf/wkt'
import { StatusSchema } from './generated/google/rpc/status_pb.ts'

/** The statuses of gRPC, with their published numbers. */
export const STATUS = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const
export type StatusName = keyof typeof STATUS

/** A call failed. Message and details are sent to the caller. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError'
  readonly status: StatusName
  /** Messages of `google.rpc`, for programs. */
  readonly details: readonly Any[]

  constructor(status: StatusName, message: string, details: readonly Any[] = []) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** Of a call that a shutdown ends. */
export const shuttingDown = () => new GrpcError('UNAVAILABLE', 'the server is shutting down')

/** A message of `google.rpc` as a detail. */
export function detail<Schema extends DescMessage>(schema: Schema, fields: MessageInitShape<Schema>): Any {
  return anyPack(schema, create(schema, fields))
}

/** Bytes of a message in the trailers: clients accept 8 KiB of metadata in all, and drop the status with what is longer. */
const LONGEST_MESSAGE = 2048
/** Characters of the details in the trailers. */
const LONGEST_DETAILS = 4096

/** The status of a failed call as trailers. A message that is too long is cut, and details that are too long are left out. */
export function trailersOf({ status, message, details }: GrpcError): Readonly<Record<string, string>> {
  const text = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message
  const code = STATUS[status]
  const trailers = { 'grpc-status': String(code), 'grpc-message': percentEncoded(text) }
  if (details.length === 0) return trailers
  const bytes = toBinary(StatusSchema, create(StatusSchema, { code, message: text, details: [...details] }))
  const encoded = Buffer.from(bytes).toString('base64').replace(/=+$/, '')
  return encoded.length > LONGEST_DETAILS ? trailers : { ...trailers, 'grpc-status-details-bin': encoded }
}

/** Bytes of UTF-8 beside printable ASCII, and `%` itself, are written as `%` and two digits. */
function percentEncoded(text: string): string {
  if (/^[ -$&-~]*$/.test(text)) return text
  let encoded = ''
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    if (encoded.length >= LONGEST_MESSAGE) break
  }
  return encoded
}
