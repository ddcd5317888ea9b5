import type { BodyLimits } from '@engine/http-server'
import type { Call, Method } from './method.ts'
import type { GrpcError, StatusName } from './status.ts'

/** Limits and callbacks of a server. `maxBytes` applies to a message with its prefix, also after decompression. */
export interface GrpcServerOptions extends BodyLimits {
  readonly methods: readonly Method[]
  /** Concurrent calls per connection. */
  readonly maxStreams: number
  /** Bytes of the metadata of one call, as HTTP/2 counts them. */
  readonly maxMetadataBytes: number
  /** Milliseconds within which a call must make progress: a message completed, a request answered, an answer read. */
  readonly limitMs: number
  /** Milliseconds after which a client must reconnect, give or take a tenth; Infinity: never. */
  readonly maxAgeMs: number
  /** The error of a call without progress within its time limit. */
  readonly expired: (phase: 'arriving' | 'answering') => GrpcError
  /** Maps whatever a method has thrown to its status; this package also throws `HttpError` when no memory is left. */
  readonly failureOf: (thrown: unknown, method: string) => GrpcError
  /** Called for every call of an existing method; the returned function is called when it ends. */
  readonly observe: (method: string, call: Call) => (status: StatusName, failure: string | undefined) => void
}

/** The state of a running server. */
export interface Serving extends Omit<GrpcServerOptions, 'methods'> {
  /** By path. */
  readonly methods: ReadonlyMap<string, Method>
  isDraining: boolean
  /** The time of the last sweep of its calls. */
  now: number
}
