import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Scope } from '../../database/scope.ts'
import { branchSum, dayOf, NO_BRANCHES } from '../engines/branch-counts.ts'
import { rulesetOf } from '../engines/candidate-names.ts'
import { BRANCH_COUNT_DAYS } from '../engines/statistics.ts'

/**
 * The counts of the engines of each environment for one content of a ruleset, including its use as a canary candidate.
 * Cost: the branches of the content, per engine and day.
 */
export async function readBranchCounts(scope: Scope, project: string, name: string, caller: Caller, digest: string) {
  const from = dayOf(new Date(Date.now() - (BRANCH_COUNT_DAYS - 1) * 24 * 3600 * 1000))
  const rows = await scope
    .read('branch_counts', 'environments')
    .selectFrom('branch_counts as c')
    .innerJoin('environments as e', 'e.id', 'c.environment_id')
    .select(['c.environment_id', 'e.name as environment', 'c.ruleset', 'c.executions', 'c.branches'])
    .where('e.project_id', '=', project)
    .where('c.digest', '=', digest)
    .where('c.day', '>=', from)
    .orderBy('e.position')
    .orderBy('e.name')
    .execute()
  const own = rows.filter(
    ({ ruleset, environment }) =>
      (ruleset === name || rulesetOf(ruleset) === name) && reachesEnvironment(caller, environment),
  )
  return {
    from: from.toISOString(),
    environments: Array.from(
      Map.groupBy(own, ({ environment_id }) => environment_id),
      ([environment_id, counted]) => ({
        environment_id,
        environment: counted[0]?.environment ?? '',
        executions: counted.reduce((sum, { executions }) => sum + executions, 0),
        branches: counted.reduce((sum, { branches }) => branchSum(sum, branches), NO_BRANCHES),
      }),
    ),
  }
}
