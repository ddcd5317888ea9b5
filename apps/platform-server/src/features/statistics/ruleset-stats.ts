import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Scope } from '../../database/scope.ts'
import type { HistoryRange } from '../../resources/history-range.ts'
import { rulesetOf } from '../engines/candidate-names.ts'
import { type Counts, countsOf, latencyOf, NOTHING, sum } from '../engines/decision-counts.ts'

/**
 * The decisions of the engines of each environment by content of a ruleset, canary candidates included. Cost: the
 * minutes with decisions in the range.
 */
export async function rulesetStats(scope: Scope, project: string, name: string, caller: Caller, span: HistoryRange) {
  const rows = (await rowsIn(scope, project, name, span)).filter(({ environment }) =>
    reachesEnvironment(caller, environment),
  )
  const versions = await versionsOf(scope, [...new Set(rows.map(({ digest }) => digest))])
  const byEnvironment = Map.groupBy(rows, ({ environment_id }) => environment_id)
  return {
    from: span.from.toISOString(),
    to: span.to.toISOString(),
    step_seconds: span.stepSeconds,
    environments: Array.from(byEnvironment, ([environment_id, own]) => ({
      environment_id,
      environment: own[0]?.environment ?? '',
      contents: contentsOf(own, versions, span),
    })),
  }
}

/** Oldest first, in the order of the environments. */
async function rowsIn(scope: Scope, project: string, name: string, { from, to }: HistoryRange) {
  const rows = await scope
    .read('ruleset_counts', 'environments')
    .selectFrom('ruleset_counts as c')
    .innerJoin('environments as e', 'e.id', 'c.environment_id')
    .selectAll('c')
    .select('e.name as environment')
    .where('e.project_id', '=', project)
    .where('c.ruleset', '>=', name)
    // Names of candidates end in `.r` and digits: all of them sort before this name.
    .where('c.ruleset', '<', `${name}.s`)
    .where('c.at', '>=', from)
    .where('c.at', '<', to)
    .orderBy('e.position')
    .orderBy('e.name')
    .orderBy('c.at')
    .execute()
  return rows.filter(({ ruleset }) => ruleset === name || rulesetOf(ruleset) === name)
}

type CountRow = Awaited<ReturnType<typeof rowsIn>>[number]

function contentsOf(rows: readonly CountRow[], versions: ReadonlyMap<string, string>, { stepSeconds }: HistoryRange) {
  const byDigest = Map.groupBy(rows, ({ digest }) => digest)
  const lastAt = (own: readonly CountRow[]) => own.at(-1)?.at.getTime() ?? 0
  return [...byDigest]
    .toSorted(([, left], [, right]) => lastAt(right) - lastAt(left))
    .map(([digest, own]) => {
      const { ok, errors, codes, durations } = sumOf(own)
      const steps = Map.groupBy(own, ({ at }) => Math.floor(at.getTime() / 1000 / stepSeconds) * stepSeconds)
      return {
        digest,
        version: versions.get(digest) ?? null,
        executions: ok + errors,
        errors,
        codes,
        latency_us: latencyOf(durations),
        points: Array.from(steps, ([seconds, within]) => {
          const counted = sumOf(within)
          const at = new Date(seconds * 1000).toISOString()
          return { at, executions: counted.ok + counted.errors, errors: counted.errors, codes: counted.codes }
        }),
      }
    })
}

const sumOf = (rows: readonly CountRow[]): Counts => rows.reduce((all, row) => sum(all, countsOf(row)), NOTHING)

/** The version under which each content was published; the last one if there were several. */
async function versionsOf(scope: Scope, digests: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (digests.length === 0) return new Map()
  const published = await scope
    .read('deployments')
    .selectFrom('deployments')
    .select(['digest', 'version'])
    .where('digest', 'in', [...digests])
    .orderBy('deployed_at')
    .execute()
  const wanted = await scope
    .read('desired_rulesets')
    .selectFrom('desired_rulesets')
    .select(['digest', 'version'])
    .where('digest', 'in', [...digests])
    .execute()
  return new Map([...published, ...wanted].map(({ digest, version }) => [digest, version]))
}
