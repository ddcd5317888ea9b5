import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql, type Transaction as KyselyTransaction } from 'kysely'
import { type AuditRecord, type Author, changesTopic, writeAudit } from './audit.ts'
import { ChangedRows } from './audit-guard.ts'
import type { OrgId } from './org-id.ts'
import { lockOrganization } from './organization-lock.ts'
import { type Scope, scopeOf } from './scope.ts'
import type { Storage } from './storage.ts'
import { failedCommit, hasLostRace } from './availability.ts'
import type { Tables } from './tables.ts'
import type { Units } from './unit-of-work.ts'
import type { Wakes } from './notifications.ts'

export { duplicateOf, sqlState } from './sql-state.ts'

/** A running change of one organization: it is committed completely, together with its audit, or not at all. */
export interface Change {
  readonly scope: Scope
  /** Records the change in the audit. A change that ends without a record is refused. */
  audit(record: AuditRecord): Promise<void>
  /** Wakes the listeners of a topic after the commit. */
  wake(topic: string): Promise<void>
  /** Takes the lock of the organization until the commit: changes that call this are serialized. */
  lock(): Promise<void>
}

/** A transaction over organizations and identity. */
export interface Transaction {
  readonly tables: Kysely<Tables>
  scope(org: OrgId): Scope
  audit(org: OrgId, author: Author, record: AuditRecord): Promise<void>
  wake(topic: string): Promise<void>
}

