import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { Call } from './call.ts'
import { GrpcError } from './status.ts'

/** A message, or its bytes where they are already encoded. */
export type Sendable<Message extends DescMessage> = MessageShape<Message> | Uint8Array

/** A method with one request and one response. */
export interface UnaryMethod {
  readonly kind: 'unary'
  /** Fully qualified: `engine.EngineService/Execute`. */
  readonly name: string
  /** From the bytes of the request to those of the response. */
  readonly open: (call: Call) => (request: Buffer) => Uint8Array | Promise<Uint8Array>
}

/** A method with any number of requests and responses. */
export interface StreamMethod {
  readonly kind: 'stream'
  readonly name: string
  readonly run: (call: ByteStream) => Promise<void>
}

export type Method = UnaryMethod | StreamMethod

/** A call that may go on for long. */
export interface LongCall extends Call {
  /** The server is shutting down: the call should end with `shuttingDown`. */
  readonly isDraining: boolean
}

/** A call with any number of requests and responses, as their bytes. */
export interface ByteStream extends LongCall {
  /** Undefined when the caller has sent its last one or is gone; rejects with UNAVAILABLE at a shutdown. */
  next(): Promise<Buffer | undefined>
  /** A promise when the caller has to read first. */
  send(response: Uint8Array): Promise<void> | undefined
}

/** The same as messages. */
export interface StreamCall<Request, Response> {
  readonly call: LongCall
  /** Ends when the caller has sent its last one or is gone; rejects with UNAVAILABLE at a shutdown. */
  readonly requests: AsyncIterable<Request>
  readonly send: (response: Response) => Promise<void> | undefined
}

export interface UnaryOptions<Input extends DescMessage> {
  /** Of the same method in another service. */
  readonly name?: string | undefined
  /** In the place of the general reader, for a method that is called often. */
  readonly read?: ((bytes: Buffer) => MessageShape<Input>) | undefined
}

/**
 * Serve a method with one request and one response.
 *
 * @param open is called when the headers of a call are there: what it throws refuses the call before its request is read
 */
export function unary<Desc extends DescMethodUnary>(
  desc: Desc,
  open: (
    call: Call,
  ) => (request: MessageShape<Desc['input']>) => Sendable<Desc['output']> | Promise<Sendable<Desc['output']>>,
  {
    name = nameOf(desc),
    read = (bytes) => fromBinary<Desc['input']>(desc.input, bytes),
  }: UnaryOptions<Desc['input']> = {},
): UnaryMethod {
  const encode = encoder(desc.output)
  return {
    kind: 'unary',
    name,
    open(call) {
      const run = open(call)
      return (bytes) => {
        const response = run(decoded(desc.input, read, bytes))
        return response instanceof Promise ? response.then(encode) : encode(response)
      }
    },
  }
}

/** Serve a method that answers requests as they come. */
export function streaming<Desc extends DescMethod>(
  desc: Desc,
  run: (call: StreamCall<MessageShape<Desc['input']>, Sendable<Desc['output']>>) => Promise<void>,
  name = nameOf(desc),
): StreamMethod {
  const encode = encoder(desc.output)
  async function* requestsOf(call: ByteStream): AsyncGenerator<MessageShape<Desc['input']>> {
    for (let bytes = await call.next(); bytes !== undefined; bytes = await call.next())
      yield decoded(desc.input, (content) => fromBinary<Desc['input']>(desc.input, content), bytes)
  }
  return {
    kind: 'stream',
    name,
    run: (call) => run({ call, requests: requestsOf(call), send: (response) => call.send(encode(response)) }),
  }
}

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`
}

function encoder<Message extends DescMessage>(message: Message): (value: Sendable<Message>) => Uint8Array {
  return (value) => (value instanceof Uint8Array ? value : toBinary(message, value))
}

function decoded<Message>({ typeName }: DescMessage, read: (bytes: Buffer) => Message, bytes: Buffer): Message {
  try {
    return read(bytes)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new GrpcError('INTERNAL', `the request is no \`${typeName}\`: ${reason}`)
  }
}
