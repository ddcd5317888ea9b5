import type { DesiredChange, HeldRuleset } from '@engine/api'
import { isObject, stringifyJson, type Value } from '@engine/expression'
import type { Kysely } from 'kysely'
import { SYSTEM } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import type { Told } from './heartbeat.ts'

/**
 * Drift: an engine says that it has applied everything, and still holds other contents than it should have, as after a
 * point-in-time recovery of the database, which takes back what engines were told. Revisions cannot show that; digests do.
 */

/** Milliseconds for which a difference lasts before it is shown and repaired, and between two repairs. */
const DRIFT_GRACE_MS = 60_000
/** Differences of one engine that are kept and repaired at once. */
const MAX_DIFFERENCES = 1000

/** A ruleset that an engine holds otherwise than it should. */
export interface Difference {
  /** Empty: the engine has no tenants. */
  readonly tenant: string
  readonly name: string
  /** Of the content that it should have; null: it should have none. */
  readonly digest: string | null
  /** Of the content that it has; null: it has none. */
  readonly held: string | null
  /** Milliseconds since 1970 at which the difference was seen first. */
  readonly since: number
}

/** The drift of an engine. */
export interface Drift {
  readonly differences: readonly Difference[]
  /** Milliseconds since 1970. */
  readonly repairedAt: number | undefined
}

/** What a heartbeat shows of the contents of an engine. */
export interface Comparison {
  readonly drift: Drift | undefined
  /** The list of rulesets that is stored is not the one that the engine means: it is to send it again. */
  readonly isReportStale: boolean
}

/** The engine is still being brought in line, or says nothing that could be compared. */
export const NOTHING_COMPARED: Comparison = { drift: undefined, isReportStale: false }

/** A ruleset that an engine should have. */
interface Desired {
  readonly tenant: string
  readonly name: string
  readonly digest: string
}

const keyOf = ({ tenant, name }: { readonly tenant?: string | null | undefined; readonly name: string }) =>
  `${tenant ?? ''}/${name}`

/**
 * Compare what an engine reports with what it should have. A ruleset that the engine reports as a problem is left out: it is
 * shown already. One that is not desired counts only if the engine says that the platform has delivered it: others are its own.
 */
function differencesOf(
  desired: readonly Desired[],
  held: readonly HeldRuleset[],
  problems: readonly unknown[],
  before: readonly Difference[],
  now: number,
): readonly Difference[] {
  const known = new Map(before.map((one) => [keyOf(one), one]))
  const troubled = new Set(problems.flatMap((one) => problemKey(one)))
  const holds = new Map(held.map((one) => [keyOf(one), one.digest]))
  const wanted = new Set(desired.map(keyOf))
  const differences: Difference[] = []
  const add = (one: Omit<Difference, 'since'>) => {
    if (troubled.has(`${keyOf(one)}/${one.digest}`)) return
    const earlier = known.get(keyOf(one))
    differences.push({ ...one, since: earlier?.digest === one.digest ? earlier.since : now })
  }
  for (const { tenant, name, digest } of desired) {
    const found = holds.get(keyOf({ tenant, name })) ?? null
    if (found !== digest) add({ tenant, name, digest, held: found })
  }
  for (const { tenant, name, digest, delivered } of held)
    if (delivered === true && !wanted.has(keyOf({ tenant, name })))
      add({ tenant: tenant ?? '', name, digest: null, held: digest })
  return differences.slice(0, MAX_DIFFERENCES)
}

function problemKey(problem: unknown): readonly string[] {
  if (typeof problem !== 'object' || problem === null) return []
  const { tenant, name, digest } = problem as Partial<Record<string, unknown>>
  if (typeof name !== 'string') return []
  return [`${keyOf({ tenant: typeof tenant === 'string' ? tenant : '', name })}/${String(digest)}`]
}

/**
 * Compare the contents of an engine after its report was stored, where it says that it has applied everything. What was found
 * equal is not compared again until report or revision change; otherwise it takes the number of its rulesets.
 */
