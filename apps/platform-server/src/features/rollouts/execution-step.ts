import { SYSTEM } from '../../database/audit.ts'
import { databaseLater, databaseNow } from '../../database/clock.ts'
import type { Change, Database, Transaction } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import { lockOrganization } from '../../database/organization-lock.ts'
import { PlatformError } from '../../errors.ts'
import { advance } from './advancement.ts'
import { fail } from './execution-end.ts'
import { executionBy, releaseBy } from './locked-rows.ts'
import type { Next, Rollout } from './rollout-state.ts'

/** An execution that this replica may advance by one step. */
export interface Claimed {
  readonly org_id: OrgId
  readonly id: string
  readonly fence: number
}

/** Another replica has claimed the execution in the meantime. */
export class Fenced extends Error {}

/** The dependencies of a step. */
interface StepParts {
  readonly database: Database
  /** Interval of heartbeats of an engine, in milliseconds. */
  readonly heartbeatMs: number
  /** The clock by which stages end and engines count as silent. */
  readonly timeOf?: (transaction: Transaction) => Promise<Date>
}

/**
 * Advances an execution by one step, in one transaction. A step that conflicts with other changes is rolled back, and
 * the execution fails instead. Throws `Fenced` without storing anything.
 */
export async function takeStep(parts: StepParts, claimed: Claimed): Promise<void> {
  try {
    await stepBy(parts, claimed, advance)
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'conflict') throw error
    await stepBy(parts, claimed, (rollout) => fail(rollout, error.message))
  }
}

function stepBy(
  { database: { unscoped }, heartbeatMs, timeOf = timeOfDatabase }: StepParts,
  claimed: Claimed,
  work: (rollout: Rollout) => Promise<Next>,
): Promise<void> {
  return unscoped.transaction(async (transaction) => {
    const change = changeOf(transaction, claimed.org_id)
    await change.lock()
    const execution = await executionBy(change, claimed.id)
    if (execution.fence !== claimed.fence) throw new Fenced()
    const now = await timeOf(transaction)
    const release = await releaseBy(change, execution.release_id)
    const rollout = { change, release, execution, now, actor: SYSTEM.actor, heartbeatMs }
    await store(transaction, claimed, await work(rollout))
  })
}

async function timeOfDatabase({ tables }: Transaction): Promise<Date> {
  const { now } = await tables.selectNoFrom(databaseNow.as('now')).executeTakeFirstOrThrow()
  return now
}

/** Stores the result of a step, unless another replica has claimed the execution in the meantime. */
async function store(
  { tables }: Transaction,
  { org_id, id, fence }: Claimed,
  { columns, waitMs }: Next,
): Promise<void> {
  const stored = await tables
    .updateTable('release_executions')
    .set({
      ...columns,
      lease_until: null,
      next_run_at: waitMs === undefined ? null : databaseLater(waitMs),
    })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .returning('id')
    .executeTakeFirst()
  if (stored === undefined) throw new Fenced()
}

/** A change by the platform itself. Polls that only change a number are not audited; steps audit themselves. */
function changeOf(transaction: Transaction, org: OrgId): Change {
  return {
    scope: transaction.scope(org),
    audit: (record) => transaction.audit(org, SYSTEM, record),
    wake: (topic) => transaction.wake(topic),
    lock: () => lockOrganization(transaction.tables, org),
  }
}
