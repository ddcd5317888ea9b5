import type { Applied } from '../services/replication.ts'
import type { StoredRuleset } from '../store/store.ts'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import { stateDigest } from './digest.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import { type SyncEvent } from './event.ts'
import type { LocalState } from './local-state.ts'
import type { SyncMetrics } from './sync-metrics.ts'

/** What an instance stores, in memory. */
export interface LocalMemory extends LocalState {
  isNew: boolean
  /** Names of rulesets whose file cannot be served. */
  readonly withheld: Set<string>
  /** What `apply` answers instead of doing it; undefined: it does it. */
  answer: (event: SyncEvent) => Applied | undefined
  /** Applied changes, as `a=1` or `a gone`. */
  readonly applied: string[]
  put(name: string, text: string, tenant?: string): StoredRuleset
  delete(name: string, tenant?: string): void
  /** All rulesets as `name: text`, those of other tenants as `tenant/name`. */
  contents(): Readonly<Record<string, string>>
  digest(): string
}

/** @param tenants text of the tenants; undefined: there are none */
export function localMemory(tenants?: string): LocalMemory {
  const stored = new Map<string, readonly [string, StoredRuleset]>()
  const applied: string[] = []
  let text = tenants
  const keyOf = (tenant: string, name: string) => (tenant === DEFAULT_TENANT ? name : `${tenant}/${name}`)
  const local: LocalMemory = {
    isNew: false,
    answer: () => undefined,
    applied,
    rulesets: () => [...stored.values()],
    tenantsText: () => text,
    withheld: new Set(),
    isWithheld: (_tenant, name) => local.withheld.has(name),
    put(name, content, tenant = DEFAULT_TENANT) {
      const ruleset = { name, version: '1.0.0', description: null, stepCount: 0, text: content }
      stored.set(keyOf(tenant, name), [tenant, ruleset])
      return ruleset
    },
    delete: (name, tenant = DEFAULT_TENANT) => void stored.delete(keyOf(tenant, name)),
    contents: () => Object.fromEntries(Array.from(stored, ([key, [, ruleset]]) => [key, ruleset.text])),
    digest: () => stateDigest(stored.values()),
    adopt: (event) => local.apply(event),
    async apply(event) {
      const answer = local.answer(event)
      if (answer !== undefined) return answer
      if (event.type === 'TenantConfigChanged') {
        if (text === event.text) return { kind: 'unchanged' }
        text = event.text
        applied.push(`tenants=${text}`)
        return { kind: 'applied' }
      }
      const key = keyOf(event.tenant, event.name)
      if (event.type === 'RuleDeleted') {
        if (!stored.delete(key)) return { kind: 'unchanged' }
        applied.push(`${key} gone`)
        return { kind: 'applied' }
      }
      if (stored.get(key)?.[1].text === event.text) return { kind: 'unchanged' }
      local.put(event.name, event.text, event.tenant)
      applied.push(`${key}=${event.text}`)
      return { kind: 'applied' }
    },
  }
  return local
}

/** Metrics that record calls, as `skipped echo`. */
export function memoryMetrics(): { readonly metrics: SyncMetrics; readonly told: string[] } {
  const told: string[] = []
  const metrics: SyncMetrics = {
    published: (type) => void told.push(`published ${type}`),
    publishFailed: () => void told.push('publish failed'),
    applied: (type) => void told.push(`applied ${type}`),
    skipped: (reason) => void told.push(`skipped ${reason}`),
    reconciled: (reason) => void told.push(`reconciled ${reason}`),
    reconnected: () => void told.push('reconnected'),
    conflict: () => void told.push('conflict'),
  }
  return { metrics, told }
}

/** A log that can be searched. */
export function searchableLog() {
  const { log, lines } = memoryLog()
  return { log, said: (words: string) => lines.filter(([, , message]) => message.includes(words)).length }
}
