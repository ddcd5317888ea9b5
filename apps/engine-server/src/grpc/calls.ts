import type { DescMethod, DescMethodBiDiStreaming, DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import type { AbortSignalLike } from '@engine/ruleset'
import type { Metadata, sendUnaryData, ServerDuplexStream, ServerUnaryCall, UntypedHandleCall } from '@grpc/grpc-js'
import { drained } from '@engine/http-server'
import { asEngineError, EngineError } from '../errors.ts'
import type { Admission, Entered } from '../access/admission.ts'
import type { Scope } from '../access/tokens.ts'
import { LazyRequester, REQUEST_ID_HEADER, type Requester } from '../requester.ts'
import type { Reception, Services } from '../services/services.ts'
import { Hops, HOPS_HEADER, refuseHops } from '../capabilities/hops.ts'
import type { Span, Tracing } from '@engine/process'
import { grpcFailure } from './error-mapping.ts'
import type { Sendable } from './service-definition.ts'

/** The common parts of all kinds of calls. */
interface AnyCall {
  readonly metadata: Metadata
  readonly cancelled: boolean
  getPeer(): string
  once(event: 'cancelled', listener: () => void): unknown
}

/** The steps of every call. */
export interface CallParts {
  readonly reception: Reception
  readonly admission: Admission
  readonly tracing: Tracing | undefined
  readonly requestTimeoutMs: number
  /** Told of every failure that is the server's own. */
  readonly defect: (error: EngineError, method: string) => void
}

/** A call with one request, as its method sees it. */
export interface UnaryContext {
  /** Of the tenant that the call names; throws when it may not be asked. */
  readonly services: Services
  readonly span: Span | undefined
  /** Aborts when the caller went away or its deadline passed, or the server's own limit. */
  readonly signal: AbortSignalLike
  readonly by: Requester
  readonly hops: Hops
}

/**
 * Serve a method with one request and one response.
 *
 * @param scope what a token must be good for; undefined: nothing is asked
 */
export function unary<Method extends DescMethodUnary>(
  parts: CallParts,
  { name }: Method,
  scope: Scope | undefined,
  run: (request: MessageShape<Method['input']>, context: UnaryContext) => Answer<Method>,
): UntypedHandleCall {
  type Request = MessageShape<Method['input']>
  type Response = Sendable<Method['output']>
  const handle = (call: ServerUnaryCall<Request, Response>, answer: sendUnaryData<Response>) => {
    const span = spanOf(parts, name, call)
    const signal = new CallSignal(call)
    const succeed = (response: Response) => {
      if (!signal.end()) return
      span?.end()
      answer(null, response)
    }
    const fail = (thrown: unknown) => {
      if (!signal.end()) return
      const error = asEngineError(thrown)
      if (error.code === 'defect') parts.defect(error, name)
      span?.end(error.message)
      answer(grpcFailure(error))
    }
    try {
      const hops = hopsOf(call.metadata)
      const { entered, by } = admitted(parts, scope, call)
      const response = run(call.request, {
        get services() {
          return parts.admission.servicesFor(entered)
        },
        span,
        signal,
        by,
        hops,
      })
      if (!(response instanceof Promise)) return succeed(response)
      signal.limit(parts.requestTimeoutMs, () => fail(tooLate(parts)))
      response.then(succeed, fail)
    } catch (error) {
      fail(error)
    }
  }
  return handle as UntypedHandleCall
}

type Answer<Method extends DescMethod> = Sendable<Method['output']> | Promise<Sendable<Method['output']>>

/** A call with many requests, as its method sees it. */
export interface DuplexContext<Request, Response> {
  readonly services: Services
  readonly requests: AsyncIterable<Request>
  /** A promise when the caller has to read first. */
  readonly answer: (response: Response) => Promise<void> | undefined
  readonly span: Span | undefined
  readonly by: Requester
  /** Aborts when the caller went away or its deadline passed. */
  readonly signal: AbortSignalLike
  readonly hops: Hops
}

/** Serve a method that answers requests as they come. */
export function duplex<Method extends DescMethodBiDiStreaming>(
  parts: CallParts,
  { name }: Method,
  scope: Scope | undefined,
  run: (context: DuplexContext<MessageShape<Method['input']>, MessageShape<Method['output']>>) => Promise<void>,
): UntypedHandleCall {
  type Request = MessageShape<Method['input']>
  type Response = MessageShape<Method['output']>
  const handle = async (call: ServerDuplexStream<Request, Response>) => {
    const span = spanOf(parts, name, call)
    try {
      const hops = hopsOf(call.metadata)
      const { entered, by } = admitted(parts, scope, call)
      await run({
        services: parts.admission.servicesFor(entered),
        // The end of the requests must not be the end of the answers.
        requests: call.iterator({ destroyOnReturn: false }) as AsyncIterable<Request>,
        answer: (response) => (call.write(response) ? undefined : drained(call, 'cancelled')),
        span,
        by,
        signal: new CallSignal(call),
        hops,
      })
      span?.end()
      call.end()
    } catch (thrown) {
      const error = asEngineError(thrown)
      span?.end(error.message)
      // A client that disconnected gets no answer, and is no error of the server.
      if (call.cancelled) return
      if (error.code === 'defect') parts.defect(error, name)
      call.emit('error', grpcFailure(error))
    }
  }
  return ((call: ServerDuplexStream<Request, Response>) => void handle(call)) as UntypedHandleCall
}

function spanOf({ tracing }: CallParts, method: string, call: AnyCall): Span | undefined {
  if (tracing === undefined) return undefined
  const headers = call.metadata.getMap() as Record<string, string>
  return tracing.server(`engine.EngineService/${method}`, headers, { 'rpc.system.name': 'grpc', 'rpc.method': method })
}

function tooLate({ requestTimeoutMs }: CallParts): EngineError {
  const seconds = requestTimeoutMs / 1000
  return new EngineError('timeout', `the call was not answered within ${seconds} s (--request-timeout-secs)`)
}

/** Whether anybody still waits for the answer. Costs next to nothing until something has to be waited for. */
class CallSignal implements AbortSignalLike {
  readonly #call: AnyCall
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #isHeard = false
  readonly #listeners = new Set<() => void>()

  constructor(call: AnyCall) {
    this.#call = call
  }

  get aborted(): boolean {
    return this.#isOver || this.#call.cancelled
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#isHeard) this.#call.once('cancelled', () => this.#abort())
    this.#isHeard = true
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener)
  }

  /** The answer must be there in time: else `late` is called, and then everybody who listens. */
  limit(milliseconds: number, late: () => void): void {
    this.#timer = setTimeout(() => {
      late()
      this.#abort()
    }, milliseconds)
  }

  /** False when it was over before: a call is answered once. */
  end(): boolean {
    clearTimeout(this.#timer)
    const isFirst = !this.#isOver
    this.#isOver = true
    return isFirst
  }

  #abort(): void {
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }
}

