import { quote, type Value } from '@engine/expression'
import {
  type AccessPage,
  type ResourceSearch,
  searchAccess,
  type SearchedEngine,
  type SubjectSearch,
} from './access-search.ts'
import { type Batching, type BatchingOptions, createBatching } from './batching.ts'
import type { Contract } from './contract.ts'
import { ClientError } from './errors.ts'
import { jsonOf } from './json-input.ts'
import { createFallback, type Fallback, type FallbackOptions } from './fallback.ts'
import { createHttpTransport } from './http.ts'
import { retried, type RetryOptions } from './retry.ts'
import type { BatchAnswer, Decided, Evaluated, Sending, Transport } from './transport.ts'

/** The engine of a client, and the settings of its calls. */
export interface ClientOptions {
  /** `http://127.0.0.1:8080` or `https://…`: HTTP. `grpc://127.0.0.1:50051`, `grpcs://…`, `grpc+unix:///run/engine.sock`: gRPC. */
  readonly url: string
  /** For engines that require tokens. */
  readonly token?: string
  /** For engines with tenants. */
  readonly tenant?: string
  /** Milliseconds for a call including all attempts. Default 5000. */
  readonly timeoutMs?: number
  readonly retry?: RetryOptions
  /** Undefined: each decision is a separate request. */
  readonly batching?: BatchingOptions
  /** Undefined: no decisions while the engine is unavailable. */
  readonly fallback?: FallbackOptions
  /** Certificates (PEM) to trust with `grpcs:`, in addition to the default ones or instead of them. */
  readonly ca?: string
}

/** Limits of one call, which override those of the client. */
export interface CallOptions {
  /** Milliseconds for this call including all attempts. */
  readonly timeoutMs?: number
  /** Cancels the call. */
  readonly signal?: AbortSignal
}

/** Options of a decision. */
interface DecideOptions extends CallOptions {
  /** Answer with a signed receipt. Such a call is not batched with others, and never decided by the local fallback. */
  readonly receipt?: boolean
}

interface ExecuteOptions extends DecideOptions {
  /** `values` also includes values of fields and variables; it requires a token with the scope `trace`. */
  readonly trace?: boolean | 'values'
}

/** The source of a decision: the engine, or the client with its cached ruleset. */
interface Sourced {
  readonly source: 'engine' | 'local'
}

/** The part of a contract that is sent. */
type Named = Pick<Contract<unknown, unknown>, 'name'>

/** A JSON object. */
type Input = object

/** A client of one engine. All members reject with a `ClientError`. */
export interface EngineClient {
  execute(ruleset: string, input: Input, options?: ExecuteOptions): Promise<Decided & Sourced>
  execute<In extends Input, Decision>(
    contract: Contract<In, Decision>,
    input: In,
    options?: ExecuteOptions,
  ): Promise<Decision & Pick<Decided, 'duration_us' | 'trace' | 'receipt'> & Sourced>
  /** Decides many inputs in one request; a failed input is an item with `error`. */
  executeBatch(ruleset: string | Named, inputs: readonly Input[], options?: DecideOptions): Promise<BatchAnswer>
  evaluate(expression: string, context?: Input, options?: CallOptions): Promise<Evaluated>
  /**
   * Finds the rows of the caller's table on which the subject may perform the action, exactly as an AuthZEN evaluation decides
   * (docs/client.md). HTTP only. Limits of the call count for each request to the engine.
   */
  searchResources(search: ResourceSearch, options?: CallOptions): Promise<AccessPage>
  /** Like `searchResources`, for the subjects that may perform the action on a resource. */
  searchSubjects(search: SubjectSearch, options?: CallOptions): Promise<AccessPage>
  /** Resolves when the rulesets of `fallback.rulesets` are loaded, or failed to load. */
  readonly ready: Promise<void>
  /** Cancels pending calls. */
  close(): Promise<void>
}

const DEFAULT_TIMEOUT_MS = 5000

/** Connects on the first call. Throws a `TypeError` if `url` is not an engine address. */
export function createClient(options: ClientOptions): EngineClient {
  const url = URL.parse(options.url)
  if (url === null || !PROTOCOLS.has(url.protocol))
    throw new TypeError(
      `${quote(options.url)} is not an engine address: expected ${[...PROTOCOLS.keys()].join(', ')} and a host`,
    )
  return new Client(url, options)
}

class Client implements EngineClient {
  readonly ready: Promise<void>
  readonly #options: ClientOptions
  readonly #transport: Promise<Transport>
  readonly #batching: Batching | undefined
  readonly #fallback: Fallback | undefined
  readonly #closing = new AbortController()

