import { describe, expect, test } from 'vitest'
import type { SyncMetrics } from '../sync/sync-metrics.ts'
import { createMetrics, type MetricsRegistry } from './metrics.ts'

const metrics = () => {
  const registry = createMetrics({ version: '1.2.3' })
  registry.observeStorage(() => ({ rulesets: 7, rejectedFiles: 2 }))
  return { ...registry, ...registry.forTenant(undefined) }
}

/** The value after a series in the exposition text; undefined when there is no such series. */
function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

test('the series of specification 4.5 are there, with their types', async () => {
  const registry = metrics()
  registry.executed('vip', 0.000_003, 'OK')
  registry.evaluated(0.000_001, 'success')
  const text = await registry.text()
  for (const [name, type] of [
    ['engine_info', 'gauge'],
    ['engine_uptime_seconds', 'counter'],
    ['engine_rules_total', 'gauge'],
    ['engine_rule_files_rejected', 'gauge'],
    ['engine_executions_total', 'counter'],
    ['engine_execution_duration_seconds', 'histogram'],
    ['engine_eval_total', 'counter'],
    ['engine_eval_duration_seconds', 'histogram'],
    ['engine_terminal_results_total', 'counter'],
    ['process_resident_memory_bytes', 'gauge'],
  ])
    expect(text).toMatch(new RegExp(`^# HELP ${name} .+\n# TYPE ${name} ${type}$`, 'm'))
  expect(valueOf(text, 'engine_info{version="1.2.3"}')).toBe(1)
  expect(valueOf(text, 'engine_rules_total')).toBe(7)
  expect(valueOf(text, 'engine_rule_files_rejected')).toBe(2)
  expect(valueOf(text, 'engine_uptime_seconds')).toBeGreaterThan(0)
})

test('executions are counted by ruleset and result, results by code', async () => {
  const registry = metrics()
  registry.executed('vip', 0.000_003, 'GOLD')
  registry.executed('vip', 0.000_004, 'GOLD')
  registry.executed('vip', 0.01, undefined)
  registry.executed('tax', 0.000_003, 'DUE')
  for (const text of [await registry.text(), await registry.text()]) {
    expect(valueOf(text, 'engine_executions_total{ruleset="vip",result="success"}')).toBe(2)
    expect(valueOf(text, 'engine_executions_total{ruleset="vip",result="error"}')).toBe(1)
    expect(valueOf(text, 'engine_terminal_results_total{code="GOLD"}')).toBe(2)
    expect(valueOf(text, 'engine_terminal_results_total{code="DUE"}')).toBe(1)
    expect(valueOf(text, 'engine_execution_duration_seconds_count{ruleset="vip"}')).toBe(3)
    expect(valueOf(text, 'engine_execution_duration_seconds_sum{ruleset="vip"}')).toBeCloseTo(0.010_007)
  }
})

test('violations of contracts are counted by ruleset and mode, from the first valid input on', async () => {
  const registry = metrics()
  registry.executed('vip', 0.01, 'GOLD')
  registry.violated('vip', 'warn', 0)
  const series = 'engine_contract_violations_total{ruleset="vip",mode="warn"}'
  expect(valueOf(await registry.text(), series)).toBe(0)
  registry.violated('vip', 'warn', 2)
  registry.violated('vip', 'warn', 1)
  registry.violated('vip', 'enforce', 5)
  const text = await registry.text()
  expect(valueOf(text, series)).toBe(3)
  expect(valueOf(text, series.replace('warn', 'enforce'))).toBe(5)
  registry.forget('vip')
  expect(await registry.text()).not.toContain('engine_contract_violations_total{')
})

test('requests over HTTP are counted by method, route and status', async () => {
  const { httpRequests, text } = metrics()
  httpRequests.offered('GET', '/health')
  httpRequests.offered('PUT', '/idle')
  for (const status of [200, 200, 503, undefined]) httpRequests.ended('GET', '/health', status, 0.003)
  httpRequests.ended('_OTHER', undefined, 501, 20)
  const exposed = await text()
  const name = 'engine_http_requests_total'
  for (const [labels, count] of [
    ['method="GET",route="/health",status="200"', 2],
    ['method="GET",route="/health",status="503"', 1],
    ['method="GET",route="/health",status="none"', 1],
    ['method="_OTHER",route="(other)",status="501"', 1],
    ['method="PUT",route="/idle",status="200"', 0],
  ] as const)
    expect(valueOf(exposed, `${name}{${labels}}`), labels).toBe(count)
  const durations = 'engine_http_request_duration_seconds'
  for (const [series, value] of [
    ['bucket{method="GET",route="/health",le="0.002"}', 0],
    ['bucket{method="GET",route="/health",le="0.005"}', 4],
    ['count{method="GET",route="/health"}', 4],
    ['bucket{method="_OTHER",route="(other)",le="10"}', 0],
    ['bucket{method="_OTHER",route="(other)",le="+Inf"}', 1],
    ['sum{method="_OTHER",route="(other)"}', 20],
  ] as const)
    expect(valueOf(exposed, `${durations}_${series}`), series).toBe(value)
  // A route without requests has no durations: all of them would be a thousand lines.
  expect(exposed).not.toContain(`${durations}_count{method="PUT"`)
})

