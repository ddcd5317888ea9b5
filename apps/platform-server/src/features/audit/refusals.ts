import type { Value } from '@engine/expression'
import type { AuditRecord, Author } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'

/** Maximum audit entries per organization and second, so that requests that change nothing cannot flood its audit log. */
const MAX_PER_SECOND = 20
/** Maximum number of organizations with a counter in memory; the oldest counter is evicted first. */
const MAX_ORGANIZATIONS = 10_000

/** A refused request, for the audit log. */
export interface Refusal extends Omit<AuditRecord, 'before' | 'after'> {
  readonly reason: string
  /** The parameters of the request. */
  readonly asked?: Readonly<Record<string, Value>>
}

/**
 * Writes refused requests to the audit log of an organization: at most 20 per second. The next entry has the number of
 * omitted ones.
 */
export interface RefusalAudit {
  /** Resolves once the entry is stored or counted. */
  record(org: OrgId, author: Author, refusal: Refusal): Promise<void>
}

interface Window {
  /** Unix time in seconds. */
  second: number
  written: number
  leftOut: number
}

/** @param now current time in milliseconds since 1970 */
export function createRefusalAudit(database: Pick<Database, 'change'>, now: () => number = Date.now): RefusalAudit {
  const windows = new Map<OrgId, Window>()

  /** The number of entries left out before this one, or undefined if this one is omitted too. */
  function admitted(org: OrgId): number | undefined {
    const second = Math.floor(now() / 1000)
    const window = windows.get(org) ?? { second, written: 0, leftOut: 0 }
    const [oldest] = windows.keys()
    if (windows.size >= MAX_ORGANIZATIONS && oldest !== undefined) windows.delete(oldest)
    windows.set(org, window)
    if (window.second !== second) {
      window.second = second
      window.written = 0
    }
    if (window.written >= MAX_PER_SECOND) {
      window.leftOut++
      return undefined
    }
    window.written++
    const { leftOut } = window
    window.leftOut = 0
    return leftOut
  }

  return {
    async record(org, author, { reason, asked = {}, ...record }) {
      const leftOut = admitted(org)
      if (leftOut === undefined) return
      const after = { ...asked, reason, ...(leftOut === 0 ? {} : { left_out: leftOut }) }
      await database.change(org, author, ({ audit }) => audit({ ...record, after }))
    },
  }
}