export async function compareContents(scope: Scope, server: string, told: Told): Promise<Comparison> {
  const row = await scope
    .read('servers')
    .selectFrom('servers')
    .select([
      'desired_revision',
      'reported_digest',
      'compared_digest',
      'compared_revision',
      'drift',
      'drift_repaired_at',
    ])
    .where('id', '=', server)
    .executeTakeFirst()
  if (row === undefined || row.desired_revision === 0 || told.applied_revision !== row.desired_revision)
    return NOTHING_COMPARED
  const digest = told.digest ?? null
  if (told.rulesets === undefined && (digest === null || digest !== row.reported_digest))
    return { drift: undefined, isReportStale: digest !== null && row.reported_digest !== null }
  const isKnownEqual = digest === row.compared_digest && row.desired_revision === row.compared_revision
  if (digest !== null && isKnownEqual && row.drift === null) return NOTHING_COMPARED
  const problems = told.problems ?? []
  const held = told.rulesets ?? (await storedReport(scope, server))
  const differences = differencesOf(await desiredOf(scope, server), held, problems, listOf(row.drift), Date.now())
  const repairedAt = differences.length === 0 ? null : row.drift_repaired_at
  const since = Math.min(...differences.map((one) => one.since))
  await scope
    .update('servers')
    .set({
      drift: differences.length === 0 ? null : stringifyJson(differences as unknown as Value),
      drift_since: differences.length === 0 ? null : new Date(since),
      drift_repaired_at: repairedAt,
      // A problem hides differences, which are there again when it is gone.
      compared_digest: differences.length === 0 && problems.length === 0 ? digest : null,
      compared_revision: row.desired_revision,
    })
    .where('id', '=', server)
    .execute()
  if (differences.length === 0) return NOTHING_COMPARED
  return { drift: { differences, repairedAt: repairedAt?.getTime() }, isReportStale: false }
}

async function desiredOf(scope: Scope, server: string): Promise<readonly Desired[]> {
  const rows = await scope
    .read('server_rulesets')
    .selectFrom('server_rulesets')
    .select(['tenant', 'name', 'digest'])
    .where('server_id', '=', server)
    .where('digest', 'is not', null)
    .execute()
  return rows as readonly Desired[]
}

async function storedReport(scope: Scope, server: string): Promise<readonly HeldRuleset[]> {
  const row = await scope
    .read('servers')
    .selectFrom('servers')
    .select('current_rulesets')
    .where('id', '=', server)
    .executeTakeFirstOrThrow()
  // Held to its schema when it was reported.
  return row.current_rulesets as unknown as readonly HeldRuleset[]
}

/** Differences as they are stored. */
function listOf(drift: unknown): readonly Difference[] {
  return Array.isArray(drift) ? (drift.filter((one) => isObject(one)) as unknown as readonly Difference[]) : []
}

/** Differences that have lasted for so long that they are no delivery under way. */
const lasting = (differences: readonly Difference[], now: number) =>
  differences.filter(({ since }) => now - since >= DRIFT_GRACE_MS)

/** Milliseconds since 1970 at which the next repair is due; undefined: there is nothing to repair. */
export function repairDueAt(drift: Drift | undefined): number | undefined {
  if (drift === undefined) return undefined
  const first = Math.min(...drift.differences.map(({ since }) => since)) + DRIFT_GRACE_MS
  return Math.max(first, (drift.repairedAt ?? 0) + DRIFT_GRACE_MS)
}

/** The changes that repair a drift. An engine applies them whatever its revision is. */
export function repairOf({ differences }: Drift, now: number): readonly DesiredChange[] {
  return lasting(differences, now).map(({ tenant, name, digest }) => ({
    tenant: tenant === '' ? null : tenant,
    name,
    ...(digest === null ? { deleted: true } : { digest }),
  }))
}

/** Remember that a repair was sent. The first one of a drift is in the audit. */
export async function noteRepair(
  { unscoped }: Database,
  server: { readonly id: string; readonly name: string; readonly org_id: OrgId },
  changes: readonly DesiredChange[],
  now: number,
): Promise<void> {
  await unscoped.transaction(async ({ tables, audit }) => {
    const before = await tables
      .selectFrom('servers')
      .select('drift_repaired_at')
      .where('id', '=', server.id)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (before === undefined) return
    await tables
      .updateTable('servers')
      .set({ drift_repaired_at: new Date(now) })
      .where('id', '=', server.id)
      .execute()
    if (before.drift_repaired_at === null)
      await audit(server.org_id, SYSTEM, {
        action: 'server.drift_repaired',
        object: { id: server.id, name: server.name },
        after: { rulesets: changes.map(({ tenant = null, name, digest = null }) => ({ tenant, name, digest })) },
      })
  })
}

/** The differences of an engine as problems, where they have lasted. */
export function driftProblems(drift: unknown, now: number): readonly Value[] {
  return lasting(listOf(drift), now).map(({ tenant, name, digest, held }) => ({
    tenant: tenant === '' ? null : tenant,
    name,
    digest,
    message: driftMessage(digest, held),
    retried: true,
  }))
}

function driftMessage(digest: string | null, held: string | null): string {
  if (digest === null)
    return 'the engine still serves this ruleset, which it should not have: its deletion is sent again'
  const found =
    held === null ? 'the engine does not have this ruleset' : `the engine has the content \`${held}\` instead`
  return `${found}: it is sent again`
}

/** Engines whose contents have differed for longer than a minute. */
export async function driftedServers(tables: Kysely<Tables>): Promise<number> {
  const { count } = await tables
    .selectFrom('servers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('drift_since', '<', new Date(Date.now() - DRIFT_GRACE_MS))
    .executeTakeFirstOrThrow()
  return count
}
