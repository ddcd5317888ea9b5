import { create, toBinary } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { Code } from './generated/google/rpc/code_pb.ts'
import { StatusSchema } from './generated/google/rpc/status_pb.ts'

export type StatusName = keyof typeof Code

/** A call failed. The caller is sent the message, and the details: messages of `google.rpc`, for programs. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError'
  readonly status: StatusName
  readonly details: readonly Any[]

  constructor(status: StatusName, message: string, details: readonly Any[] = []) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** Of a call that a shutdown ends. */
export const shuttingDown = () => new GrpcError('UNAVAILABLE', 'the server is shutting down')

/** Characters in the trailers: clients accept 8 KiB of metadata in all, and drop the status with what is longer. */
const MAX = { message: 2048, details: 4096 } as const

/** The status of a failed call as trailers. A message that is too long is cut, and details that are too long are left out. */
export function trailersOf({ status, message, details }: GrpcError): Readonly<Record<string, string>> {
  const text = message.length > MAX.message ? `${message.slice(0, MAX.message)}…` : message
  const code = Code[status]
  // Cut between two characters: a part of an escape would be read as text.
  const encodedText = percentEncoded(text)
    .slice(0, MAX.message)
    .replace(/%[0-9A-F]?$/, '')
  const trailers = { 'grpc-status': String(code), 'grpc-message': encodedText }
  if (details.length === 0) return trailers
  const bytes = toBinary(StatusSchema, create(StatusSchema, { code, message: text, details: [...details] }))
  const encoded = Buffer.from(bytes).toString('base64').replace(/=+$/, '')
  return encoded.length > MAX.details ? trailers : { ...trailers, 'grpc-status-details-bin': encoded }
}

/** Bytes of UTF-8 beside printable ASCII, and `%` itself, are written as `%` and two digits. */
function percentEncoded(text: string): string {
  const bytes = Buffer.from(text).toString('latin1')
  return bytes.replace(/[^ -$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
