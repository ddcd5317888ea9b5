import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client'
import type { CapabilityCall } from '../capabilities/instrumentation.ts'
import type { RuleSeries } from '../capabilities/metrics-exporter.ts'
import type { RuleMetrics } from '../services/host.ts'
import { RELOAD_RESULTS, type ReloadResult } from '../services/reload.ts'
import { REJECTIONS } from '../signatures/gate.ts'
import { Durations, histogramHead, label } from './duration.ts'
import type { SyncMetrics } from '../sync/sync-metrics.ts'
import type { SyncStatus } from '../sync/sync.ts'
import { OTHER, boundedLabel } from './label-values.ts'
import { type LinkFigures, type LinkMetrics, linkSeries } from './link-series.ts'
import { syncSeries } from './sync-series.ts'

/** Maximum number of distinct values per label; further ones are counted under `(other)`. */
const LIMITS = { rulesets: 1000, codes: 1000, ruleMetrics: 1000, services: 100 } as const

/** The result of an execution or evaluation. */
type Outcome = 'success' | 'error'

/** Modes in which contracts are checked. */
type ContractMode = 'warn' | 'enforce'

/** The metrics of one tenant's rulesets. */
export interface TenantMetrics extends RuleMetrics, RuleSeries {
  /** An execution of a stored ruleset ended; `code` is that of its terminal step, undefined if it failed. */
  executed(ruleset: string, seconds: number, code: string | undefined): void
  /**
   * Adds the violations of an input of a contract with this mode. A valid input adds 0, which creates the series: if a
   * series began with its first event, a rate would miss that event.
   */
  violated(ruleset: string, mode: ContractMode, violations: number): void
  /** Removes the series of a deleted ruleset. */
  forget(ruleset: string): void
}

/** Calls of gRPC, by method and status. */
export interface GrpcCalls {
  /**
   * Counts completed calls of a method with their durations. The series exists before its first event, which a rate
   * would otherwise miss.
   */
  counter(method: string): (status: string, seconds: number) => void
}

/** Requests over HTTP, by method, route and status. */
export interface HttpRequests {
  /** Creates its series before its first event, as for calls of gRPC. */
  offered(method: string, route: string): void
  /**
   * @param route undefined if no route matches, or if the request was refused before routing
   * @param status undefined if the connection was closed before an answer
   */
  ended(method: string, route: string | undefined, status: number | undefined, seconds: number): void
}

/** All metrics of this program, specification 4.5. */
export interface MetricsRegistry {
  /** Series with the label `tenant`; undefined if the server has no tenants: the labels are then as specified. */
  forTenant(tenant: string | undefined): TenantMetrics
  /** A tenant exceeded its rate limit. */
  tenantLimited(tenant: string): void
  readonly grpcCalls: GrpcCalls
  readonly httpRequests: HttpRequests
  /** A capability was called. */
  capabilityCalled(call: CapabilityCall): void
  evaluated(seconds: number, outcome: Outcome): void
  /** A ruleset was refused because of its signature. */
  signatureRejected(reason: string): void
  /** A ruleset was replaced by one with a lower version. */
  versionWentBack(): void
  /** A change of a rule file was detected and handled with this result. */
  reloaded(result: ReloadResult): void
  /** Storage counts, read with every scrape; absent before. */
  observeStorage(storage: () => StorageCounts): void
  /** An audit event could not be written. */
  auditLost(count: number): void
  /** Counts decisions that have no receipt. */
  receiptsLost(count: number): void
  /** A checkpoint of receipts did not reach the witness of `--receipts-hook`. */
  receiptsHookFailed(): void
  /** The series of sync, for an instance with a broker. */
  forSync(status: () => SyncStatus): SyncMetrics
  /** The series of the link to the platform, for an engine with one. */
  forLink(figures: () => LinkFigures): LinkMetrics
  /** The text exposition format. */
  text(): Promise<string>
  readonly contentType: string
}

export interface StorageCounts {
  readonly rulesets: number
  /** Number of rule files that cannot be served. */
  readonly rejectedFiles: number
}

interface RulesetSeries {
  readonly labels: { readonly tenant?: string; readonly ruleset: string }
  readonly durations: Durations
  success: number
  error: number
  /** Number of violations by the mode of the contract. */
  readonly violations: Partial<Record<ContractMode, number>>
}