/** A call that was let in, and its sender. Throws `EngineError`. */
function admitted(
  { admission, reception }: CallParts,
  scope: Scope | undefined,
  call: AnyCall,
): { readonly entered: Entered; readonly by: Requester } {
  const { metadata } = call
  // Each look at the metadata costs a microsecond.
  const needsToken = admission.hasTokens && scope !== undefined
  const entered = admission.enter(
    {
      authorization: needsToken ? headerOf(metadata, 'authorization') : undefined,
      'x-api-key': needsToken ? headerOf(metadata, 'x-api-key') : undefined,
      'x-tenant-id': reception.server.tenants === undefined ? undefined : headerOf(metadata, 'x-tenant-id'),
    },
    { scope },
  )
  if (entered.refusal !== undefined) throw entered.refusal
  return { entered, by: new CallRequester(entered.token, call) }
}

/** The sender of a call. */
class CallRequester implements Requester {
  readonly token: string | undefined
  readonly #call: AnyCall
  #known: Requester | undefined

  constructor(token: string | undefined, call: AnyCall) {
    this.token = token
    this.#call = call
  }

  get address(): string {
    return this.#requester.address
  }

  get requestId(): string {
    return this.#requester.requestId
  }

  get #requester(): Requester {
    const { metadata } = this.#call
    this.#known ??= new LazyRequester(this.token, hostOf(this.#call.getPeer()), metadata.get(REQUEST_ID_HEADER)[0])
    return this.#known
  }
}

/** The address in `<address>:<port>`; undefined for a connection that has none. */
function hostOf(peer: string): string | undefined {
  return /^(?:ipv[46]:)?\[?(.+?)\]?:\d+$/.exec(peer)?.[1]
}

/** Throws `EngineError`. */
function hopsOf(metadata: Metadata): Hops {
  const values = metadata.get(HOPS_HEADER)
  if (values.length === 0) return new Hops(0)
  const header = values.map(String).join(', ')
  const refusal = refuseHops(header)
  if (refusal !== undefined) throw refusal
  return Hops.of(header)
}

/**
 * Of several values, which a proxy in front of us might read otherwise, none is taken. Node joins them to one, with a
 * comma and a blank that no token and no id of a tenant holds. (Of `authorization` it hands on the first one alone.)
 */
function headerOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name)
  const [value] = values
  if (values.length > 1 || (typeof value === 'string' && value.includes(', ')))
    throw new EngineError('invalid-request', `the metadata \`${name}\` must be given once`)
  return typeof value === 'string' && value !== '' ? value : undefined
}
