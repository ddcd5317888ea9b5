import { type Capabilities, type CapabilityProvider, createCapabilities } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import { createAuditLogger, type RuleAudit } from './audit-logger.ts'
import type { Egress } from '@engine/egress'
import { createMetricsExporter, type RuleSeries } from './metrics-exporter.ts'
import { createNetworkHttp } from './network-http.ts'
import { type CapabilityCall, observed } from './instrumentation.ts'

/** The shared parts of all tenants' capabilities. */
export interface OutboundParts {
  readonly egress: Egress
  readonly metrics: { capabilityCalled(call: CapabilityCall): void; auditLost(count: number): void }
  /** The host program's own providers. */
  readonly own: readonly CapabilityProvider[]
}

/** The registry of one tenant. */
export interface TenantCapabilities extends Pick<Capabilities, 'get' | 'names'> {
  /** Ends the connections that are kept. */
  close(): Promise<void>
}

/**
 * The three capabilities of specification 2.8 and those of the host program, each counted and traced. Connections and
 * circuit breaker state belong to one tenant: none can exhaust or block those of another.
 */
export function tenantCapabilities(
  { egress, metrics, own }: OutboundParts,
  sinks: { readonly series: RuleSeries; readonly audit: Pick<RuleAudit, 'ruleReported'> },
): TenantCapabilities {
  const network = createNetworkHttp({ egress })
  const auditLogger = createAuditLogger(
    { ruleReported: (event) => sinks.audit.ruleReported(event), dropped: () => metrics.auditLost(1) },
    () => performance.now(),
  )
  const providers = [createMetricsExporter(sinks.series), auditLogger, network.provider, ...own]
  const { get, names } = createCapabilities(
    ...providers.map((provider) => observed(provider, (call) => metrics.capabilityCalled(call))),
  )
  return { get, names, close: network.close }
}
