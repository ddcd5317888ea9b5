import type { BodyLimits } from '@engine/http-server'
import type { Call, Method } from './method.ts'
import type { GrpcError, StatusName } from './status.ts'

/** Limits and callbacks of a server. `maxBytes` applies to a message with its prefix, also after decompression. */
export interface GrpcServerOptions extends BodyLimits {
  readonly methods: readonly Method[]
  /** Maximum number of concurrent calls per connection. */
  readonly maxStreams: number
  /** Maximum size of the metadata of one call, in bytes as counted by HTTP/2. */
  readonly maxMetadataBytes: number
  /**
   * Time within which a call must make progress, in milliseconds: a message completed, a request answered, an answer
   * read.
   */
  readonly limitMs: number
  /**
   * Maximum age of a connection in milliseconds, give or take a tenth, after which its client must reconnect; Infinity:
   * unlimited.
   */
  readonly maxAgeMs: number
  /** The error of a call without progress within its time limit. */
  readonly expired: (phase: 'arriving' | 'answering') => GrpcError
  /** Maps whatever a method has thrown to its status; this package also throws `HttpError` if no memory is left. */
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
