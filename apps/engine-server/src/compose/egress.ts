import { createEgress, type Egress, type EgressPolicy, parseHostPattern } from '@engine/egress'
import type { Configuration } from '../config/config.ts'

/** The meaning of a policy, for the log of the start. */
export const EGRESS_MEANING = {
  open: 'rules may call any address but link-local and cloud metadata ones (--network-http-policy open)',
  public: 'rules may call public addresses, and of the private ones only allowed ones (--network-http-policy public)',
  allowlist: 'rules may call the hosts of --network-http-allow, and no others (--network-http-policy allowlist)',
} as const satisfies Record<EgressPolicy, string>

/** Where calls may go. */
export function egressOf(configuration: Configuration): Egress {
  const allowed = configuration.networkHttpAllow.map(parseHostPattern)
  return createEgress(egressPolicyOf(configuration), allowed, '--network-http-allow')
}

/**
 * A list of hosts means only those. Without one the private network is blocked: otherwise rule authors could reach into
 * it.
 */
export function egressPolicyOf({ networkHttpPolicy, networkHttpAllow }: Configuration): EgressPolicy {
  return networkHttpPolicy ?? (networkHttpAllow.length > 0 ? 'allowlist' : 'public')
}
