import type { DesiredChange, HeldRuleset } from '@engine/api'
import { isObject, type Value } from '@engine/expression'

/** Delay before a difference is reported and repaired, and interval of repairs. */
export const DRIFT_GRACE_MS = 60_000
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

/** A ruleset that an engine should have. */
export interface Desired {
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
export function differencesOf(
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

/** The differences in a stored drift. */
export function listOf(drift: unknown): readonly Difference[] {
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
