import type { Value } from '@engine/expression'
import type { CapabilityProvider, CapabilityRequest } from '@engine/ruleset'

/** Events of one ruleset a second; more are dropped and counted. */
const MAX_PER_SECOND = 1000

/** Where events of rules go. */
export interface RuleAudit {
  /** An event that a rule wrote itself. */
  ruleReported(event: { readonly name: string; readonly step: string; readonly payload: Value }): void
  /** An event was dropped. */
  dropped(): void
}

/**
 * `audit.logger` (specification 2.8): `rule_executed` writes its payload, whatever is in it, as an audit event. Not
 * sampled: a rule that writes an event needs it.
 *
 * @param now monotonic milliseconds
 */
export function createAuditLogger(audit: RuleAudit, now: () => number): CapabilityProvider {
  const counts = new Map<string, { second: number; count: number }>()
  const isTooMany = (ruleset: string) => {
    const second = Math.floor(now() / 1000)
    const known = counts.get(ruleset)
    if (known?.second === second) return ++known.count > MAX_PER_SECOND
    counts.set(ruleset, { second, count: 1 })
    return false
  }
  return {
    name: 'audit.logger',
    operations: ['rule_executed'],
    async call({ ruleset, step, payload }: CapabilityRequest) {
      if (isTooMany(ruleset)) {
        audit.dropped()
        throw new Error(`more than ${MAX_PER_SECOND} audit events of this ruleset in one second`)
      }
      audit.ruleReported({ name: ruleset, step, payload })
      return { payload: {}, metadata: { event: 'rule_executed' } }
    },
  }
}
