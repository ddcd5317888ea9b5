import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startCollector, type Collector } from './collector.testing.ts'
import { createTracing } from './tracing.ts'

const TRACES = { attributes: {}, sampler: { ratio: 1, isParentBased: true }, timeoutMs: 5000 } as const

const open: Collector[] = []
afterEach(async () => {
  for (const collector of open.splice(0)) await collector.close()
})

async function tracing(answer?: Parameters<typeof startCollector>[0]) {
  const collector = await startCollector(answer)
  open.push(collector)
  const failures: string[] = []
  const traces = await createTracing({
    traces: { ...TRACES, url: `${collector.endpoint}/v1/traces` },
    service: 'decisions',
    program: 'shop',
    version: '1.2.3',
    instance: 'blue',
    failed: (reason) => failures.push(reason),
  })
  return { collector, traces, failures }
}

test('spans arrive as protobuf, with service, attributes, status and their parents', async () => {
  const { collector, traces } = await tracing()
  const server = traces.server('POST /api/v1/execute/:name', {}, { 'http.request.method': 'POST' })
  const child = server.child('execute', { 'engine.ruleset': 'vip' })
  child.end('rule failed')
  server.set({ 'http.response.status_code': 500 })
  server.end()
  await traces.close(5000)

  expect(collector.requests).toEqual([{ path: '/v1/traces', contentType: 'application/x-protobuf' }])
  const [first, second] = collector.spans
  expect(first).toMatchObject({
    name: 'execute',
    traceId: server.traceId,
    parentSpanId: second?.spanId,
    status: 2,
    statusMessage: 'rule failed',
    attributes: { 'engine.ruleset': 'vip' },
    resource: { 'service.name': 'decisions', 'service.version': '1.2.3', 'service.instance.id': 'blue' },
  })
  expect(second).toMatchObject({
    name: 'POST /api/v1/execute/:name',
    parentSpanId: '',
    kind: 2,
    status: 0,
    attributes: { 'http.request.method': 'POST', 'http.response.status_code': 500 },
  })
})

test('it continues the trace of its caller', async () => {
  const { collector, traces } = await tracing()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  traces.server('GET', { traceparent }, {}).end()
  await traces.close(5000)
  expect(collector.spans).toMatchObject([
    { traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331' },
  ])
})

test('it respects a caller that does not sample', async () => {
  const { collector, traces } = await tracing()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'
  const span = traces.server('GET', { traceparent }, {})
  expect(span.traceId).toBe('0af7651916cd43dd8448eb211c80319c')
  span.end()
  await traces.close(5000)
  expect(collector.spans).toEqual([])
})

test.each(['', 'nonsense', '00-00000000000000000000000000000000-b7ad6b7169203331-01', `00-${'x'.repeat(9000)}`])(
  'traceparent %j starts a new trace',
  async (traceparent) => {
    const { collector, traces } = await tracing()
    const span = traces.server('GET', { traceparent }, {})
    span.end()
    await traces.close(5000)
    expect(span.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
    expect(collector.spans).toMatchObject([{ traceId: span.traceId, parentSpanId: '' }])
  },
)

test('a failing collector is logged once, and closing still succeeds', async () => {
  const { traces, failures } = await tracing('refuse')
  traces.server('GET', {}, {}).end()
  await traces.close(5000)
  expect(failures).toHaveLength(1)
})

test('a collector that never answers does not delay the shutdown', async () => {
  const { traces } = await tracing('hang')
  traces.server('GET', {}, {}).end()
  const closed = traces.close(200).then(() => 'closed')
  expect(await Promise.race([closed, sleep(5000, 'late')])).toBe('closed')
})
