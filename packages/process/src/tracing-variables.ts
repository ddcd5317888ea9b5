import { quote } from '@engine/expression'
import type { Environment } from './options/environment.ts'

/** The destination of traces, and which traces are recorded; undefined if the server has no traces. */
export interface TracesSettings {
  /** The complete URL of OTLP over HTTP, including `/v1/traces`. */
  readonly url: string
  /** Attributes of all traces in addition to those of the server. */
  readonly attributes: Readonly<Record<string, string>>
  readonly sampler: SamplerSettings
  /** Timeout of one delivery in milliseconds. */
  readonly timeoutMs: number
}

/** Which traces are recorded. */
export interface SamplerSettings {
  /** Fraction of recorded traces, 0 to 1. */
  readonly ratio: number
  /** True if the caller's decision, when present, takes precedence. */
  readonly isParentBased: boolean
}

/** The settings from the options and from the standard variables of OpenTelemetry. */
export interface TracingVariables {
  readonly traces: TracesSettings | undefined
  readonly service: string
  /** Variables that are ignored, with the reason. */
  readonly warnings: readonly string[]
}

/** A paragraph of `--help` about the variables of OpenTelemetry. */
export const TRACING_HELP = `Traces without these options: the variables of OpenTelemetry, OTEL_EXPORTER_OTLP_ENDPOINT, _TIMEOUT, _HEADERS,
_COMPRESSION, _CERTIFICATE, _CLIENT_KEY and _CLIENT_CERTIFICATE, each also as OTEL_EXPORTER_OTLP_TRACES_...,
OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, OTEL_TRACES_EXPORTER and
OTEL_SDK_DISABLED.`

const TRACES_PATH = '/v1/traces'
const DEFAULT_TIMEOUT_MS = 5000

/**
 * The variables of OpenTelemetry (its specification of environment variables, 1.x) for settings without a given option.
 * Options take precedence for the endpoint and the service name; the exporter reads headers, compression and
 * certificates. As that specification requires, an invalid value is ignored with a warning.
 */
export function readTracingVariables(
  options: { readonly endpoint: string | undefined; readonly service: string; readonly isServiceGiven: boolean },
  env: Environment,
): TracingVariables {
  const warnings: string[] = []
  const read = <T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = env[name]?.trim() ?? ''
    if (text === '') return undefined
    const value = parse(text)
    if (value === undefined)
      warnings.push(`the environment variable ${name} is ignored: ${quote(text)} is not ${expected}`)
    return value
  }
  const { 'service.name': named, ...attributes } =
    read('OTEL_RESOURCE_ATTRIBUTES', resourceAttributes, 'a list such as `team=risk,deployment.environment=test`') ?? {}
  const service = options.isServiceGiven
    ? options.service
    : (read('OTEL_SERVICE_NAME', String, 'a name') ?? named ?? options.service)
  const url = options.endpoint === undefined ? standardUrl(read) : `${options.endpoint}${TRACES_PATH}`
  if (url === undefined) return { traces: undefined, service, warnings }
  const timeoutMs =
    read('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', milliseconds, MILLISECONDS) ??
    read('OTEL_EXPORTER_OTLP_TIMEOUT', milliseconds, MILLISECONDS) ??
    DEFAULT_TIMEOUT_MS
  return { traces: { url, attributes, sampler: samplerOf(read), timeoutMs }, service, warnings }
}

type Read = <T>(name: string, parse: (text: string) => T | undefined, expected: string) => T | undefined

/** The URL of the standard variables; undefined if there is none or traces are switched off. */
function standardUrl(read: Read): string | undefined {
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', httpUrl, 'an `http` or `https` URL')
  const base = read('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl, 'an `http` or `https` URL')
  const url = own ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}${TRACES_PATH}`)
  if (url === undefined) return undefined
  if (read('OTEL_SDK_DISABLED', truth, '`true` or `false`') === true) return undefined
  if (read('OTEL_TRACES_EXPORTER', oneOf('otlp', 'none'), '`otlp` or `none`') === 'none') return undefined
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
    read(name, oneOf('http/protobuf'), '`http/protobuf`, the protocol that traces are sent with')
  return url
}

/** `traceidratio` and its variants, by the names of the specification. */
const SAMPLERS: Readonly<Record<string, SamplerSettings | 'ratio' | 'parent-ratio'>> = {
  always_on: { ratio: 1, isParentBased: false },
  always_off: { ratio: 0, isParentBased: false },
  traceidratio: 'ratio',
  parentbased_always_on: { ratio: 1, isParentBased: true },
  parentbased_always_off: { ratio: 0, isParentBased: true },
  parentbased_traceidratio: 'parent-ratio',
}

function samplerOf(read: Read): SamplerSettings {
  const known = Object.keys(SAMPLERS).map((name) => quote(name))
  const name = read('OTEL_TRACES_SAMPLER', oneOf(...Object.keys(SAMPLERS)), `one of ${known.join(', ')}`)
  const found = SAMPLERS[name ?? 'parentbased_always_on'] ?? 'ratio'
  if (typeof found === 'object') return found
  const ratio = read('OTEL_TRACES_SAMPLER_ARG', share, 'a number from 0 to 1') ?? 1
  return { ratio, isParentBased: found === 'parent-ratio' }
}

const MILLISECONDS = 'a number of milliseconds'

const milliseconds = (text: string) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined)

const share = (text: string) => (/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.test(text) ? Number(text) : undefined)

const oneOf =
  (...values: readonly string[]) =>
  (text: string) =>
    values.includes(text) ? text : undefined

function truth(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : undefined
}

function httpUrl(text: string): string | undefined {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) ? text : undefined
}

/** `key=value` pairs with percent-encoded values; an invalid pair invalidates all, as the specification requires. */
function resourceAttributes(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  const attributes = new Map<string, string>()
  for (const pair of pairs) {
    const [name = '', value] = pair.split('=', 2).map((part) => part.trim())
    if (name === '' || value === undefined) return undefined
    try {
      attributes.set(decodeURIComponent(name), decodeURIComponent(value))
    } catch {
      return undefined
    }
  }
  return Object.fromEntries(attributes)
}
