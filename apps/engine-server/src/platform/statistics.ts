import type { ContentStatistics } from '@engine/api'
import { DURATION_BOUNDS } from '@engine/api'
import { BranchCounts, type Program, type Ruleset } from '@engine/ruleset'
import { bareDigest } from '../catalog/content-digest.ts'
import type { StoredRuleset } from '../store/store.ts'
import { Durations } from '../telemetry/duration.ts'
import { OTHER } from '../telemetry/label-values.ts'

/** Maximum number of codes that are counted separately, per content. */
const MAX_CODES = 100
/** Maximum number of counted contents; beyond it the oldest one is dropped. */
const MAX_CONTENTS = 2000

/** Counts executions by content, since the process started. */
export interface Statistics {
  /** The counters for the rulesets of one tenant. */
  forTenant(tenant: string | undefined): TenantStatistics
  /** The counts of all executed contents. */
  rows(): readonly ContentStatistics[]
}

export interface TenantStatistics {
  /** The counts of the branches of a stored ruleset, for all programs that are created from it. */
  readonly branchCounts: (stored: StoredRuleset, ruleset: Ruleset) => BranchCounts
  /** Called when a program was created from a stored ruleset. */
  made(program: Program, stored: StoredRuleset): void
  /** Called after an execution; `code` is that of the terminal step, undefined if the execution failed. */
  executed(program: Program, seconds: number, code: string | undefined): void
}

export function createStatistics(): Statistics {
  const tallies = new Set<Tally>()
  /** The tally of each program, so that an execution needs one look-up and no digest. */
  const byProgram = new WeakMap<Program, Tally>()
  const byContent = new WeakMap<StoredRuleset, Tally>()

  function tallyOf(tenant: string | undefined, stored: StoredRuleset): Tally {
    const known = byContent.get(stored)
    if (known !== undefined) return known
    const tally = new Tally(tenant, stored.name)
    byContent.set(stored, tally)
    tallies.add(tally)
    const [oldest] = tallies
    if (tallies.size > MAX_CONTENTS && oldest !== undefined) tallies.delete(oldest)
    // Unreadable content is not executed either.
    bareDigest(stored).then(
      (digest) => (tally.digest = digest),
      () => tallies.delete(tally),
    )
    return tally
  }

  return {
    forTenant: (tenant) => ({
      branchCounts: (stored, ruleset) => tallyOf(tenant, stored).branchesOf(ruleset),
      made: (program, stored) => void byProgram.set(program, tallyOf(tenant, stored)),
      executed: (program, seconds, code) => byProgram.get(program)?.count(seconds, code),
    }),
    rows: () => mergeStatistics([Array.from(tallies, (tally) => tally.row()).filter((row) => row !== undefined)]),
  }
}

/** The counts of one content. */
class Tally {
  readonly #tenant: string | undefined
  readonly #name: string
  readonly #durations = new Durations()
  readonly #codes = new Map<string, number>()
  #ok = 0
  #error = 0
  #branches: BranchCounts | undefined
  /** Undefined until it is computed, shortly after the program is created. */
  digest: string | undefined

  constructor(tenant: string | undefined, name: string) {
    this.#tenant = tenant
    this.#name = name
  }

  count(seconds: number, code: string | undefined): void {
    this.#durations.add(seconds)
    if (code === undefined) {
      this.#error++
      return
    }
    this.#ok++
    const count = this.#codes.get(code)
    if (count !== undefined || this.#codes.size < MAX_CODES) this.#codes.set(code, (count ?? 0) + 1)
    else this.#codes.set(OTHER, (this.#codes.get(OTHER) ?? 0) + 1)
  }

  branchesOf(ruleset: Ruleset): BranchCounts {
    return (this.#branches ??= new BranchCounts(ruleset))
  }

  row(): ContentStatistics | undefined {
    if (this.digest === undefined || this.#ok + this.#error === 0) return undefined
    return {
      tenant: this.#tenant ?? null,
      name: this.#name,
      digest: this.digest,
      ok: this.#ok,
      error: this.#error,
      codes: Object.fromEntries(this.#codes),
      duration: { counts: this.#durations.counts, sum_seconds: this.#durations.sumSeconds },
      ...(this.#branches !== undefined && { branches: this.#branches.bySteps() }),
    }
  }
}

/** The sums of rows of the same content. Linear in the number of rows. */
export function mergeStatistics(sources: Iterable<readonly ContentStatistics[]>): readonly ContentStatistics[] {
  const merged = new Map<string, ContentStatistics>()
  for (const rows of sources)
    for (const row of rows) {
      const key = contentKey(row)
      const known = merged.get(key)
      merged.set(key, known === undefined ? row : sumOf(known, row))
    }
  return [...merged.values()]
}

/** The key of a content of a tenant. */
export const contentKey = ({ tenant, name, digest }: ContentStatistics): string => `${tenant ?? ''}/${name}/${digest}`

function sumOf(left: ContentStatistics, right: ContentStatistics): ContentStatistics {
  const codes = new Map(Object.entries(left.codes))
  for (const [code, count] of Object.entries(right.codes)) {
    const key = codes.has(code) || codes.size < MAX_CODES ? code : OTHER
    codes.set(key, (codes.get(key) ?? 0) + count)
  }
  const counts = Array.from(
    { length: DURATION_BOUNDS.length + 1 },
    (_, bucket) => (left.duration.counts[bucket] ?? 0) + (right.duration.counts[bucket] ?? 0),
  )
  return {
    ...left,
    ok: left.ok + right.ok,
    error: left.error + right.error,
    codes: Object.fromEntries(codes),
    duration: { counts, sum_seconds: left.duration.sum_seconds + right.duration.sum_seconds },
    branches: sumOfBranches(left.branches ?? {}, right.branches ?? {}),
  }
}

type Branches = NonNullable<ContentStatistics['branches']>

/** Both belong to the same content, so a step has the same number of branches in each. */
function sumOfBranches(left: Branches, right: Branches): Branches {
  const steps = new Map(Object.entries(left))
  for (const [step, counts] of Object.entries(right)) {
    const known = steps.get(step)
    steps.set(step, known === undefined ? counts : counts.map((count, branch) => count + (known[branch] ?? 0)))
  }
  return Object.fromEntries(steps)
}
