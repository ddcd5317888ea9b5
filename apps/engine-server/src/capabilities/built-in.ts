import { type Capabilities, type CapabilityProvider, createCapabilities } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import type { RuleAudit } from '../audit.ts'
import type { Configuration } from '../config.ts'
import type { MetricsRegistry } from '../telemetry/metrics.ts'
import { createAuditLogger } from './audit-logger.ts'
import { createEgress, type EgressPolicy } from './egress.ts'
import { parseHostPattern } from './host-patterns.ts'
import { createMetricsExporter, type RuleSeries } from './metrics-exporter.ts'
import { createNetworkHttp, type NetworkHttp } from './network-http.ts'
import { observed } from './observed.ts'

/** What the capabilities of all tenants share. */
export interface OutboundParts {
  readonly network: NetworkHttp
  readonly metrics: Pick<MetricsRegistry, 'capabilityCalled' | 'auditLost'>
  /** Of the host program. */
  readonly own: readonly CapabilityProvider[]
}

/** The connections to the outside, one pool for the server. */
export function networkOf(configuration: Configuration): NetworkHttp {
  const allowed = configuration.networkHttpAllow.map(parseHostPattern)
  return createNetworkHttp({ egress: createEgress(policyOf(configuration), allowed) })
}

/** The three capabilities of specification 2.8 and those of the host program, each counted and traced. */
export function tenantCapabilities(
  { network, metrics, own }: OutboundParts,
  sinks: { readonly series: RuleSeries; readonly audit: RuleAudit },
): Pick<Capabilities, 'get'> {
  const auditLogger = createAuditLogger(
    { ruleReported: (event) => sinks.audit.ruleReported(event), dropped: () => metrics.auditLost(1) },
    () => performance.now(),
  )
  const providers = [createMetricsExporter(sinks.series), auditLogger, network.provider, ...own]
  return createCapabilities(
    ...providers.map((provider) => observed(provider, (call) => metrics.capabilityCalled(call))),
  )
}

/** Whoever names hosts means only those; where several parties write rules, none of them reaches into the network. */
function policyOf({ networkHttpPolicy, networkHttpAllow, multiTenancyEnabled }: Configuration): EgressPolicy {
  if (networkHttpPolicy !== undefined) return networkHttpPolicy
  if (networkHttpAllow.length > 0) return 'allowlist'
  return multiTenancyEnabled ? 'public' : 'open'
}
