import type { Person } from '../../access/caller.ts'
import type { Database } from '../../database/database.ts'
import { changeAccount } from './accounts.ts'
import { endOtherSessions, endSession } from './sessions.ts'
import { auditAccount } from './sign-in-audit.ts'

/** The origin of a request, for the audit log. */
interface Origin {
  readonly address: string
  readonly requestId: string
}

/** Audited changes that people make to their own account. */
export interface OwnAccount {
  endSession(person: Person, id: string, origin: Origin): Promise<void>
  endOtherSessions(person: Person, origin: Origin): Promise<void>
  rename(person: Person, displayName: string, origin: Origin): Promise<void>
}

export function createOwnAccount({ unscoped }: Database): OwnAccount {
  return {
    endSession: (person, id, origin) =>
      unscoped.transaction(async (transaction) => {
        if (await endSession(transaction.tables, person.id, id))
          await auditAccount(transaction, 'deleted', { user: person, ...origin, before: { session: id } })
      }),
    endOtherSessions: (person, origin) =>
      unscoped.transaction(async (transaction) => {
        const ended = await endOtherSessions(transaction.tables, person.id, person.sessionId)
        if (ended > 0)
          await auditAccount(transaction, 'deleted', { user: person, ...origin, before: { sessions: ended } })
      }),
    rename: (person, displayName, origin) =>
      unscoped.transaction(async (transaction) => {
        await changeAccount(transaction.tables, person.id, { display_name: displayName })
        const before = { display_name: person.displayName }
        await auditAccount(transaction, 'updated', {
          user: person,
          ...origin,
          before,
          after: { display_name: displayName },
        })
      }),
  }
}
