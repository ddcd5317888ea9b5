import { type DescMessage, type DescService, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js'

/** The service of a `.proto` file, in the form that grpc-js serves. Methods are named as in the file. */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(
    service.methods.map((method): [string, MethodDefinition<unknown, unknown>] => [
      method.name,
      {
        path: `/${service.typeName}/${method.name}`,
        originalName: method.localName,
        requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
        responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
        requestSerialize: writer(method.input),
        requestDeserialize: reader(method.input),
        responseSerialize: writer(method.output),
        responseDeserialize: reader(method.output),
      },
    ]),
  )
}

/** A message, or its bytes where they are already encoded. */
export type Sendable<Message extends DescMessage> = MessageShape<Message> | Buffer

const writer = (message: DescMessage) => (value: unknown) => {
  if (Buffer.isBuffer(value)) return value
  const bytes = toBinary(message, value as MessageShape<DescMessage>)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const reader = (message: DescMessage) => (bytes: Buffer) => fromBinary(message, bytes)
