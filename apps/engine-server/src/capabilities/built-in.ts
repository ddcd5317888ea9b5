import { type Capabilities, type CapabilityProvider, createCapabilities } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import type { RuleAudit } from '../audit/audit.ts'
import type { Configuration } from '../config/config.ts'
import type { MetricsRegistry } from '../telemetry/metrics.ts'
import { createAuditLogger } from './audit-logger.ts'
import { createEgress, type Egress, type EgressPolicy } from './egress.ts'
import { parseHostPattern } from './host-patterns.ts'
import { createMetricsExporter, type RuleSeries } from './metrics-exporter.ts'
import { createNetworkHttp } from './network-http.ts'
import { observed } from './observed.ts'

/** The shared parts of all tenants' capabilities. */
export interface OutboundParts {
  readonly egress: Egress
  readonly metrics: Pick<MetricsRegistry, 'capabilityCalled' | 'auditLost'>
  /** Of the host program. */
  readonly own: readonly CapabilityProvider[]
}

/** Where calls may go. */
export function egressOf(configuration: Configuration): Egress {
  return createEgress(egressPolicyOf(configuration), configuration.networkHttpAllow.map(parseHostPattern))
}

/** A list of hosts means only those. Without one the private network is closed: else authors of rules could reach into it. */
export function egressPolicyOf({ networkHttpPolicy, networkHttpAllow }: Configuration): EgressPolicy {
  return networkHttpPolicy ?? (networkHttpAllow.length > 0 ? 'allowlist' : 'public')
}

/** The registry of one tenant. */
export interface TenantCapabilities extends Pick<Capabilities, 'get' | 'names'> {
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
  const { get, names } = createCapabilities(
    ...providers.map((provider) => observed(provider, (call) => metrics.capabilityCalled(call))),
  )
  return { get, names, close: network.close }
}
