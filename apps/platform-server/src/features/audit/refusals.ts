import type { Value } from '@engine/expression'
import type { AuditRecord, Author } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'

/** Entries of one organization in a second: its audit must not be filled by requests that change nothing. */
const MAX_PER_SECOND = 20
/** Organizations that are counted at a time; what was counted first is forgotten first. */
const MAX_ORGANIZATIONS = 10_000

/** A request that was refused, for the audit. */
export interface Refusal extends Omit<AuditRecord, 'before' | 'after'> {
  readonly reason: string
  /** What was asked for. */
  readonly asked?: Readonly<Record<string, Value>>
}

/** Writes refusals into the audit of an organization: 20 a second; the next entry says how many were left out. */
export interface RefusalAudit {
  /** Resolves when the entry is stored, or counted. */
  record(org: OrgId, author: Author, refusal: Refusal): Promise<void>
}

interface Window {
  /** Since 1970. */
  second: number
  written: number
  leftOut: number
}

/** @param now milliseconds since 1970 */
export function createRefusalAudit(database: Pick<Database, 'change'>, now: () => number = Date.now): RefusalAudit {
  const windows = new Map<OrgId, Window>()

  /** How many were left out before this one; undefined: this one is as well. */
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