test('calls of gRPC are counted by method and status, with their durations', async () => {
  const { grpcCalls, text } = metrics()
  const count = grpcCalls.counter('a.B/C')
  count('OK', 0.000_03)
  count('NOT_FOUND', 0.000_03)
  grpcCalls.counter('a.B/Idle')
  const exposed = await text()
  expect(valueOf(exposed, 'engine_grpc_calls_total{method="a.B/C",status="NOT_FOUND"}')).toBe(1)
  expect(valueOf(exposed, 'engine_grpc_calls_total{method="a.B/Idle",status="OK"}')).toBe(0)
  expect(valueOf(exposed, 'engine_grpc_call_duration_seconds_count{method="a.B/C"}')).toBe(2)
  expect(exposed).not.toContain('engine_grpc_call_duration_seconds_count{method="a.B/Idle"}')
})

test.each([
  'engine_signature_rejected_total{reason="untrusted public key"}',
  'engine_signature_rejected_total{reason="no signature found"}',
  'engine_hot_reloads_total{result="rejected"}',
  'engine_audit_events_lost_total',
  'engine_ruleset_version_lowered_total',
])('%s exists before its first event, so that a rate includes that one', async (series) => {
  expect(valueOf(await metrics().text(), series)).toBe(0)
})

test('changes of rule files are counted by outcome', async () => {
  const registry = metrics()
  for (const result of ['applied', 'applied', 'removed', 'rejected'] as const) registry.reloaded(result)
  const text = await registry.text()
  for (const [result, count] of Object.entries({ applied: 2, removed: 1, rejected: 1 }))
    expect(valueOf(text, `engine_hot_reloads_total{result="${result}"}`)).toBe(count)
})

test('evaluations are counted by result', async () => {
  const registry = metrics()
  registry.evaluated(0.000_002, 'success')
  registry.evaluated(0.000_002, 'error')
  const text = await registry.text()
  expect(valueOf(text, 'engine_eval_total{result="success"}')).toBe(1)
  expect(valueOf(text, 'engine_eval_total{result="error"}')).toBe(1)
  expect(valueOf(text, 'engine_eval_duration_seconds_count')).toBe(2)
})

const bucket = (text: string, bound: string) =>
  valueOf(text, `engine_execution_duration_seconds_bucket{ruleset="r",le="${bound}"}`)

describe('buckets', () => {
  test('begin at 1 µs, are cumulative and include their bound', async () => {
    const registry = metrics()
    for (const seconds of [0.000_000_5, 0.000_001, 0.000_001_1, 0.000_07, 3, 60]) registry.executed('r', seconds, 'OK')
    const text = await registry.text()
    expect(['0.000001', '0.000002', '0.00005', '0.0001', '2', '5', '10', '+Inf'].map((le) => bucket(text, le))).toEqual(
      [2, 3, 3, 4, 4, 5, 5, 6],
    )
  })

  test('are plain numbers in ascending order', async () => {
    const registry = metrics()
    registry.evaluated(1, 'success')
    const bounds = [...(await registry.text()).matchAll(/^engine_eval_duration_seconds_bucket\{le="(.+)"\}/gm)]
    const numbers = bounds.map(([, bound = '']) => Number(bound === '+Inf' ? 'Infinity' : bound))
    expect(numbers).toEqual([...numbers].sort((left, right) => left - right))
    expect(new Set(numbers).size).toBe(23)
  })
})