export function createMetrics(options: { readonly version: string }): MetricsRegistry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const stored = programMetrics(registry, options)
  const executions = executionMetrics(registry)
  const evaluations = evaluationMetrics(registry)
  const calls = capabilityMetrics(registry)
  const lost = new Counter({
    name: 'engine_audit_events_lost_total',
    help: 'Audit events that could not be written',
    registers: [registry],
  })
  const unproved = new Counter({
    name: 'engine_receipts_lost_total',
    help: 'Decisions without a receipt, because it could not be written',
    registers: [registry],
  })
  const unwitnessed = new Counter({
    name: 'engine_receipts_hook_failures_total',
    help: 'Requests to the witness of --receipts-hook that failed and were made again',
    registers: [registry],
  })
  const rejections = new Counter({
    name: 'engine_signature_rejected_total',
    help: 'Rulesets rejected because of their signature',
    labelNames: ['reason'],
    registers: [registry],
  })
  const backward = new Counter({
    name: 'engine_ruleset_version_lowered_total',
    help: 'Updates that replaced a ruleset by one with a lower version: a mistake, or an old signed one sent again',
    registers: [registry],
  })
  const reloads = new Counter({
    name: 'engine_hot_reloads_total',
    help: 'Changes of rule files noticed while running',
    labelNames: ['result'],
    registers: [registry],
  })
  const ofRules = ruleMetrics(registry)
  const ofHttp = httpMetrics(registry)
  const ofGrpc = grpcMetrics(registry)
  const limited = new Counter({
    name: 'engine_tenant_rate_limited_total',
    help: "Requests rejected by a tenant's rate limit",
    labelNames: ['tenant'],
    registers: [registry],
  })
  // If a counter began with its first event, a rate would miss that event.
  for (const reason of REJECTIONS) rejections.inc({ reason }, 0)
  for (const result of RELOAD_RESULTS) reloads.inc({ result }, 0)
  return {
    forTenant: (tenant) => ({ ...executions.forTenant(tenant), ...ofRules.forTenant(tenant) }),
    tenantLimited: (tenant) => limited.inc({ tenant }),
    evaluated: evaluations.evaluated,
    ...calls.record,
    grpcCalls: ofGrpc.calls,
    httpRequests: ofHttp.requests,
    signatureRejected: (reason) => rejections.inc({ reason }),
    reloaded: (result) => reloads.inc({ result }),
    versionWentBack: () => backward.inc(),
    observeStorage: (storage) => (stored.counts = storage),
    auditLost: (count) => lost.inc(count),
    receiptsLost: (count) => unproved.inc(count),
    receiptsHookFailed: () => unwitnessed.inc(),
    forLink: (figures) => linkSeries(registry, figures),
    forSync: (status) => syncSeries(registry, status),
    text: async () =>
      [await registry.metrics(), executions, evaluations, calls, ofHttp, ofGrpc]
        .map((part) => (typeof part === 'string' ? part : part.text()))
        .join(''),
    contentType: registry.contentType,
  }
}

/** Creates the metrics of the program. The storage counts are read from `counts` of the result, which may be replaced. */
function programMetrics(registry: Registry, options: { version: string }): { counts: () => StorageCounts } {
  const stored = { counts: (): StorageCounts => ({ rulesets: 0, rejectedFiles: 0 }) }
  const registers = [registry]
  new Gauge({ name: 'engine_info', help: 'Always 1; the version is a label', labelNames: ['version'], registers }).set(
    { version: options.version },
    1,
  )
  const uptime = new Counter({
    name: 'engine_uptime_seconds',
    help: 'Seconds since the process started',
    registers,
    collect: () => {
      uptime.reset()
      uptime.inc(process.uptime())
    },
  })
  const rules = new Gauge({
    name: 'engine_rules_total',
    help: 'Stored rulesets',
    registers,
    collect: () => {
      rules.set(stored.counts().rulesets)
    },
  })
  const rejected = new Gauge({
    name: 'engine_rule_files_rejected',
    help: 'Rule files that are not served; /health names them',
    registers,
    collect: () => {
      rejected.set(stored.counts().rejectedFiles)
    },
  })
  return stored
}

