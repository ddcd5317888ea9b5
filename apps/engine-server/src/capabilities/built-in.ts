import { type Capabilities, type CapabilityProvider, createCapabilities } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import type { Audit } from '../audit.ts'
import type { Configuration } from '../config.ts'
import type { MetricsRegistry } from '../telemetry/metrics.ts'
import { createAuditLogger } from './audit-logger.ts'
import { createEgress, type EgressPolicy } from './egress.ts'
import { parseHostPattern } from './host-patterns.ts'
import { createMetricsExporter } from './metrics-exporter.ts'
import { createNetworkHttp } from './network-http.ts'
import { observed } from './observed.ts'

/** The registry of a server. */
export interface ServerCapabilities extends Pick<Capabilities, 'get' | 'names'> {
  /** Ends the connections that are kept. */
  close(): Promise<void>
}

/** The three capabilities of specification 2.8 and those of the host program, each counted and traced. */
export function builtInCapabilities(
  configuration: Configuration,
  parts: {
    readonly metrics: MetricsRegistry
    readonly audit: Audit
    /** Of the host program. */
    readonly own: readonly CapabilityProvider[]
  },
): ServerCapabilities {
  const { metrics, audit, own } = parts
  const network = createNetworkHttp({
    egress: createEgress(policyOf(configuration), configuration.networkHttpAllow.map(parseHostPattern)),
  })
  const auditLogger = createAuditLogger(
    { ruleReported: (event) => audit.ruleReported(event), dropped: () => metrics.auditLost(1) },
    () => performance.now(),
  )
  const providers = [createMetricsExporter(metrics), auditLogger, network.provider, ...own]
  const { get, names } = createCapabilities(
    ...providers.map((provider) => observed(provider, (call) => metrics.capabilityCalled(call))),
  )
  return { get, names, close: network.close }
}

/** Whoever names hosts means only those. */
function policyOf({ networkHttpPolicy, networkHttpAllow }: Configuration): EgressPolicy {
  return networkHttpPolicy ?? (networkHttpAllow.length > 0 ? 'allowlist' : 'open')
}
