import { quote } from '@engine/expression'
import { type Reach, reachOf } from './address.ts'
import type { HostPattern, Target } from './host-patterns.ts'

/**
 * Which addresses may be called. `open`: all but the forbidden ones. `public`: no private ones, but for those allowed by
 * name. `allowlist`: only what is allowed by name.
 */
export type EgressPolicy = 'open' | 'public' | 'allowlist'

/** Why a call may not go where it wants to; undefined: it may. Asked with the address that is really connected to. */
export type Egress = (target: Target) => string | undefined

/**
 * Link-local addresses and those of cloud metadata are refused whatever the policy and the patterns say.
 *
 * @param option by which hosts are allowed, for messages
 */
export function createEgress(policy: EgressPolicy, allowed: readonly HostPattern[], option: `--${string}`): Egress {
  return (target) => {
    const reach: Reach = reachOf(target.address)
    if (reach === 'forbidden') return 'link-local and cloud metadata addresses are never called'
    if (policy === 'open' || allowed.some((matches) => matches(target))) return undefined
    if (policy === 'allowlist') return `${quote(target.host)} is not among the hosts of ${option}`
    if (reach === 'public') return undefined
    return `${quote(target.host)} is a private address, and not among the hosts of ${option}`
  }
}
