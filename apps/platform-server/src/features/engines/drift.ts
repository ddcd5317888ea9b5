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
 * Drift: an engine has applied the latest revision, but its contents differ from the desired state. This happens, for
 * example, after a point-in-time recovery of the database, which loses state that engines have already applied. Digests
 * reveal drift; revisions cannot.
 */

/** Delay before a difference is reported and repaired, and interval of repairs. */
const DRIFT_GRACE_MS = 60_000
/** Maximum number of differences per engine that are stored and repaired in one pass. */
const MAX_DIFFERENCES = 1000

/** A ruleset whose content on an engine differs from the desired one. */
export interface Difference {
  /** Empty for an engine without tenants. */
  readonly tenant: string
  readonly name: string
  /** Digest of the desired content; null if the engine should not have the ruleset. */
  readonly digest: string | null
  /** Digest of the engine's content; null if it does not have the ruleset. */
  readonly held: string | null
  /** Time of the first observation, in milliseconds since 1970. */
  readonly since: number
}

/** The differences of an engine, and the time of their last repair. */
export interface Drift {
  readonly differences: readonly Difference[]
  /** Milliseconds since 1970. */
  readonly repairedAt: number | undefined
}

/** The result of comparing an engine's contents after a heartbeat. */
export interface Comparison {
  readonly drift: Drift | undefined
  /** The stored list of rulesets is out of date: the engine must send it again. */
  readonly isReportStale: boolean
}

/** The engine is still applying changes, or its report cannot be compared. */
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
 * Compare an engine's report with its desired state. Rulesets that the engine reports as problems are skipped, since they are
 * visible already. An undesired ruleset counts only if the engine reports that the platform delivered it; any other is the
 * engine's own.
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
 * Compare an engine's contents after storing its report, if it has applied the latest revision. Equal contents are not
 * compared again until the report or the revision changes; otherwise the cost is the number of its rulesets.
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
      drift: differences.length === 0 ? null : stringifyJson(differences),
      drift_since: differences.length === 0 ? null : new Date(since),
      drift_repaired_at: repairedAt,
      // A problem hides differences, which reappear once it is solved.
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
  // Validated against its schema when the engine reported it.
  return row.current_rulesets
}

/** The differences in a stored drift. */
function listOf(drift: unknown): readonly Difference[] {
  return Array.isArray(drift) ? (drift.filter((one) => isObject(one)) as unknown as readonly Difference[]) : []
}

/** Differences that have lasted too long to be a delivery in progress. */
const lasting = (differences: readonly Difference[], now: number) =>
  differences.filter(({ since }) => now - since >= DRIFT_GRACE_MS)

/** Time of the next repair in milliseconds since 1970; undefined without drift. */
export function repairDueAt(drift: Drift | undefined): number | undefined {
  if (drift === undefined) return undefined
  const first = Math.min(...drift.differences.map(({ since }) => since)) + DRIFT_GRACE_MS
  return Math.max(first, (drift.repairedAt ?? 0) + DRIFT_GRACE_MS)
}

/** The changes that repair a drift. Engines apply them regardless of their revision. */
export function repairOf({ differences }: Drift, now: number): readonly DesiredChange[] {
  return lasting(differences, now).map(({ tenant, name, digest }) => ({
    tenant: tenant === '' ? null : tenant,
    name,
    ...(digest === null ? { deleted: true } : { digest }),
  }))
}

/** Record that a repair was sent. Only the first repair of a drift is audited. */
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

/** The lasting differences of an engine as problems. */
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

/** Number of engines with differences for more than a minute. */
export async function driftedServers(tables: Kysely<Tables>): Promise<number> {
  const { count } = await tables
    .selectFrom('servers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('drift_since', '<', new Date(Date.now() - DRIFT_GRACE_MS))
    .executeTakeFirstOrThrow()
  return count
}
