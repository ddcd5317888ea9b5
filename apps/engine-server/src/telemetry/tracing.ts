import type { Attributes, Span as OtelSpan, Tracer } from '@opentelemetry/api'
import { within } from '../deadline.ts'

/** One piece of work in a trace. */
export interface Span {
  /** For logs and audit lines. */
  readonly traceId: string
  /** Work inside this one. */
  child(name: string, attributes?: Attributes): Span
  set(attributes: Attributes): void
  /** @param failure why it failed, for people; absent: it did not */
  end(failure?: string): void
}

/** Where traces go. */
export interface Tracing {
  /**
   * A span for work that came from outside. `headers` may carry `traceparent` and `tracestate` (W3C trace context); a
   * caller that does not sample is respected, and a header that is not well-formed begins a trace of our own.
   */
  server(name: string, headers: Readonly<Record<string, string | string[] | undefined>>, attributes: Attributes): Span
  /** Sends what is left and ends, within `timeoutMs`. A collector that does not answer is not an error. */
  close(timeoutMs: number): Promise<void>
}

/** What to put on every trace, and where to send it. */
export interface TracingOptions {
  /** Without `/v1/traces`. */
  readonly endpoint: string
  readonly service: string
  readonly version: string
  readonly instance: string
  /** Called with the reason when spans could not be delivered. */
  readonly failed: (reason: string) => void
}

/** Longest wait between the end of a span and its delivery. */
const DELAY_MS = 2000

/** Spans waiting for delivery; beyond this they are dropped rather than kept in memory. */
const BACKLOG = 8192

/**
 * Traces over OTLP/HTTP with protobuf. OpenTelemetry is loaded here and not at the top of the file: it costs 45 MB and
 * a tenth of a second, which a server without an endpoint must not pay.
 */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const [api, { BatchSpanProcessor, TracerProvider }, { resourceFromAttributes }, core, { OTLPTraceExporter }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
    ])
  core.setGlobalErrorHandler((error) => options.failed(reasonOf(error)))
  const exporter = new OTLPTraceExporter({ url: `${options.endpoint}/v1/traces`, timeoutMillis: 5000 })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service,
      'service.version': options.version,
      'service.instance.id': options.instance,
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: DELAY_MS, maxQueueSize: BACKLOG })],
  })
  const tracer = provider.getTracer('engine-server', options.version)
  const propagator = new core.W3CTraceContextPropagator()
  return {
    server: (name, headers, attributes) => {
      const caller = propagator.extract(api.ROOT_CONTEXT, headers, HEADERS)
      return spanOf(api, tracer, tracer.startSpan(name, { kind: api.SpanKind.SERVER, attributes }, caller))
    },
    close: async (timeoutMs) => {
      await within(
        timeoutMs,
        provider.shutdown().catch((error: unknown) => options.failed(reasonOf(error))),
      )
    },
  }
}

const HEADERS = {
  get: (headers: Readonly<Record<string, string | string[] | undefined>>, key: string) => headers[key],
  keys: (headers: object) => Object.keys(headers),
}

function spanOf(api: typeof import('@opentelemetry/api'), tracer: Tracer, span: OtelSpan): Span {
  return {
    traceId: span.spanContext().traceId,
    child: (name, attributes = {}) => {
      const inside = api.trace.setSpan(api.ROOT_CONTEXT, span)
      return spanOf(api, tracer, tracer.startSpan(name, { attributes }, inside))
    },
    set: (attributes) => void span.setAttributes(attributes),
    end: (failure) => {
      if (failure !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure })
      span.end()
    },
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : JSON.stringify(error))