  constructor(url: URL, options: ClientOptions) {
    this.#options = options
    this.#transport = transportOf(url, options)
    this.#transport.catch(() => undefined)
    const { batching, fallback } = options
    if (batching !== undefined)
      this.#batching = createBatching(batching, (name, inputs) =>
        this.#call({}, (transport, sending) => transport.batch(name, inputs, { receipt: false }, sending)),
      )
    if (fallback !== undefined)
      this.#fallback = createFallback(fallback, (name) =>
        this.#call({}, (transport, sending) => transport.ruleset(name, sending)),
      )
    this.ready = this.#fallback?.ready ?? Promise.resolve()
  }

  execute(ruleset: string, input: Input, options?: ExecuteOptions): Promise<Decided & Sourced>
  execute<In extends Input, Decision>(
    contract: Contract<In, Decision>,
    input: In,
    options?: ExecuteOptions,
  ): Promise<Decision & Pick<Decided, 'duration_us' | 'trace' | 'receipt'> & Sourced>
  execute(ruleset: string | Named, input: Input, options: ExecuteOptions = {}): Promise<unknown> {
    const name = typeof ruleset === 'string' ? ruleset : ruleset.name
    this.#fallback?.noticed(name)
    return this.#decided(name, jsonOf(input), options)
  }

  async #decided(name: string, input: Value, options: ExecuteOptions): Promise<Decided & Sourced> {
    const { trace = false, receipt = false } = options
    const tracing = trace === true ? 'path' : trace
    try {
      const decided =
        this.#batching !== undefined &&
        !trace &&
        !receipt &&
        options.timeoutMs === undefined &&
        options.signal === undefined
          ? await this.#batching.execute(name, input)
          : await this.#call(options, (transport, sending) =>
              transport.execute(name, input, { tracing, receipt }, sending),
            )
      return { ...decided, source: 'engine' }
    } catch (error) {
      if (receipt || !isAway(error, this.#options.retry?.ambiguous === true)) throw error
      const local = this.#fallback?.decide(name, input, tracing)
      if (local === undefined) throw error
      return { ...(await local), source: 'local' }
    }
  }

  executeBatch(ruleset: string | Named, inputs: readonly Input[], options: DecideOptions = {}): Promise<BatchAnswer> {
    const name = typeof ruleset === 'string' ? ruleset : ruleset.name
    const { receipt = false } = options
    return this.#call(options, (transport, sending) => transport.batch(name, inputs.map(jsonOf), { receipt }, sending))
  }

  evaluate(expression: string, context: Input = {}, options: CallOptions = {}): Promise<Evaluated> {
    return this.#call(options, (transport, sending) => transport.evaluate(expression, jsonOf(context), sending))
  }

  searchResources(search: ResourceSearch, options: CallOptions = {}): Promise<AccessPage> {
    return searchAccess('resource', search, this.#searchedBy(options))
  }

  searchSubjects(search: SubjectSearch, options: CallOptions = {}): Promise<AccessPage> {
    return searchAccess('subject', search, this.#searchedBy(options))
  }

  #searchedBy(options: CallOptions): SearchedEngine {
    return {
      filter: (name, request) => this.#call(options, (transport, sending) => transport.filter(name, request, sending)),
      batch: (name, inputs) =>
        this.#call(options, (transport, sending) => transport.batch(name, inputs, { receipt: false }, sending)),
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new ClientError('closed', 'the client is closed'))
    this.#fallback?.close()
    await (await this.#transport).close()
  }

  /** One call with its deadline and retries. */
  async #call<T>(options: CallOptions, send: (transport: Transport, sending: Sending) => Promise<T>): Promise<T> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const late = new AbortController()
    const timer = setTimeout(
      () => late.abort(new ClientError('timeout', `no answer within ${timeoutMs} ms`, { repeatable: 'ambiguous' })),
      timeoutMs,
    )
    const given = options.signal === undefined ? [] : [options.signal]
    const signal = AbortSignal.any([late.signal, this.#closing.signal, ...given])
    const end = performance.now() + timeoutMs
    try {
      if (this.#closing.signal.aborted) throw this.#closing.signal.reason
      if (signal.aborted) throw new ClientError('closed', 'the call was cancelled before it began')
      const transport = await this.#transport
      return await retried(this.#options.retry ?? {}, signal, () =>
        send(transport, { signal, timeoutMs: Math.max(1, end - performance.now()) }),
      )
    } finally {
      clearTimeout(timer)
    }
  }
}

/**
 * True if the engine itself did not answer. An ambiguous status, such as that of a proxy, leaves open whether the rules
 * ran; the local fallback then only runs if the options allow repeating them.
 */
function isAway(error: unknown, ambiguous: boolean): boolean {
  if (!(error instanceof ClientError) || (error.kind !== 'unavailable' && error.kind !== 'timeout')) return false
  if (error.repeatable === 'never') return false
  if (error.status === undefined || error.repeatable === 'safe') return true
  return ambiguous
}

/** URL schemes and their protocols. */
const PROTOCOLS: ReadonlyMap<string, 'http' | 'grpc'> = new Map([
  ['http:', 'http'],
  ['https:', 'http'],
  ['grpc:', 'grpc'],
  ['grpcs:', 'grpc'],
  ['grpc+unix:', 'grpc'],
])

async function transportOf(url: URL, { token, tenant, ca }: ClientOptions): Promise<Transport> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }),
  }
  const { protocol } = url
  if (PROTOCOLS.get(protocol) === 'http') return createHttpTransport({ url: url.href, headers })
  // Loading gRPC takes half a second and some megabytes, which HTTP clients avoid.
  const { createGrpcTransport } = await import('./grpc.ts')
  return createGrpcTransport({
    address: protocol === 'grpc+unix:' ? `unix:${url.pathname}` : url.host,
    tls: protocol === 'grpcs:' ? { ca: ca === undefined ? undefined : Buffer.from(ca) } : undefined,
    headers,
  })
}
