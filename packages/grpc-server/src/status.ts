import { create, toBinary } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { Code } from './generated/google/rpc/code_pb.ts'
import { StatusSchema } from './generated/google/rpc/status_pb.ts'

export type StatusName = keyof typeof Code

/** A call failed. Message and details (messages of `google.rpc`, for programs) are sent to the caller. */
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

/** The status of calls ended by a shutdown. */
export const shuttingDown = () => new GrpcError('UNAVAILABLE', 'the server is shutting down')

/** Maximum characters in trailers: clients accept 8 KiB of metadata in total, and discard the status otherwise. */
const MAX = { message: 2048, details: 4096 } as const

/**
 * The status of a failed call as trailers. A message that is too long is truncated, and details that are too long are
 * omitted.
 */
export function trailersOf({ status, message, details }: GrpcError): Readonly<Record<string, string>> {
  const text = message.length > MAX.message ? `${message.slice(0, MAX.message)}…` : message
  const code = Code[status]
  const encodedText = WHOLE_CHARACTERS.exec(percentEncoded(text).slice(0, MAX.message))?.[0] ?? ''
  const trailers = { 'grpc-status': String(code), 'grpc-message': encodedText }
  if (details.length === 0) return trailers
  const bytes = toBinary(StatusSchema, create(StatusSchema, { code, message: text, details: [...details] }))
  const encoded = Buffer.from(bytes).toString('base64').replace(/=+$/, '')
  return encoded.length > MAX.details ? trailers : { ...trailers, 'grpc-status-details-bin': encoded }
}

/**
 * Percent-encoded characters of one to four bytes. Clients show a message that ends within an escape, or within the bytes
 * of a character, with all its escapes.
 */
const WHOLE_CHARACTERS = /^(?:[^%]|%[0-7].|%[CD].%..|%E.(?:%..){2}|%F.(?:%..){3})*/

/** Percent-encodes everything except printable ASCII, and `%` itself. */
function percentEncoded(text: string): string {
  const bytes = Buffer.from(text).toString('latin1')
  return bytes.replace(/[^ -$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
