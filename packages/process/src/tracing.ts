import type { Attributes, Span as OtelSpan, TextMapPropagator, Tracer } from '@opentelemetry/api'
import { within } from './deadline.ts'
import type { Log } from './log.ts'
import type { ShutdownList } from './shutdown-list.ts'
import type { SamplerSettings, TracesSettings } from './tracing-variables.ts'

/** One piece of work in a trace. */
export interface Span {
  /** For logs and audit lines. */
  readonly traceId: string
  /** A child span; `client`: done by another service, called over the network. */
  child(name: string, attributes?: Attributes, kind?: 'internal' | 'client'): Span
  /** The headers that propagate this span to the called service (W3C trace context). */
  propagation(): Readonly<Record<string, string>>
  set(attributes: Attributes): void
  /** Renames the span once more is known. */
  rename(name: string): void
  /** @param failure the reason of a failure, for people; empty: see the attributes; absent: no failure */
  end(failure?: string): void
}

/** The destination of traces. */
export interface Tracing {
  /**
   * A span for incoming work. `headers` may contain `traceparent` and `tracestate` (W3C trace context); the caller's
   * sampling decision is respected, and an invalid header starts a new trace.
   */
  server(name: string, headers: Readonly<Record<string, string | string[] | undefined>>, attributes: Attributes): Span
  /** Sends the remaining spans and closes, within `timeoutMs`. An unresponsive collector is not an error. */
  close(timeoutMs: number): Promise<void>
}

/** The attributes of every trace, and its destination. */
interface TracingOptions {
  readonly traces: TracesSettings
  readonly service: string
  /** The program that creates the spans, regardless of its service name: the instrumentation scope. */
  readonly program: string
  readonly version: string
  readonly instance: string
  /** Called with the reason when spans could not be delivered. */
  readonly failed: (reason: string) => void
}

/**
 * Open the traces of a server until its shutdown; delivery failures are logged. Undefined without a destination:
 * requests are not traced.
 */
export async function openTracing(
  { traces, ...identity }: Omit<TracingOptions, 'traces' | 'failed'> & { readonly traces: TracesSettings | undefined },
  log: Pick<Log, 'warn'>,
  shutdown: ShutdownList,
): Promise<Tracing | undefined> {
  if (traces === undefined) return undefined
  const failed = (reason: string) => log.warn({ reason }, 'traces could not be delivered')
  const tracing = await createTracing({ traces, ...identity, failed })
  shutdown.add('traces', 0.5, (milliseconds) => tracing.close(milliseconds))
  return tracing
}

/** Maximum delay between the end of a span and its delivery. */
const MAX_DELAY_MS = 2000

/** Maximum number of spans waiting for delivery; further ones are dropped instead of using more memory. */
const MAX_BACKLOG_SPANS = 8192

/**
 * Traces over OTLP/HTTP with protobuf. OpenTelemetry is imported lazily: it takes 45 MB and a tenth of a second, which
 * a server without traces saves.
 *
 * @internal
 */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const { url, attributes: ofEnvironment, sampler, timeoutMs } = options.traces
  const [api, sdk, { resourceFromAttributes }, core, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
  ])
  core.setGlobalErrorHandler((error) => options.failed(reasonOf(error)))
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs })
  const provider = new sdk.TracerProvider({
    sampler: createSampler(sdk, sampler),
    resource: resourceFromAttributes({
      ...ofEnvironment,
      'service.name': options.service,
      'service.version': options.version,
      'service.instance.id': options.instance,
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: MAX_DELAY_MS, maxQueueSize: MAX_BACKLOG_SPANS }),
    ],
  })
  const tracer = provider.getTracer(options.program, options.version)
  const propagator = new core.W3CTraceContextPropagator()
  return {
    server: (name, headers, attributes) => {
      const caller = propagator.extract(api.ROOT_CONTEXT, headers, HEADERS)
      const span = tracer.startSpan(name, { kind: api.SpanKind.SERVER, attributes }, caller)
      return new TraceSpan({ api, tracer, propagator }, span)
    },
    close: async (milliseconds) => {
      await within(
        milliseconds,
        provider.shutdown().catch((error: unknown) => options.failed(reasonOf(error))),
      )
    },
  }
}

/** A ratio of 0 and of 1 need no computation on the trace id. */
function createSampler(sdk: typeof import('@opentelemetry/sdk-trace'), { ratio, isParentBased }: SamplerSettings) {
  const root =
    ratio === 1
      ? new sdk.AlwaysOnSampler()
      : ratio === 0
        ? new sdk.AlwaysOffSampler()
        : new sdk.TraceIdRatioBasedSampler(ratio)
  return isParentBased ? new sdk.ParentBasedSampler({ root }) : root
}

const HEADERS = {
  get: (headers: Readonly<Record<string, string | string[] | undefined>>, key: string) => headers[key],
  keys: (headers: object) => Object.keys(headers),
}

interface SpanParts {
  readonly api: typeof import('@opentelemetry/api')
  readonly tracer: Tracer
  readonly propagator: TextMapPropagator
}

class TraceSpan implements Span {
  readonly traceId: string
  readonly #parts: SpanParts
  readonly #span: OtelSpan

  constructor(parts: SpanParts, span: OtelSpan) {
    this.traceId = span.spanContext().traceId
    this.#parts = parts
    this.#span = span
  }

  child(name: string, attributes: Attributes = {}, kind: 'internal' | 'client' = 'internal'): Span {
    const { api, tracer } = this.#parts
    const options = { attributes, kind: kind === 'client' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL }
    return new TraceSpan(this.#parts, tracer.startSpan(name, options, this.#context()))
  }

  propagation(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {}
    const set = (carrier: Record<string, string>, key: string, value: string) => void (carrier[key] = value)
    this.#parts.propagator.inject(this.#context(), headers, { set })
    return headers
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes)
  }

  rename(name: string): void {
    this.#span.updateName(name)
  }

  end(failure?: string): void {
    const code = this.#parts.api.SpanStatusCode.ERROR
    if (failure !== undefined) this.#span.setStatus(failure === '' ? { code } : { code, message: failure })
    this.#span.end()
  }

  #context() {
    const { api } = this.#parts
    return api.trace.setSpan(api.ROOT_CONTEXT, this.#span)
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : JSON.stringify(error))
