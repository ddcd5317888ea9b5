import { quote } from '@engine/expression'
import { type Reach, reachOf } from './address.ts'
import type { HostPattern, Target } from './host-patterns.ts'

/**
 * Which addresses may be called. `open`: all but the forbidden ones. `public`: no private addresses, except those
 * allowed by pattern. `allowlist`: only addresses allowed by pattern.
 */
export type EgressPolicy = 'open' | 'public' | 'allowlist'

/**
 * Returns why a call to a target is rejected; undefined if it is allowed. Called with the address that is actually
 * connected to.
 */
export type Egress = (target: Target) => string | undefined

/**
 * Link-local and cloud metadata addresses are rejected regardless of the policy and patterns.
 *
 * @param option the option with the allowed hosts, for messages
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
