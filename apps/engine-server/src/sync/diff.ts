import type { Change } from '../catalog/change-feed.ts'
import { ruleSubject, type SyncEvent, TENANTS } from './event.ts'
import type { StoredRuleset } from '../store/store.ts'
import type { StateRecord } from './state.ts'

/** The event of a change of a tenant's rulesets. */
export function eventOf(tenant: string, change: Change): SyncEvent {
  if (change.kind === 'deleted') return { type: 'RuleDeleted', tenant, name: change.name }
  const { name, version, text } = change.ruleset
  return { type: 'RulePut', tenant, name, version, text }
}

/** The state that readers should have. */
export interface Wanted {
  readonly rulesets: Iterable<readonly [tenant: string, ruleset: StoredRuleset]>
  /** See `LocalState.tenantsText`. */
  readonly tenants: string | undefined
}

/** The events that turn these records into the desired state: tenants, then puts, then deletions. */
export function diff({ rulesets, tenants }: Wanted, records: ReadonlyMap<string, StateRecord>): readonly SyncEvent[] {
  const events: SyncEvent[] = []
  const known = records.get(TENANTS)?.envelope.event
  if (tenants !== undefined && (known?.type !== 'TenantConfigChanged' || known.text !== tenants))
    events.push({ type: 'TenantConfigChanged', text: tenants })
  const stored = new Set<string>()
  for (const [tenant, ruleset] of rulesets) {
    const subject = ruleSubject(tenant, ruleset.name)
    stored.add(subject)
    const there = records.get(subject)?.envelope.event
    if (there?.type !== 'RulePut' || there.text !== ruleset.text) events.push(eventOf(tenant, { kind: 'put', ruleset }))
  }
  for (const { subject, envelope } of records.values())
    if (envelope.event.type === 'RulePut' && !stored.has(subject))
      events.push({ type: 'RuleDeleted', tenant: envelope.event.tenant, name: envelope.event.name })
  return events
}