describe('text of users cannot', () => {
  test('make more than a thousand series of a label', async () => {
    const registry = metrics()
    for (let index = 0; index < 1500; index++) {
      registry.executed(`r${index}`, 0.001, `C${index}`)
      registry.reported({ ruleset: 'r', name: `m${index}`, value: 1, tags: [] })
      registry.callFailed({ ruleset: 'r', step: 's', service: `x${index}`, method: 'm', cause: 'c' })
    }
    const text = await registry.text()
    expect(text.match(/^engine_execution_duration_seconds_count\{/gm)).toHaveLength(1001)
    expect(valueOf(text, 'engine_executions_total{ruleset="(other)",result="success"}')).toBe(500)
    expect(text.match(/^engine_terminal_results_total\{/gm)).toHaveLength(1001)
    expect(valueOf(text, 'engine_terminal_results_total{code="(other)"}')).toBe(500)
    expect(text.match(/^engine_rule_metric\{/gm)).toHaveLength(1000)
    expect(valueOf(text, 'engine_rule_metric_reports_total{ruleset="(other)",name="(other)",tags=""}')).toBe(500)
    expect(text.match(/^engine_external_calls_failed_total\{/gm)).toHaveLength(101)
  })

  test('break out of a label value', async () => {
    const registry = metrics()
    registry.executed('a"} 1\nfake_metric{x="\\', 0.001, 'b"} 1\nfake_metric{x="\\')
    registry.reported({ ruleset: 'r', name: 'n"\n', value: 1, tags: [['k"\n', 'v\\']] })
    const text = await registry.text()
    expect(text).not.toMatch(/^fake_metric/m)
    expect(text.split('\n').every((line) => line === '' || /^(#|[a-z0-9_]+(\{.*\})? [-+\w.]+$)/.test(line))).toBe(true)
  })

  test('make label values of any length', async () => {
    const registry = metrics()
    registry.executed('r', 0.001, 'x'.repeat(5000))
    expect(valueOf(await registry.text(), 'engine_terminal_results_total{code="(other)"}')).toBe(1)
  })
})

test('the series of a deleted ruleset are removed', async () => {
  const registry = metrics()
  registry.executed('gone', 0.001, 'OK')
  registry.forget('gone')
  expect(await registry.text()).not.toContain('"gone"')
})

test('a rule metric keeps its last value and counts its reports, by name and tags', async () => {
  const registry = metrics()
  const entry = { ruleset: 'r', name: 'total', tags: [['shop', 'a']] as const }
  registry.reported({ ...entry, value: 3 })
  registry.reported({ ...entry, value: 5 })
  const text = await registry.text()
  expect(valueOf(text, 'engine_rule_metric{ruleset="r",name="total",tags="shop=a"}')).toBe(5)
  expect(valueOf(text, 'engine_rule_metric_reports_total{ruleset="r",name="total",tags="shop=a"}')).toBe(2)
})

test('rulesets of one name have series of their own in each tenant', async () => {
  const registry = createMetrics({ version: '1' })
  for (const [tenant, times] of [
    ['a', 1],
    ['b', 2],
    [undefined, 3],
  ] as const)
    for (let count = 0; count < times; count++) registry.forTenant(tenant).executed('vip', 0.000_003, 'GOLD')
  registry.forTenant('b').executed('vip', 0.000_003, undefined)
  const text = await registry.text()
  const executions = (labels: string) => valueOf(text, `engine_executions_total{${labels}}`)
  expect([
    executions('tenant="a",ruleset="vip",result="success"'),
    executions('tenant="a",ruleset="vip",result="error"'),
    executions('tenant="b",ruleset="vip",result="success"'),
    executions('tenant="b",ruleset="vip",result="error"'),
    executions('ruleset="vip",result="success"'),
  ]).toEqual([1, 0, 2, 1, 3])
  registry.forTenant('a').forget('vip')
  const later = await registry.text()
  expect(later).not.toContain('tenant="a"')
  expect(valueOf(later, 'engine_execution_duration_seconds_count{tenant="b",ruleset="vip"}')).toBe(3)
})

test('the link to the platform has gauges of its own, and counts deliveries by outcome', async () => {
  const registry = metrics()
  const link = registry.forLink(() => ({ isRegistered: true, silentSeconds: 2.5, owned: 3, problems: 4 }))
  link.delivered('refused')
  link.failed()
  link.failed()
  const text = await registry.text()
  expect(
    ['registered', 'silent_seconds', 'owned_rulesets', 'problems', 'failures_total'].map((name) =>
      valueOf(text, `engine_link_${name}`),
    ),
  ).toEqual([1, 2.5, 3, 4, 2])
  const outcomes = ['applied', 'unchanged', 'refused', 'failed']
  expect(outcomes.map((result) => valueOf(text, `engine_link_deliveries_total{result="${result}"}`))).toEqual([
    0, 0, 1, 0,
  ])
})

describe('sync', () => {
  const status = {
    connected: true,
    role: 'reader',
    lag_events: 1,
    last_applied_seq: 2,
    outbox: 3,
    digest: 'd',
    refusals: 4,
    stale_replicas: 5,
    writer_silent_seconds: 6,
  } as const

  test.each([
    [undefined, 0],
    ['d', 0],
    ['e', 1],
  ])('has gauges of its status, and compares the digest of the writer, %s', async (writerDigest, differs) => {
    const registry = metrics()
    registry.forSync(() => ({ ...status, ...(writerDigest !== undefined && { writer_digest: writerDigest }) }))
    const text = await registry.text()
    const of = (name: string) => valueOf(text, `engine_sync_${name}`)
    expect(of('digest_mismatch')).toBe(differs)
    expect([of('connected'), of('lag_events'), of('last_applied_seq'), of('outbox_events')]).toEqual([1, 1, 2, 3])
    expect([of('refusals'), of('stale_replicas'), of('writer_silent_seconds')]).toEqual([4, 5, 6])
  })

  test.each<[series: string, count: (metrics: SyncMetrics) => void]>([
    ['published_total{type="RulePut"}', (one) => one.published('RulePut')],
    ['publish_failures_total', (one) => one.publishFailed()],
    ['applied_total{type="RuleDeleted"}', (one) => one.applied('RuleDeleted', 0.25)],
    ['apply_latency_seconds_sum', (one) => one.applied('RulePut', 1)],
    ['skipped_total{reason="echo"}', (one) => one.skipped('echo')],
    ['reconciliations_total{reason="gap"}', (one) => one.reconciled('gap')],
    ['reconnects_total', (one) => one.reconnected()],
    ['conflicts_total', (one) => one.conflict()],
  ])('counts %s', async (series, count) => {
    const registry = metrics()
    const sync = registry.forSync(() => status)
    expect(valueOf(await registry.text(), `engine_sync_${series}`) ?? 0).toBe(0)
    count(sync)
    expect(valueOf(await registry.text(), `engine_sync_${series}`)).toBe(1)
  })
})

test('calls to capabilities are counted by outcome, with their durations', async () => {
  const registry = metrics()
  const call = { capability: 'network.http', operation: 'GET' }
  registry.capabilityCalled({ ...call, seconds: 0.5, outcome: 'ok' } as never)
  registry.capabilityCalled({ ...call, seconds: 0.25, outcome: 'error' } as never)
  const text = await registry.text()
  const labels = 'capability="network.http",operation="GET"'
  expect(valueOf(text, `engine_capability_calls_total{${labels},result="ok"}`)).toBe(1)
  expect(valueOf(text, `engine_capability_calls_total{${labels},result="error"}`)).toBe(1)
  const durations = 'engine_capability_call_duration_seconds'
  expect(valueOf(text, `${durations}_count{capability="network.http"}`)).toBe(2)
  expect(valueOf(text, `${durations}_sum{capability="network.http"}`)).toBe(0.75)
})

test.each<[series: string, count: (registry: MetricsRegistry) => void]>([
  ['engine_ruleset_version_lowered_total', (one) => one.versionWentBack()],
  [
    'engine_signature_rejected_total{reason="no signature found"}',
    (one) => one.signatureRejected('no signature found'),
  ],
  ['engine_tenant_rate_limited_total{tenant="a"}', (one) => one.tenantLimited('a')],
  ['engine_hot_reloads_total{result="rejected"}', (one) => one.reloaded('rejected')],
  ['engine_eval_total{result="error"}', (one) => one.evaluated(0, 'error')],
  ['engine_audit_events_lost_total', (one) => one.auditLost(1)],
  ['engine_receipts_lost_total', (one) => one.receiptsLost(1)],
  ['engine_receipts_hook_failures_total', (one) => one.receiptsHookFailed()],
  [
    'engine_external_calls_failed_total{service="s"}',
    (one) => one.forTenant('a').callFailed({ service: 's' } as never),
  ],
])('%s counts its own event alone', async (series, count) => {
  const registry = createMetrics({ version: '1' })
  const counters = async () =>
    (await registry.text()).split('\n').filter((line) => /^engine_\w+_total\b.* [1-9]/.test(line))
  expect(await counters()).toEqual([])
  count(registry)
  expect(await counters()).toEqual([`${series} 1`])
})

test('decisions without a receipt and failed requests to a witness are counted', async () => {
  const registry = metrics()
  registry.receiptsLost(3)
  registry.receiptsLost(2)
  registry.receiptsHookFailed()
  const text = await registry.text()
  expect(valueOf(text, 'engine_receipts_lost_total')).toBe(5)
  expect(valueOf(text, 'engine_receipts_hook_failures_total')).toBe(1)
})

test('lost audit events are counted', async () => {
  const registry = metrics()
  registry.auditLost(3)
  expect(valueOf(await registry.text(), 'engine_audit_events_lost_total')).toBe(3)
})
