/** One request to a platform. */
export interface PlatformRequest {
  readonly method: string
  /** From the root; placeholders such as `{project}` are replaced by prepared resources. */
  readonly path: string
  readonly body?: string | Uint8Array
  /** Default: JSON. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whose credentials it has. Default: those of a person with a session. */
  readonly by?: 'session' | 'key' | 'engine' | 'nobody'
  /** Milliseconds after which the connection is cut, whatever has been answered. */
  readonly cutAfter?: number
  /** The last byte of the body does not come for half a second; then the connection is cut. */
  readonly isUnfinished?: true
}

/** A hostile request, or several concurrent ones. */
export interface PlatformRow {
  readonly name: string
  /** Made when its turn comes: large bodies are not kept. */
  readonly request: () => PlatformRequest
  /** Number of concurrent requests. Default 1. */
  readonly times?: number
}

export const PROJECT = '/api/v1/orgs/{oid}/projects/{pid}'

export const repeated = (count: number, piece: (index: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, index) => piece(index)).join(separator)

/** As many copies of a text as fit into so many bytes (ASCII). */
export const filled = (bytes: number, piece: string) => piece.repeat(Math.floor(bytes / piece.length))

/** Just below the limit of documents. */
export const DOCUMENT_BYTES = 10_400_000

export const post = (path: string, body: string | Uint8Array, type?: string): PlatformRequest => ({
  method: 'POST',
  path,
  body,
  ...(type !== undefined && { type }),
})
