import { type Capabilities, type CapabilityProvider, createCapabilities } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import type { RuleAudit } from '../audit.ts'
import type { Configuration } from '../config.ts'
import type { MetricsRegistry } from '../telemetry/metrics.ts'
import { createAuditLogger } from './audit-logger.ts'
import { createEgress, type Egress, type EgressPolicy } from './egress.ts'
import { parseHostPattern } from './host-patterns.ts'
import { createMetricsExporter, type RuleSeries } from './metrics-exporter.ts'
import { createNetworkHttp } from './network-http.ts'
import { observed } from './observed.ts'

/** What the capabilities of all tenants share. */
export interface OutboundParts {
  readonly egress: Egress
  readonly metrics: Pick<MetricsRegistry, 'capabilityCalled' | 'auditLost'>
  /** Of the host program. */
  readonly own: readonly CapabilityProvider[]
}

/** Where calls may go. */
export function egressOf(configuration: Configuration): Egress {
  return createEgress(policyOf(configuration), configuration.networkHttpAllow.map(parseHostPattern))
}

/** The registry of one tenant. */
export interface TenantCapabilities extends Pick<Capabilities, 'get'> {
  /** Ends the connections that are kept. */
  close(): Promise<void>
}

/**
 * The three capabilities of specification 2.8 and those of the host program, each counted and traced. Connections, and what
 * is known of peers that fail, are of one tenant: none can use up or block those of another.
 */
export function tenantCapabilities(
  { egress, metrics, own }: OutboundParts,
  sinks: { readonly series: RuleSeries; readonly audit: RuleAudit },
): TenantCapabilities {
  const network = createNetworkHttp({ egress })
  const auditLogger = createAuditLogger(
    { ruleReported: (event) => sinks.audit.ruleReported(event), dropped: () => metrics.auditLost(1) },
    () => performance.now(),
  )
  const providers = [createMetricsExporter(sinks.series), auditLogger, network.provider, ...own]
  const { get } = createCapabilities(
    ...providers.map((provider) => observed(provider, (call) => metrics.capabilityCalled(call))),
  )
  return { get, close: network.close }
}

/** Whoever names hosts means only those; where several parties write rules, none of them reaches into the network. */
function policyOf({ networkHttpPolicy, networkHttpAllow, multiTenancyEnabled }: Configuration): EgressPolicy {
  if (networkHttpPolicy !== undefined) return networkHttpPolicy
  if (networkHttpAllow.length > 0) return 'allowlist'
  return multiTenancyEnabled ? 'public' : 'open'
}