/** Executions are the hot path: they are added up in plain numbers and converted to series at a scrape. */
function executionMetrics(registry: Registry) {
  const series = new Map<string, RulesetSeries>()
  const codes = new Map<string, number>()
  const codeLabel = boundedLabel(LIMITS.codes)
  const seriesOf = (tenant: string | undefined, ruleset: string): RulesetSeries => {
    // A name contains no slash.
    const key = tenant === undefined ? ruleset : `${tenant}/${ruleset}`
    const found = series.get(key)
    if (found !== undefined) return found
    if (series.size >= LIMITS.rulesets && ruleset !== OTHER) return seriesOf(undefined, OTHER)
    const labels = tenant === undefined ? { ruleset } : { tenant, ruleset }
    const made = { labels, durations: new Durations(), success: 0, error: 0, violations: {} }
    series.set(key, made)
    return made
  }
  const names = ['tenant', 'ruleset', 'result'] as const
  collectedCounter(registry, 'engine_executions_total', 'Executions of stored rulesets', names, () =>
    [...series.values()].flatMap(({ labels, success, error }) => [
      [{ ...labels, result: 'success' }, success],
      [{ ...labels, result: 'error' }, error],
    ]),
  )
  collectedCounter(
    registry,
    'engine_contract_violations_total',
    'Violations of contracts by inputs',
    ['tenant', 'ruleset', 'mode'],
    () =>
      [...series.values()].flatMap(({ labels, violations }) =>
        Object.entries(violations).map(([mode, count]) => [{ ...labels, mode }, count] as const),
      ),
  )
  collectedCounter(registry, 'engine_terminal_results_total', 'Executions by the code they ended with', ['code'], () =>
    [...codes].map(([code, count]) => [{ code }, count]),
  )
  return {
    forTenant: (tenant: string | undefined) => ({
      executed: (ruleset: string, seconds: number, code: string | undefined) => {
        const entry = seriesOf(tenant, ruleset)
        entry.durations.add(seconds)
        if (code === undefined) {
          entry.error++
          return
        }
        entry.success++
        const value = codeLabel(code)
        codes.set(value, (codes.get(value) ?? 0) + 1)
      },
      violated: (ruleset: string, mode: ContractMode, count: number) => {
        const { violations } = seriesOf(tenant, ruleset)
        violations[mode] = (violations[mode] ?? 0) + count
      },
      forget: (ruleset: string) => void series.delete(tenant === undefined ? ruleset : `${tenant}/${ruleset}`),
    }),
    text: () => {
      const name = 'engine_execution_duration_seconds'
      const lines = [...series.values()].map(({ labels: { tenant, ruleset }, durations }) => {
        const labels = `${tenant === undefined ? '' : label('tenant', tenant)}${label('ruleset', ruleset)}`
        return durations.lines(name, labels)
      })
      return histogramHead(name, 'Duration of executions') + lines.join('')
    },
  }
}

function evaluationMetrics(registry: Registry) {
  const durations = new Durations()
  const counts: Record<Outcome, number> = { success: 0, error: 0 }
  collectedCounter(registry, 'engine_eval_total', 'Evaluations of single expressions', ['result'], () =>
    Object.entries(counts).map(([result, count]) => [{ result }, count]),
  )
  return {
    evaluated: (seconds: number, outcome: Outcome) => {
      durations.add(seconds)
      counts[outcome]++
    },
    text: () => {
      const name = 'engine_eval_duration_seconds'
      return histogramHead(name, 'Duration of evaluations of single expressions') + durations.lines(name, '')
    },
  }
}

/** A counter whose values are collected at each scrape. */
function collectedCounter<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
  values: () => readonly (readonly [Partial<Record<Label, string>>, number])[],
): void {
  const counter = new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect: () => {
      counter.reset()
      for (const [labels, count] of values()) counter.inc(labels, count)
    },
  })
}

/** Completed requests of one method and route, or completed calls of one method. */
interface Ends {
  readonly statuses: Map<string, number>
  readonly durations: Durations
}

const newEnds = (): Ends => ({ statuses: new Map(), durations: new Durations() })

function countEnd({ statuses, durations }: Ends, status: string, seconds: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  durations.add(seconds)
}

/** Only series in use are written: all routes together would add a thousand lines of zeros to a scrape. */
function durationsText(name: string, help: string, series: Iterable<readonly [labels: string, ends: Ends]>): string {
  let text = histogramHead(name, help)
  for (const [labels, { durations }] of series)
    if (durations.counts.some(Boolean)) text += durations.lines(name, labels)
  return text
}

function httpMetrics(registry: Registry): { readonly requests: HttpRequests; text(): string } {
  const routes = new Map<string, Map<string, Ends>>()
  const all = () =>
    Array.from(routes, ([route, methods]) => Array.from(methods, (row) => [route, ...row] as const)).flat()
  collectedCounter(registry, 'engine_http_requests_total', 'Requests over HTTP', ['method', 'route', 'status'], () =>
    all().flatMap(([route, method, { statuses }]) =>
      Array.from(statuses, ([status, count]) => [{ method, route, status }, count] as const),
    ),
  )
  const endsOf = (method: string, route: string): Ends => {
    const methods = routes.get(route) ?? new Map<string, Ends>()
    routes.set(route, methods)
    const ends = methods.get(method) ?? newEnds()
    methods.set(method, ends)
    return ends
  }
  return {
    requests: {
      offered: (method, route) => void endsOf(method, route).statuses.set('200', 0),
      ended: (method, route = OTHER, status, seconds) =>
        countEnd(endsOf(method, route), STATUS_TEXTS[status ?? 0] ?? String(status), seconds),
    },
    text: () =>
      durationsText(
        'engine_http_request_duration_seconds',
        'Duration of requests over HTTP',
        all().map(([route, method, ends]) => [label('method', method) + label('route', route), ends]),
      ),
  }
}

