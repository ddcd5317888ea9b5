import { stringifyJson } from '@engine/expression'
import { createPauses } from '@engine/process'
import type { Insertable } from 'kysely'
import { inBatches } from '../../database/batches.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import { upsertColumns } from '../../database/upsert-columns.ts'

/** How often each branch was taken, by step; the last number is that of the default, or of no branch. */
export type BranchCounts = { readonly [step: string]: readonly number[] }

export const NO_BRANCHES: BranchCounts = {}

/** Maximum number of counters per content: a ruleset has up to 20,000 branches and 10,000 steps. */
const MAX_COUNTERS = 50_000

/** Counts that are not larger than those of a ruleset; empty instead of larger ones. Linear in the steps. */
export function boundedBranches(counts: BranchCounts): BranchCounts {
  const size = Object.values(counts).reduce((sum, { length }) => sum + 1 + length, 0)
  return size <= MAX_COUNTERS ? counts : NO_BRANCHES
}

/** The increase since a previous count. Linear in the branches. */
export const branchIncrease = (now: BranchCounts, before: BranchCounts): BranchCounts =>
  combined(now, before, (left, right) => Math.max(0, left - right))

/** Linear in the branches. */
export const branchSum = (left: BranchCounts, right: BranchCounts): BranchCounts =>
  combined(left, right, (one, other) => one + other)

function combined(left: BranchCounts, right: BranchCounts, by: (left: number, right: number) => number): BranchCounts {
  const steps = new Set([...Object.keys(left), ...Object.keys(right)])
  const own = (counts: BranchCounts, step: string) => (Object.hasOwn(counts, step) ? (counts[step] ?? []) : [])
  return Object.fromEntries(
    Array.from(steps, (step) => {
      const [one, other] = [own(left, step), own(right, step)]
      const length = Math.max(one.length, other.length)
      return [step, Array.from({ length }, (_, branch) => by(one[branch] ?? 0, other[branch] ?? 0))]
    }),
  )
}

/** Increase of an engine's counts for one content in one environment since its last heartbeat. */
export interface BranchGrowth {
  readonly environment: string
  readonly name: string
  readonly digest: string
  readonly executions: number
  readonly branches: BranchCounts
}

const DAY_MS = 24 * 3600 * 1000

/** The beginning of a day in UTC. */
export const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS)

/** Add an engine's counts to the day. Heartbeats of an engine are serialized by the lock on its record. */
export async function addBranchCounts(
  scope: Scope,
  server: string,
  grown: readonly BranchGrowth[],
  at: Date,
): Promise<void> {
  const day = dayOf(at)
  const before = new Map(
    (await countsOn(scope, server, grown, day)).map((row) => [
      `${row.environment_id}/${row.ruleset}/${row.digest}`,
      row,
    ]),
  )
  const rows: Omit<Insertable<OrgTables['branch_counts']>, 'org_id'>[] = []
  const paused = createPauses()
  for (const { environment, name, digest, executions, branches } of grown) {
    const known = before.get(`${environment}/${name}/${digest}`)
    // The steps of one content are always the same: their number grows only if an engine reports invalid ones.
    const sum = known === undefined ? branches : boundedBranches(branchSum(branches, known.branches))
    rows.push({
      environment_id: environment,
      ruleset: name,
      digest,
      server_id: server,
      day,
      executions: executions + (known?.executions ?? 0),
      branches: stringifyJson(sum),
    })
    await paused()
  }
  for (const some of inBatches(rows))
    await scope
      .insert('branch_counts', some)
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'environment_id', 'ruleset', 'digest', 'server_id', 'day'])
          .doUpdateSet(upsertColumns('executions', 'branches')),
      )
      .execute()
}

/** The counts of the grown contents: those of the others can be large. */
async function countsOn(scope: Scope, server: string, grown: readonly BranchGrowth[], day: Date) {
  return scope
    .read('branch_counts')
    .selectFrom('branch_counts')
    .selectAll()
    .where('server_id', '=', server)
    .where('day', '=', day)
    .where(
      'digest',
      'in',
      grown.map(({ digest }) => digest),
    )
    .execute()
}
