import type { DescMethodBiDiStreaming, DescMethodUnary, MessageShape } from '@bufbuild/protobuf'
import { type Call, type Method, type Sendable, streaming, unary as served } from '@engine/grpc-server'
import type { Awaitable, Span, Tracing } from '@engine/process'
import type { AbortSignalLike } from '@engine/ruleset'
import type { Admission, Entered } from '../access/admission.ts'
import { withSuggestedName } from '../access/name-suggestion.ts'
import { TRACE_VALUES } from '../access/trace-values.ts'
import type { AccessHeaders, Scope } from '../access/tokens.ts'
import { Hops, HOPS_HEADER, refuseHops } from '../capabilities/hops.ts'
import { EngineError } from '../errors.ts'
import { LazyRequester, REQUEST_ID_HEADER, type Requester } from '../requester.ts'
import type { Reception, Services } from '../services/services.ts'

/** The dependencies of every call. */
export interface CallParts {
  readonly reception: Reception
  readonly admission: Admission
  readonly spans: CallSpans
}

/** The context of a call for its method. */
export interface CallContext {
  /** The services of the call's tenant; throws if access is denied. */
  readonly services: Services
  readonly span: Span | undefined
  /** Aborts when the caller disconnects, or when its deadline or the server's own limit expires. */
  readonly signal: AbortSignalLike
  readonly by: Requester
  readonly hops: Hops
  /** Why the sender may not see values of executions; undefined if it may. */
  valuesRefusal(): EngineError | undefined
  /** See `withSuggestedName`. */
  suggesting(thrown: unknown, name: string | undefined): unknown
}

/**
 * Serves a method with one request and one response.
 *
 * @param scope the required scope of a token; undefined if no token is required
 */
export function unary<Desc extends DescMethodUnary>(
  parts: CallParts,
  method: Desc,
  scope: Scope | undefined,
  run: (request: MessageShape<Desc['input']>, context: CallContext) => Awaitable<Sendable<Desc['output']>>,
  read?: (bytes: Buffer) => MessageShape<Desc['input']>,
): Method {
  const open = (call: Call) => {
    const context = contextOf(parts, scope, call)
    return (request: MessageShape<Desc['input']>): Awaitable<Sendable<Desc['output']>> => {
      const fail = (thrown: unknown) => {
        throw context.suggesting(thrown, rulesetNameOf(request))
      }
      try {
        const answer = run(request, context)
        return answer instanceof Promise ? answer.catch(fail) : answer
      } catch (error) {
        return fail(error)
      }
    }
  }
  return served(method, open, read)
}

/** The ruleset that a request names; undefined if its method has none. */
function rulesetNameOf(request: object): string | undefined {
  const name = 'rulesetName' in request ? request.rulesetName : 'name' in request ? request.name : undefined
  return typeof name === 'string' ? name : undefined
}

/** The context of a call with many requests for its method. */
export interface DuplexContext<Request, Response> extends CallContext {
  readonly requests: AsyncIterable<Request>
  /** Returns a promise if the caller must read before further responses. */
  readonly answer: (response: Response) => Promise<void> | undefined
}

/** Serves a method that answers requests as they arrive. */
export function duplex<Desc extends DescMethodBiDiStreaming>(
  parts: CallParts,
  method: Desc,
  scope: Scope | undefined,
  run: (context: DuplexContext<MessageShape<Desc['input']>, Sendable<Desc['output']>>) => Promise<void>,
): Method {
  return streaming(method, async ({ call, requests, send }) => {
    const context = contextOf(parts, scope, call)
    const { services, span, signal, by, hops } = context
    const valuesRefusal = () => context.valuesRefusal()
    const suggesting = (thrown: unknown, name: string | undefined) => context.suggesting(thrown, name)
    await run({ services, span, signal, by, hops, valuesRefusal, suggesting, requests, answer: send })
  })
}

/** The span of each call, if requests are traced. */
export class CallSpans {
  readonly #tracing: Tracing | undefined
  readonly #spans = new WeakMap<Call, Span>()

  constructor(tracing: Tracing | undefined) {
    this.#tracing = tracing
  }

