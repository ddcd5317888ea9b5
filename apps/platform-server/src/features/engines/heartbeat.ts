import { ContentStatistics, type DesiredChange, EngineHeartbeat, type HeartbeatAnswer } from '@engine/api'
import { shapeFaults } from '@engine/http-api'
import { createPauses } from '@engine/process'
import type { Kysely, Selectable } from 'kysely'
import type { Static } from 'typebox'
import { tokenHash } from '../../access/tokens.ts'
import { type AuditRecord, SYSTEM } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import { databaseIdentityColumn } from '../../database/identity.ts'
import type { Tables } from '../../database/tables.ts'
import { wakeable } from '../../database/notifications.ts'
import { failures } from '../../errors.ts'
import { settleDeployments } from './deployments.ts'
import { changesAfter } from './desired-state.ts'
import { type Comparison, compareContents, NOTHING_COMPARED, noteRepair } from './drift.ts'
import { type Drift, repairDueAt, repairOf } from './drift-differences.ts'
import type { EngineRecording } from './recording.ts'
import { registerReceiptKeys } from './receipt-keys.ts'
import { witnessReceipts } from './receipt-witness.ts'
import { serverTopic } from './registration.ts'
import { isWell, reported } from './engine-report.ts'
import { recordStatistics } from './statistics.ts'

/** Interval of polls while a heartbeat is held, because notifications can be lost. */
const POLL_INTERVAL_MS = 5000
/** Time for the response to reach the engine after the hold time. */
const RESPONSE_GRACE_MS = 2000

/** Heartbeats are accepted even when the database disk is nearly full. */
const VITAL = { isVital: true } as const

/** The body of a heartbeat, valid under its schema. */
export type Told = Static<typeof EngineHeartbeat>

/** The columns that authenticate an engine, without its reports, which can be large. */
export type KnownEngine = Pick<
  Selectable<Tables['servers']>,
  'id' | 'org_id' | 'name' | 'tenants' | 'token_hash' | 'generation' | 'url' | 'peer_address' | 'updated_at'
>

/** The connection of a held heartbeat. */
export interface Waiting {
  /** The engine has disconnected, or the platform is shutting down. */
  readonly isOver: () => boolean
  /** Registers a listener for that moment. */
  readonly onOver: (listener: () => void) => void
  /** Restarts the timeout of the request. */
  readonly progress: () => void
}

/** The engine that sent a request. Throws 401 for a token that is unknown or was replaced by a later registration. */
export async function engineOf({ unscoped }: Database, authorization: string | undefined): Promise<KnownEngine> {
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  const hash = token === undefined ? undefined : tokenHash('srv', token)
  const row =
    hash === undefined
      ? undefined
      : await unscoped.tables
          .selectFrom('servers')
          .select(['id', 'org_id', 'name', 'tenants', 'token_hash', 'generation'])
          .select(['url', 'peer_address', 'updated_at'])
          .where('token_hash', '=', hash)
          .executeTakeFirst()
  if (row === undefined) throw failures.unauthorized('the token of the server is unknown: register again')
  return row
}

/** Store the peer address of an engine whose record has none. */
export async function keepPeer({ unscoped }: Database, { id, generation }: KnownEngine, peer: string): Promise<void> {
  await unscoped.tables
    .updateTable('servers')
    .set({ peer_address: peer })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('peer_address', 'is', null)
    .execute()
}

/**
 * Process a heartbeat, and hold the response until the desired state differs from the applied one, or the hold time ends.
 * Undefined if the connection has ended.
 */
export async function heartbeat(
  database: Database,
  server: KnownEngine,
  told: Told,
  waiting: Waiting,
  recording: EngineRecording,
): Promise<HeartbeatAnswer | undefined> {
  const { tables } = database.unscoped
  const { applied_revision: applied, wait_ms: waitMs = 0 } = told
  const until = Date.now() + waitMs
  // Subscribed before the first read, so that no change in between is missed.
  const woken = wakeable()
  const leave = database.wakes.on(serverTopic(server.id), woken.wake)
  waiting.onOver(woken.wake)
  try {
    const { drift, isReportStale } = await record(
      database,
      server,
      told,
      new Date(waitMs === 0 ? until : until + RESPONSE_GRACE_MS),
    )
    const repairAt = repairDueAt(drift)
    const recorded = recordedEngine(server, told)
    if (recorded !== undefined) await recording.take(recorded, told.session, told.recording)
    for (;;) {
      const { revision, databaseId } = await desiredBy(tables, server)
      const rules = recorded && (await recording.changed(recorded, told.recording))
      const rest = Math.min(until, repairAt ?? Infinity) - Date.now()
      if (waiting.isOver()) {
        await letGo(tables, server)
        return undefined
      }
      if (revision !== applied || rules !== undefined || rest <= 0) {
        const changes = await changesAfter(tables, server.id, applied)
        const isSettled = revision === applied && drift !== undefined
        return {
          revision,
          changes: [...changes, ...(isSettled ? await repairIn(database, server, drift) : [])],
          ...(rules === undefined ? {} : { recording: rules }),
          database_id: databaseId,
          ...(isReportStale ? { report_rulesets: true } : {}),
        }
      }
      await woken.next(Math.min(rest, POLL_INTERVAL_MS))
      waiting.progress()
    }
  } finally {
    leave()
  }
}

