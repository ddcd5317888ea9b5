import { createEgress, type Egress, type EgressPolicy } from '../capabilities/egress.ts'
import { parseHostPattern } from '../capabilities/host-patterns.ts'
import type { Configuration } from '../config/config.ts'

/** Where calls may go. */
export function egressOf(configuration: Configuration): Egress {
  return createEgress(egressPolicyOf(configuration), configuration.networkHttpAllow.map(parseHostPattern))
}

/** A list of hosts means only those. Without one the private network is closed: else authors of rules could reach into it. */
export function egressPolicyOf({ networkHttpPolicy, networkHttpAllow }: Configuration): EgressPolicy {
  return networkHttpPolicy ?? (networkHttpAllow.length > 0 ? 'allowlist' : 'public')
}
