import type { Sides, StageCounts } from '@engine/canary'
import type { Selectable } from 'kysely'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'

type CanaryRow = Selectable<Tables['release_canaries']>
type CountRow = Selectable<Tables['canary_counts']>

/** Stands for all requests of a side: no result has an empty code. */
export const ALL_CODES = ''

/** The stages of an execution in an environment so far, the current one last. */
export function stagesOf(scope: Scope, execution: string, environment: string): Promise<CanaryRow[]> {
  return scope
    .read('release_canaries')
    .selectFrom('release_canaries')
    .selectAll()
    .where('execution_id', '=', execution)
    .where('environment_id', '=', environment)
    .orderBy('stage')
    .execute()
}

/** Counted answers of both sides, by stage. */
export async function stageCounts(
  scope: Scope,
  execution: string,
  environment: string,
): Promise<readonly StageCounts[]> {
  const stages = await stagesOf(scope, execution, environment)
  const rows = await scope
    .read('canary_counts')
    .selectFrom('canary_counts')
    .selectAll()
    .where('execution_id', '=', execution)
    .where('environment_id', '=', environment)
    .execute()
  return stages.map(({ stage, basis_points }) =>
    countsOf(
      basis_points / 10_000,
      rows.filter((row) => row.stage === stage),
    ),
  )
}

function countsOf(share: number, rows: readonly CountRow[]): StageCounts {
  const all = rows.filter(({ code }) => code === ALL_CODES)
  const codes = Map.groupBy(
    rows.filter(({ code }) => code !== ALL_CODES),
    ({ code }) => code,
  )
  return {
    share,
    requests: sidesOf(all, ({ requests }) => requests),
    errors: sidesOf(all, ({ errors }) => errors),
    slow: sidesOf(all, ({ slow }) => slow),
    codes: new Map([...codes].map(([code, of]) => [code, sidesOf(of, ({ requests }) => requests)])),
  }
}

function sidesOf(rows: readonly CountRow[], countOf: (row: CountRow) => number): Sides {
  const of = (side: CountRow['arm']) =>
    rows.filter(({ arm }) => arm === side).reduce((sum, row) => sum + countOf(row), 0)
  return { canary: of('canary'), stable: of('stable') }
}

/** Answers of the control by class of latency, as replicas have counted them before there was a limit. */
export function controlLatencies({ evidence }: Pick<CanaryRow, 'evidence'>): ReadonlyMap<number, number> {
  return new Map(Object.entries(evidence).map(([index, count]) => [Number(index), count]))
}
