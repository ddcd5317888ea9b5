import { quote } from '@engine/expression'
import { type Reach, reachOf } from './address.ts'
import type { HostPattern, Target } from './host-patterns.ts'

/**
 * Which addresses rules may call. `open`: all but the forbidden ones. `public`: no private ones, but for those allowed by
 * name. `allowlist`: only what is allowed by name.
 */
export type EgressPolicy = 'open' | 'public' | 'allowlist'

/** The meaning of a policy, for the log of the start. */
export const EGRESS_MEANING = {
  open: 'rules may call any address but link-local and cloud metadata ones (--network-http-policy open)',
  public: 'rules may call public addresses, and of the private ones only allowed ones (--network-http-policy public)',
  allowlist: 'rules may call the hosts of --network-http-allow, and no others (--network-http-policy allowlist)',
} as const satisfies Record<EgressPolicy, string>

/** Why a call may not go where it wants to; undefined: it may. Asked with the address that is really connected to. */
export type Egress = (target: Target) => string | undefined

/** Link-local addresses and those of cloud metadata are refused whatever the policy and the patterns say. */
export function createEgress(policy: EgressPolicy, allowed: readonly HostPattern[]): Egress {
  return (target) => {
    const reach: Reach = reachOf(target.address)
    if (reach === 'forbidden') return 'link-local and cloud metadata addresses are never called'
    if (policy === 'open' || allowed.some((matches) => matches(target))) return undefined
    if (policy === 'allowlist') return `${quote(target.host)} is not among the hosts of --network-http-allow`
    if (reach === 'public') return undefined
    return `${quote(target.host)} is a private address, and not among the hosts of --network-http-allow`
  }
}