/** The open database. */
export interface Database {
  readonly mode: 'embedded' | 'postgres'
  /** The number of the last migration. */
  readonly migration: number
  /**
   * Access to all tables of all organizations: for identity, the membership check, engines and periodic work, which
   * belong to no organization. Never for a handler that has a `Scope` (tests/platform/unscoped.test.ts lists the files
   * that may).
   */
  readonly unscoped: Unscoped
  /**
   * Connections reserved for decisions, with short time limits: other queries, and locks for which they wait, do not
   * delay decisions. The embedded database has one connection for everything.
   */
  readonly decisions: Pick<Unscoped, 'tables'> & Pick<Database, 'scope'>
  /** Connections reserved for probes. */
  readonly probes: Pick<Unscoped, 'tables'>
  readonly wakes: Pick<Wakes, 'on'>
  /** Rejects when the embedded database has stopped unexpectedly: the process is then useless. */
  readonly lost: Promise<never>
  /** Why nothing can be stored because of the database's disk; undefined if no such reason is known. */
  storageFault(): Promise<string | undefined>
  /** The scope of an organization, for reading. */
  scope(org: OrgId): Scope
  /**
   * Makes a change in one organization, in one transaction. Throws the error of `work`, and then stores nothing. `work`
   * is retried after a deadlock, so it must have no effects outside of the transaction. Inside it, a query other than
   * those of its `scope` waits for a connection, which the embedded database never has.
   */
  change<Result>(org: OrgId, author: Author, work: (change: Change) => Promise<Result>): Promise<Result>
  /** Like `change`, for changes that need no audit entry, such as a notification that was read. */
  note<Result>(org: OrgId, work: (change: Pick<Change, 'scope' | 'wake'>) => Promise<Result>): Promise<Result>
  /**
   * Runs `work` so that all of its changes are committed together when it resolves, or none if it rejects. They share
   * one transaction, which the first change begins; later queries see it. While `work` waits after its first change,
   * the locks of that change are held.
   */
  unitOfWork<Result>(work: () => Promise<Result>): Promise<Result>
  /** Resolves when the database answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Access to the database with no isolation between organizations. */
export interface Unscoped {
  readonly tables: Kysely<Tables>
  /**
   * Like `Database.change`, over several organizations or none; an audit entry is optional. A vital transaction begins
   * even when the disk is nearly full: engines stay connected as long as any space is left.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: { readonly isVital?: boolean },
  ): Promise<Result>
}

/** The resources opened by `openDatabase`. */
export interface Opened {
  readonly mode: 'embedded' | 'postgres'
  readonly migration: number
  readonly tables: Kysely<Tables>
  /** Over connections reserved for decisions, or for probes. */
  readonly reserved: { readonly decisions: Kysely<Tables>; readonly probes: Kysely<Tables> }
  readonly units: Units
  readonly wakes: Wakes
  readonly lost: Promise<never>
  readonly storage: Storage
  close(): Promise<void>
}

const MAX_ATTEMPTS = 5
/** Delay before a transaction that lost a race is retried, multiplied by the number of the attempt. */
const RETRY_DELAY_MS = 50

/** The interface of the database over its connections. */
export function databaseOf(opened: Opened): Database {
  const { mode, migration, tables, reserved, units, wakes, lost, storage, close } = opened
  const alone = async <Result>(
    work: (transaction: KyselyTransaction<Tables>, topics: Set<string>) => Promise<Result>,
  ) => {
    const topics = new Set<string>()
    let isCommitting = false
    const transaction = tables.transaction().execute(async (begun) => {
      const done = await work(begun, topics)
      isCommitting = true
      return done
    })
    const result = await transaction.catch((error: unknown) => {
      throw isCommitting ? failedCommit(error) : error
    })
    wakes.committed(topics)
    return result
  }
  const inTransaction = async <Result>(
    work: (transaction: KyselyTransaction<Tables>, topics: Set<string>) => Promise<Result>,
  ) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await (units.joined(tables, work) ?? alone(work))
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !hasLostRace(error)) {
          storage.noteFailure(error)
          throw error
        }
        await delay(Math.random() * attempt * RETRY_DELAY_MS)
      }
    }
  }
  const changing: typeof inTransaction = async (work) => {
    storage.check()
    return inTransaction(work)
  }
  const waking = (transaction: Kysely<Tables>, topics: Set<string>) => async (topic: string) => {
    if (topics.has(topic)) return
    topics.add(topic)
    await wakes.announce(transaction, topic)
  }

  return {
    mode,
    migration,
    decisions: { tables: reserved.decisions, scope: (org) => scopeOf(reserved.decisions, org) },
    probes: { tables: reserved.probes },
    wakes,
    lost,
    close,
    storageFault: () => storage.fault(),
    scope: (org) => scopeOf(tables, org),
    change: (org, author, work) =>
      changing(async (transaction, topics) => {
        const changed = new ChangedRows()
        const scope = scopeOf(transaction.withPlugin(changed), org)
        const unaudited = scopeOf(transaction, org)
        const wake = waking(transaction, topics)
        let records = 0
        const result = await work({
          scope,
          async audit(record) {
            records++
            await auditAndWake(unaudited, author, record, wake)
          },
          wake,
          lock: () => lockOrganization(transaction, org),
        })
        if (changed.count > 0n && records === 0) throw new Error('a change without an audit record')
        return result
      }),
    note: (org, work) =>
      changing((transaction, topics) => work({ scope: scopeOf(transaction, org), wake: waking(transaction, topics) })),
    unscoped: {
      tables,
      transaction: (work, { isVital = false } = {}) =>
        (isVital ? inTransaction : changing)((transaction, topics) => {
          const wake = waking(transaction, topics)
          return work({
            tables: transaction,
            scope: (org) => scopeOf(transaction, org),
            audit: (org, author, record) => auditAndWake(scopeOf(transaction, org), author, record, wake),
            wake,
          })
        }),
    },
    unitOfWork: (work) => units.run(work, (topics) => wakes.committed(topics)),
    async ping() {
      await sql`select 1`.execute(reserved.probes)
    },
  }
}

async function auditAndWake(scope: Scope, author: Author, record: AuditRecord, wake: Change['wake']): Promise<void> {
  await writeAudit(scope, author, record)
  if (record.projectId !== undefined) await wake(changesTopic(record.projectId))
}