  begin(method: string, call: Call): Span | undefined {
    const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method }
    const span = this.#tracing?.server(method, call.headers, attributes)
    if (span !== undefined) this.#spans.set(call, span)
    return span
  }

  of(call: Call): Span | undefined {
    return this.#tracing === undefined ? undefined : this.#spans.get(call)
  }
}

/** The context of an admitted call. Throws `EngineError`. */
function contextOf({ reception, admission, spans }: CallParts, scope: Scope | undefined, call: Call): CallContext {
  const hops = hopsOf(call)
  // Each access to the metadata is expensive.
  const needsToken = admission.hasTokens && scope !== undefined
  const entered =
    !needsToken && reception.server.tenants === undefined
      ? admission.enter(NO_CREDENTIALS, OPEN)
      : admission.enter(credentialsOf(reception, call, needsToken), { scope })
  if (entered.refusal !== undefined) throw entered.refusal
  return new AdmittedCall({ admission, reception, entered, call, span: spans.of(call), hops })
}

function credentialsOf(reception: Reception, call: Call, needsToken: boolean): AccessHeaders {
  return {
    authorization: needsToken ? valueOf(call, 'authorization') : undefined,
    'x-api-key': needsToken ? valueOf(call, 'x-api-key') : undefined,
    'x-tenant-id': reception.server.tenants === undefined ? undefined : valueOf(call, 'x-tenant-id'),
  }
}

/** Credentials of a call that requires no token. */
const NO_CREDENTIALS = { authorization: undefined, 'x-api-key': undefined, 'x-tenant-id': undefined } as const
const OPEN = { scope: undefined } as const

/** The parts of an admitted call. */
interface Admitted {
  readonly admission: Admission
  readonly reception: Reception
  readonly entered: Entered
  readonly call: Call
  readonly span: Span | undefined
  readonly hops: Hops
}

/** An admitted call, and its sender. Rarely needed properties are computed lazily. */
class AdmittedCall implements CallContext, Requester {
  readonly signal: Call
  readonly span: Span | undefined
  readonly hops: Hops
  readonly #admission: Admission
  readonly #reception: Reception
  readonly #entered: Entered
  #requester: Requester | undefined

  constructor({ admission, reception, entered, call, span, hops }: Admitted) {
    this.signal = call
    this.span = span
    this.hops = hops
    this.#admission = admission
    this.#reception = reception
    this.#entered = entered
  }

  valuesRefusal(): EngineError | undefined {
    if (!this.#admission.hasTokens) return undefined
    return this.#admission.enter(credentialsOf(this.#reception, this.signal, true), TRACE_VALUES).refusal
  }

  suggesting(thrown: unknown, name: string | undefined): unknown {
    const headers = credentialsOf(this.#reception, this.signal, this.#admission.hasTokens)
    return withSuggestedName(thrown, name, { admission: this.#admission, headers, services: this.services })
  }

  get services(): Services {
    return this.#admission.servicesFor(this.#entered)
  }

  get by(): Requester {
    return this
  }

  get token(): string | undefined {
    return this.#entered.token
  }

  get address(): string {
    return this.#known.address
  }

  get requestId(): string {
    return this.#known.requestId
  }

  get #known(): Requester {
    const { address, headers } = this.signal
    this.#requester ??= new LazyRequester(this.token, address, headers[REQUEST_ID_HEADER])
    return this.#requester
  }
}

/** Throws `EngineError`. */
function hopsOf({ headers }: Call): Hops {
  // Several values are joined to one text, which is refused.
  const header = headers[HOPS_HEADER]
  if (header === undefined) return new Hops(0)
  const refusal = refuseHops(header)
  if (refusal !== undefined) throw refusal
  return Hops.of(header)
}

/**
 * Repeated values are rejected, since a proxy might use a different one; a proxy may also have joined them with a
 * comma, which no token or tenant id contains. Throws `EngineError`.
 */
function valueOf(call: Call, name: string): string | undefined {
  if (call.headers[name] === undefined) return undefined
  const values = call.rawHeaders.filter((_, index, raw) => index % 2 === 1 && raw[index - 1] === name)
  const [value] = values
  if (values.length > 1 || value?.includes(',') === true)
    throw new EngineError('invalid-request', `the metadata \`${name}\` must be given once`)
  return value === '' ? undefined : value
}
