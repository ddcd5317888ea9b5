import type { BodyLimits } from '@engine/http-server'
import type { Call } from './call.ts'
import type { Method } from './method.ts'
import type { GrpcError, StatusName } from './status.ts'

/** What a server is held to. Its `maxBytes` are those of a message with its prefix, also when it is decompressed. */
export interface GrpcServerOptions extends BodyLimits {
  readonly methods: readonly Method[]
  /** Calls that one connection may have under way. */
  readonly maxStreams: number
  /** Bytes of the metadata of one call, as HTTP/2 counts them. */
  readonly maxMetadataBytes: number
  /** Milliseconds in which a call has to make progress: a message complete, a request answered, an answer read. */
  readonly limitMs: number
  /** Milliseconds after which a client has to connect again, give or take a tenth; Infinity: never. */
  readonly maxAgeMs: number
  /** Why a call ended that made no progress for its time. */
  readonly expired: (phase: 'arriving' | 'answering') => GrpcError
  /** Whatever a method has thrown, as it is answered; of this package also an `HttpError` when no memory is left. */
  readonly failureOf: (thrown: unknown, method: string) => GrpcError
  /** Told of every call of a method that exists; the function given back is told how it ended. */
  readonly observe: (method: string, call: Call) => (status: StatusName, failure: string | undefined) => void
}

/** A server at work. */
export interface Serving extends Omit<GrpcServerOptions, 'methods'> {
  /** By their paths. */
  readonly methods: ReadonlyMap<string, Method>
  isDraining: boolean
  /** The time of the last look at its calls. */
  now: number
}
