import { join } from 'node:path'
import {
  type Client,
  credentials,
  type GrpcObject,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadSync, type Options } from '@grpc/proto-loader'
import type { Duplex } from 'node:stream'

/** Where the published file is, and how messages look to the tests. */
export const PROTO = join(import.meta.dirname, '../../packages/api/proto/engine.proto')
/** That of the standard health service. */
export const HEALTH_PROTO = join(import.meta.dirname, '../../packages/grpc-server/proto/grpc/health/v1/health.proto')
export const LOADING: Options = { keepCase: true, longs: Number, defaults: true, oneofs: true }

/** Messages of a client that knows nothing but the `.proto` file. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
export type Message = any

/** How a call ended. */
export type Reply = { readonly message: Message } | { readonly code: number; readonly details: string }

export interface TestClient {
  call(method: string, request: object, options?: CallOptions): Promise<Reply>
  stream(method: string, metadata?: Record<string, string | readonly string[]>): Duplex & { cancel(): void }
  /** A call with one request and many answers. */
  watch(method: string, request: object): Duplex & { cancel(): void }
  close(): void
}

export interface CallOptions {
  /** Several values of one name are sent one after the other. */
  readonly metadata?: Record<string, string | readonly string[]>
  readonly deadline?: number
  /** Called with the call, to cancel it. */
  readonly begun?: (call: { cancel(): void }) => void
}

type Constructor = new (address: string, credential: object, options?: object) => Client

/** A client of a service in a loaded package. */
export function clientOf(
  definition: GrpcObject,
  service: string,
  address: string,
  credential: object = credentials.createInsecure(),
  options: object = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 },
): TestClient {
  const found = service.split('.').reduce<unknown>((at, part) => (at as GrpcObject)[part], definition)
  const client = new (found as Constructor)(address, credential, options)
  const methods = client as unknown as Record<string, (...args: unknown[]) => unknown>
  return {
    call: (method, request, { metadata = {}, deadline, begun } = {}) =>
      new Promise((resolve) => {
        const call = methods[method]?.call(
          client,
          request,
          metadataOf(metadata),
          deadline === undefined ? {} : { deadline: Date.now() + deadline },
          (error: ServiceError | null, message: Message) =>
            resolve(error === null ? { message } : { code: error.code, details: error.details }),
        )
        begun?.(call as { cancel(): void })
      }),
    stream: (method, metadata = {}) =>
      methods[method]?.call(client, metadataOf(metadata)) as Duplex & { cancel(): void },
    watch: (method, request) => methods[method]?.call(client, request) as Duplex & { cancel(): void },
    close: () => client.close(),
  }
}

function metadataOf(values: NonNullable<CallOptions['metadata']>): Metadata {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(values)) for (const one of [value].flat()) metadata.add(key, one)
  return metadata
}

/** A client generated from the published file alone. */
export function engineClient(address: string, credential?: object, options?: object): TestClient {
  return clientOf(loadPackageDefinition(loadSync(PROTO, LOADING)), 'engine.EngineService', address, credential, options)
}