/** Undefined if the engine does not record decisions, or belongs to no organization. */
function recordedEngine({ id, org_id, tenants }: KnownEngine, { recording }: Told) {
  return recording === undefined || org_id === null ? undefined : { id, org_id, tenants }
}

/** The changes that repair lasting differences; empty while no repair is due. */
async function repairIn(database: Database, server: KnownEngine, drift: Drift): Promise<readonly DesiredChange[]> {
  const now = Date.now()
  const { org_id } = server
  if (org_id === null || now < (repairDueAt(drift) ?? Infinity)) return []
  const changes = repairOf(drift, now)
  await noteRepair(database, { ...server, org_id }, changes, now)
  return changes
}

async function record(database: Database, server: KnownEngine, told: Told, heldUntil: Date): Promise<Comparison> {
  const { session, health = null, version, capabilities, applied_revision, digest } = told
  const { rulesets, problems, ...said } = await reported({
    health,
    problems: told.problems ?? [],
    rulesets: told.rulesets,
  })
  const rows = await statisticsIn(told.stats ?? [])
  return database.unscoped.transaction(async ({ tables, scope, audit }) => {
    const { numUpdatedRows } = await tables
      .updateTable('servers')
      .set({
        session,
        held_until: heldUntil,
        last_heartbeat: new Date(),
        healthy: isWell(health),
        health: said.health,
        applied_revision,
        problems,
        ...(version === undefined ? {} : { version }),
        ...(capabilities === undefined ? {} : { capabilities: [...capabilities] }),
        ...(rulesets === undefined ? {} : { current_rulesets: rulesets, reported_digest: digest ?? null }),
      })
      .where('id', '=', server.id)
      .where('token_hash', '=', server.token_hash)
      .executeTakeFirst()
    const { org_id: org } = server
    const own = org === null ? undefined : scope(org)
    // A late report of an earlier registration describes an earlier state.
    if (org !== null && own !== undefined && told.receipts !== undefined && numUpdatedRows > 0n) {
      const change = { scope: own, audit: (entry: AuditRecord) => audit(org, SYSTEM, entry) }
      const witnessed = { id: server.id, name: server.name }
      await registerReceiptKeys(change, witnessed, told.receipts)
      await witnessReceipts(change, witnessed, told.receipts)
    }
    if (rows.length > 0) await recordStatistics(tables, own, server, session, rows)
    if (own === undefined) return NOTHING_COMPARED
    await settleDeployments(own, server.id)
    return compareContents(own, server.id, told)
  }, VITAL)
}

/** The valid rows; other versions of engines may send different ones. Yields to other requests in between. */
async function statisticsIn(stats: readonly unknown[]): Promise<readonly ContentStatistics[]> {
  const paused = createPauses()
  const rows: ContentStatistics[] = []
  for (const row of stats) {
    if (isStatistics(row)) rows.push(row)
    await paused()
  }
  return rows
}

const isStatistics = (row: unknown): row is ContentStatistics => shapeFaults(ContentStatistics, row).length === 0

/** The desired revision of the engine, and the ID of the database. Throws 401 if the record was deleted or registered again. */
async function desiredBy(
  tables: Kysely<Tables>,
  { id, token_hash }: KnownEngine,
): Promise<{ readonly revision: number; readonly databaseId: string }> {
  const row = await tables
    .selectFrom('servers')
    .select(['desired_revision', databaseIdentityColumn.as('database_id')])
    .where('id', '=', id)
    .where('token_hash', '=', token_hash)
    .executeTakeFirst()
  if (row === undefined) throw failures.unauthorized('the token of the server is unknown: register again')
  return { revision: row.desired_revision, databaseId: row.database_id }
}

/** End the hold, so that another instance can take over the name. */
async function letGo(tables: Kysely<Tables>, { id, token_hash }: KnownEngine): Promise<void> {
  await tables
    .updateTable('servers')
    .set({ held_until: null })
    .where('id', '=', id)
    .where('token_hash', '=', token_hash)
    .execute()
}
