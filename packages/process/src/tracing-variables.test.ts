import { expect, test } from 'vitest'
import { readTracingVariables } from './tracing-variables.ts'

const URL_HERE = 'http://collector.example/v1/traces'
const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example' }

const read = (
  env: Readonly<Record<string, string>>,
  options: Partial<Parameters<typeof readTracingVariables>[0]> = {},
) => readTracingVariables({ endpoint: undefined, service: 'engine-server', isServiceGiven: false, ...options }, env)

test.each<[env: Readonly<Record<string, string>>, endpoint: string | undefined, url: string | undefined]>([
  [{}, undefined, undefined],
  [BASE, undefined, URL_HERE],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example/' }, undefined, URL_HERE],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a.example/otlp' }, undefined, 'https://a.example/otlp/v1/traces'],
  [{ ...BASE, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b.example/in' }, undefined, 'http://b.example/in'],
  [{ ...BASE, OTEL_SDK_DISABLED: 'true' }, undefined, undefined],
  [{ ...BASE, OTEL_SDK_DISABLED: 'false' }, undefined, URL_HERE],
  [{ ...BASE, OTEL_TRACES_EXPORTER: 'none' }, undefined, undefined],
  [{ ...BASE, OTEL_TRACES_EXPORTER: 'otlp' }, undefined, URL_HERE],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined, undefined],
  // An option is a decision about this server, the variables are of the whole environment.
  [{ ...BASE, OTEL_SDK_DISABLED: 'true' }, 'http://c.example', 'http://c.example/v1/traces'],
])('%j with --otlp-endpoint %s: %s', (env, endpoint, url) => {
  const { traces, warnings } = read(env, { endpoint })
  expect([traces?.url, warnings]).toEqual([url, []])
})

test.each<[env: Readonly<Record<string, string>>, ratio: number, isParentBased: boolean]>([
  [{}, 1, true],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, 1, false],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0, false],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25, false],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '.5' }, 0.5, true],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }, 1, true],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 0, true],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: 'x' }, 1, true],
])('the sampler of %j', (env, ratio, isParentBased) => {
  const { traces, warnings } = read({ ...BASE, ...env })
  expect([traces?.sampler, warnings]).toEqual([{ ratio, isParentBased }, []])
})

test.each<[env: Readonly<Record<string, string>>, isServiceGiven: boolean, service: string]>([
  [{}, false, 'engine-server'],
  [{ OTEL_SERVICE_NAME: 'pricing' }, false, 'pricing'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=a' }, false, 'a'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=a', OTEL_SERVICE_NAME: 'pricing' }, false, 'pricing'],
  [{ OTEL_SERVICE_NAME: 'pricing' }, true, 'engine-server'],
])('the service of %j, given as an option: %s: %s', (env, isServiceGiven, service) => {
  expect(read(env, { isServiceGiven })).toMatchObject({ service, warnings: [] })
})

test.each<[text: string, attributes: Readonly<Record<string, string>>]>([
  ['team=risk,deployment.environment=test', { team: 'risk', 'deployment.environment': 'test' }],
  [' a = b%2Cc , d=e=f,', { a: 'b,c', d: 'e' }],
  ['__proto__=x', JSON.parse('{"__proto__":"x"}') as Readonly<Record<string, string>>],
])('the attributes %j', (text, attributes) => {
  expect(read({ ...BASE, OTEL_RESOURCE_ATTRIBUTES: text }).traces?.attributes).toEqual(attributes)
})

test.each([
  ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', '300', 300],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '400', 400],
])('%s=%s is the time for a delivery', (name, value, timeoutMs) => {
  expect(read({ ...BASE, [name]: value }).traces).toMatchObject({ timeoutMs })
})

test.each([
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', /`jaeger_remote` is not one of `always_on`/],
  ['OTEL_SDK_DISABLED', 'constructor', /`constructor` is not `true` or `false`/],
  ['OTEL_TRACES_EXPORTER', 'zipkin', /`zipkin` is not `otlp` or `none`/],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /`grpc` is not `http\/protobuf`/],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '-1', /is not a number of milliseconds/],
  ['OTEL_RESOURCE_ATTRIBUTES', 'team', /is not a list such as `team=risk/],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%E0%A4%A', /is not a list such as `team=risk/],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'collector:4318', /is not an `http` or `https` URL/],
])('%s=%s is ignored with a warning', (name, value, message) => {
  const { traces, warnings } = read({ ...BASE, [name]: value })
  expect(traces).toMatchObject({ url: URL_HERE, sampler: { ratio: 1, isParentBased: true }, timeoutMs: 5000 })
  expect(warnings).toEqual([expect.stringMatching(message)])
  expect(warnings[0]).toContain(`the environment variable ${name} is ignored`)
})

test('a ratio that is no number is named, and all traces are recorded', () => {
  const { traces, warnings } = read({ ...BASE, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' })
  expect([traces?.sampler, warnings.length]).toEqual([{ ratio: 1, isParentBased: false }, 1])
})
