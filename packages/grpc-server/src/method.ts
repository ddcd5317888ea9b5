import type { DescMessage, DescMethod, DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { type Awaitable, whenThere } from '@engine/process'
import { GrpcError } from './status.ts'

/**
 * A call from the method's point of view. Includes a signal that aborts when the caller disconnects or the time limit
 * expires.
 */
export interface Call {
  /** The metadata as Node provides it; some names only have their first value. */
  readonly headers: NodeJS.Dict<string | string[]>
  /** Alternating names (in lower case) and values, as sent. */
  readonly rawHeaders: readonly string[]
  /** The address of the caller; undefined for a Unix socket. */
  readonly address: string | undefined
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A call whose requests and responses are bytes. */
export interface BytesCall extends Call {
  /** The requests of a stream as they arrive. Throws UNAVAILABLE at a shutdown. */
  requests<Request>(read: (content: Buffer) => Request): AsyncIterable<Request>
  /** Returns a promise if the caller must read first. */
  send(response: Uint8Array): Promise<void> | undefined
}

/** A message, or its encoded bytes. */
export type Sendable<Message extends DescMessage> = MessageShape<Message> | Uint8Array

/** Answers the bytes of a request with those of a response. */
export type Answering = (request: Buffer) => Awaitable<Uint8Array>

/** A method over bytes. A copy with another name (`nameOf`) serves the same method in another service. */
export type Method =
  | { readonly kind: 'unary'; readonly name: string; readonly open: (call: Call) => Answering }
  | { readonly kind: 'stream'; readonly name: string; readonly run: (call: BytesCall) => Promise<void> }

/** A call with any number of requests and responses. */
export interface StreamCall<Request, Response> {
  readonly call: Call
  /** Ends after the caller's last request or disconnection; rejects with UNAVAILABLE at shutdown. */
  readonly requests: AsyncIterable<Request>
  /** Returns a promise if the caller must read first. */
  readonly send: (response: Response) => Promise<void> | undefined
}

/**
 * Serves a method with one request and one response.
 *
 * @param open called when the headers of a call have arrived: throwing rejects the call before its request is read
 * @param read replaces the general decoder, for frequently called methods
 */
export function unary<Desc extends DescMethodUnary>(
  desc: Desc,
  open: (call: Call) => (request: MessageShape<Desc['input']>) => Awaitable<Sendable<Desc['output']>>,
  read?: (bytes: Buffer) => MessageShape<Desc['input']>,
): Method {
  const decode = decoder<Desc['input']>(desc.input, read)
  const encode = encoder(desc.output)
  return {
    kind: 'unary',
    name: nameOf(desc),
    open(call) {
      const run = open(call)
      return (bytes) => whenThere(run(decode(bytes)), encode)
    },
  }
}

/** Serves a method that answers requests as they arrive. */
export function streaming<Desc extends DescMethod>(
  desc: Desc,
  run: (call: StreamCall<MessageShape<Desc['input']>, Sendable<Desc['output']>>) => Promise<void>,
): Method {
  const decode = decoder<Desc['input']>(desc.input)
  const encode = encoder(desc.output)
  return {
    kind: 'stream',
    name: nameOf(desc),
    run: (call) => run({ call, requests: call.requests(decode), send: (response) => call.send(encode(response)) }),
  }
}

/** Fully qualified: `engine.EngineService/Execute`. */
export const nameOf = ({ parent, name }: DescMethod): string => `${parent.typeName}/${name}`

function encoder<Message extends DescMessage>(message: Message): (value: Sendable<Message>) => Uint8Array {
  return (value) => (value instanceof Uint8Array ? value : toBinary(message, value))
}

/** The decoder throws `GrpcError` for invalid bytes. */
function decoder<Message extends DescMessage>(
  message: Message,
  read = (bytes: Buffer): MessageShape<Message> => fromBinary(message, bytes),
): (bytes: Buffer) => MessageShape<Message> {
  return (bytes) => {
    try {
      return read(bytes)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new GrpcError('INTERNAL', `the request is not a \`${message.typeName}\`: ${reason}`)
    }
  }
}
