/** One hostile request, or several concurrent ones, and their prerequisites. */
export interface Row {
  readonly name: string
  /** Rulesets that are stored before, not measured. Their names are their own. */
  readonly rulesets?: readonly object[] | ((urls: Urls) => readonly object[])
  /** Made when its turn comes: large bodies are not kept. Undefined: nothing is sent. */
  readonly request: () => HostileRequest | undefined
  /** Number of concurrent requests. Default 1. */
  readonly times?: number
  /** The server is started again before the request, so that it has only its files. */
  readonly isRestarted?: true
  /** Server options in addition to those of all rows. */
  readonly options?: readonly string[]
}

/** Where the attacked server listens, and a server whose answers are hostile. */
export interface Urls {
  readonly engine: string
  readonly upstream: string
}

export type HostileRequest = HttpRequest | GrpcRequest | RawConnection | FileChange

export interface HttpRequest {
  readonly kind: 'http'
  readonly method: 'POST' | 'PUT' | 'GET'
  /** From the root. */
  readonly path: string
  readonly body: string | Uint8Array
  /** Default: JSON. */
  readonly contentType?: string
  /** The coding in which the body is. */
  readonly coding?: 'gzip' | 'zstd'
  /** The connection stays open without the last byte of the body, for half a second. */
  readonly unfinished?: true
}

export interface GrpcRequest {
  readonly kind: 'grpc'
  readonly method: 'Execute' | 'Eval' | 'BatchExecute'
  readonly message: object
}

/** A connection to the port of gRPC that sends these bytes, and stays open until the server ends it. */
export interface RawConnection {
  readonly kind: 'connection'
  readonly bytes: Uint8Array
}

/** A file that appears in the watched rules directory. */
export interface FileChange {
  readonly kind: 'file'
  readonly name: string
  readonly text: string
}

const API = '/api/v1'

export function post(path: string, body: unknown, contentType?: string): HttpRequest {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return {
    kind: 'http',
    method: 'POST',
    path: `${API}${path}`,
    body: text,
    ...(contentType === undefined ? {} : { contentType }),
  }
}

/** `POST /eval`. */
export function evaluate(expression: string, context: object = {}): HttpRequest {
  return post('/eval', { expression, context })
}

/** A ruleset of these steps; the first is its entry. `YES` and `NO` are terminals. */
export function rulesetOf(name: string, steps: readonly object[], config: object = {}): object {
  const ends = ['YES', 'NO'].map((code) => ({ id: code, type: 'terminal', result: { code, message: '' } }))
  const all = [...steps, ...ends] as readonly { readonly id: string }[]
  return {
    config: { name, entry_step: all[0]?.id, ...config },
    steps: Object.fromEntries(all.map((step) => [step.id, step])),
  }
}

export function decision(id: string, conditions: readonly string[], next = 'YES', otherwise = 'NO'): object {
  return {
    id,
    type: 'decision',
    branches: conditions.map((condition) => ({ condition, next_step: next })),
    default_next: otherwise,
  }
}

export function action(id: string, actions: readonly object[], next: string): object {
  return { id, type: 'action', actions, next_step: next }
}

export function set(name: string, value: string): object {
  return { action: 'set_variable', name, value }
}

/** `count` pieces with their numbers, joined. */
export function repeat(count: number, piece: (index: number) => string, separator = ''): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join(separator)
}

/** As many copies of a text as fit into so many bytes (ASCII), with a comma between and behind each. */
export function fill(bytes: number, piece: string): string {
  return `${piece},`.repeat(Math.floor(bytes / (piece.length + 1)))
}

/** Just below the default limit of a body. */
export const MAX_BODY = 10_400_000