/** Status labels by number, so that no request creates a string; 0: the connection was closed before an answer. */
const STATUS_TEXTS: readonly string[] = Array.from({ length: 600 }, (_, status) =>
  status === 0 ? 'none' : String(status),
)

function grpcMetrics(registry: Registry): { readonly calls: GrpcCalls; text(): string } {
  const methods = new Map<string, Ends>()
  collectedCounter(registry, 'engine_grpc_calls_total', 'Calls of gRPC', ['method', 'status'], () =>
    Array.from(methods, ([method, { statuses }]) =>
      Array.from(statuses, ([status, count]) => [{ method, status }, count] as const),
    ).flat(),
  )
  const counters = new Map<string, (status: string, seconds: number) => void>()
  return {
    calls: {
      counter(method) {
        const known = counters.get(method)
        if (known !== undefined) return known
        const ends = newEnds()
        ends.statuses.set('OK', 0)
        const count = (status: string, seconds: number) => countEnd(ends, status, seconds)
        methods.set(method, ends)
        counters.set(method, count)
        return count
      },
    },
    text: () =>
      durationsText(
        'engine_grpc_call_duration_seconds',
        'Duration of calls of gRPC',
        Array.from(methods, ([method, ends]) => [label('method', method), ends] as const),
      ),
  }
}

/** Metrics of external calls of rules, for all capabilities. */
function capabilityMetrics(registry: Registry) {
  const calls = new Counter({
    name: 'engine_capability_calls_total',
    help: 'Calls of rules to capabilities',
    labelNames: ['capability', 'operation', 'result'],
    registers: [registry],
  })
  const durations = new Map<string, Durations>()
  return {
    record: {
      // Only registered capabilities and operations occur, so their number is bounded.
      capabilityCalled: ({ capability, operation, seconds, outcome }: CapabilityCall) => {
        calls.inc({ capability, operation, result: outcome })
        const known = durations.get(capability)
        if (known !== undefined) return known.add(seconds)
        const first = new Durations()
        durations.set(capability, first)
        first.add(seconds)
      },
    },
    text: () => {
      const name = 'engine_capability_call_duration_seconds'
      const lines = [...durations].map(([capability, series]) => series.lines(name, label('capability', capability)))
      return histogramHead(name, 'Duration of calls to capabilities') + lines.join('')
    },
  }
}

/** Metrics reported by rules: names, tags and services are text of users, so they are bounded labels. */
function ruleMetrics(registry: Registry) {
  const registers = [registry]
  const labelNames = ['tenant', 'ruleset', 'name', 'tags'] as const
  const value = new Gauge({ name: 'engine_rule_metric', help: 'Last value a rule reported', labelNames, registers })
  const count = new Counter({
    name: 'engine_rule_metric_reports_total',
    help: 'Values reported by rules',
    labelNames,
    registers,
  })
  const sum = new Counter({ name: 'engine_rule_counter_total', help: 'Counters of rules', labelNames, registers })
  const failed = new Counter({
    name: 'engine_external_calls_failed_total',
    help: 'External calls without a result variable that failed',
    labelNames: ['service'],
    registers,
  })
  const seriesLabel = boundedLabel(LIMITS.ruleMetrics, 400)
  const serviceLabel = boundedLabel(LIMITS.services)
  const beyond = { ruleset: OTHER, name: OTHER, tags: '' }
  const forTenant = (tenant: string | undefined): RuleMetrics & RuleSeries => {
    const owner = tenant === undefined ? {} : { tenant }
    const labelsOf = ({ ruleset, name, tags }: Parameters<RuleMetrics['reported']>[0]) => {
      const text = tags.map(([key, tag]) => `${key}=${tag}`).join(',')
      const isKnown = seriesLabel(JSON.stringify([tenant, ruleset, name, text])) !== OTHER
      return isKnown ? { ...owner, ruleset, name, tags: text } : beyond
    }
    const reported: RuleMetrics['reported'] = (entry) => {
      const labels = labelsOf(entry)
      count.inc(labels)
      if (labels !== beyond) value.set(labels, entry.value)
    }
    return {
      reported,
      gauge: reported,
      counter: (entry) => sum.inc(labelsOf(entry), entry.value),
      callFailed: ({ service }) => failed.inc({ service: serviceLabel(service) }),
    }
  }
  return { forTenant }
}
