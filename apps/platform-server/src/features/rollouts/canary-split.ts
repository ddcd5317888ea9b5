import { FAILED, linkedResults } from '@engine/canary'
import type { Scope } from '../../database/scope.ts'
import { candidateName } from '../engines/candidate-names.ts'
import { expectedIn } from './expected-transitions.ts'
import { ALL_CODES, countedCode, groupCode } from './stage-counts.ts'

/** A stage of a canary, in the form that the proxy applies. */
export interface Split {
  readonly executionId: string
  readonly environmentId: string
  readonly releaseId: string
  readonly stage: number
  readonly percent: number
  /** Latency above which an answer is slow, in milliseconds; undefined if not measured yet. */
  readonly slowMs: number | undefined
  /** The names of candidates, by the names that callers know. */
  readonly candidates: ReadonlyMap<string, string>
  /**
   * The counted codes of groups linked by expected transitions, by the codes of their results; `ALL_CODES` for
   * failures.
   */
  readonly groups: ReadonlyMap<string, string>
}

/** The current stages of a project, by environment, paused ones included. */
export async function splitsIn(scope: Scope, project: string): Promise<ReadonlyMap<string, Split>> {
  const rows = await scope
    .read('release_canaries', 'releases', 'release_executions')
    .selectFrom('release_canaries as c')
    .innerJoin('releases as r', 'r.id', 'c.release_id')
    .innerJoin('release_executions as x', 'x.id', 'c.execution_id')
    .select(['c.execution_id', 'c.environment_id', 'c.release_id', 'c.stage', 'c.basis_points', 'c.control_p99_us'])
    .select(['r.number', 'x.progress'])
    .where('r.project_id', '=', project)
    .where('c.ended_at', 'is', null)
    .execute()
  return new Map(
    rows.map((row) => {
      const { candidates } = row.progress
      const linked = linkedResults(expectedIn(row.progress, row.environment_id))
      return [
        row.environment_id,
        {
          executionId: row.execution_id,
          environmentId: row.environment_id,
          releaseId: row.release_id,
          stage: row.stage,
          percent: row.basis_points / 100,
          slowMs: row.control_p99_us === null ? undefined : row.control_p99_us / 1000,
          candidates: new Map(Object.keys(candidates).map((name) => [name, candidateName(name, row.number)])),
          groups: new Map(
            linked.flatMap((results, index) =>
              results.map((result) => [result === FAILED ? ALL_CODES : countedCode(result), groupCode(index)]),
            ),
          ),
        },
      ]
    }),
  )
}
