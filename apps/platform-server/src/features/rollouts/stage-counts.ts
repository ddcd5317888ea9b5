import type { Sides, StageCounts } from '@engine/canary'
import type { Selectable } from 'kysely'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'

type CanaryRow = Selectable<Tables['release_canaries']>
type CountRow = Selectable<Tables['canary_counts']>

/** Represents all requests of a side: no result has an empty code. */
export const ALL_CODES = ''

/** A result code in the form of counts: percent-encoded, as reported by engines. */
export const countedCode = (code: string): string => encodeURIComponent(code.toWellFormed())

/** The result code of a count; an invalid encoding is returned unchanged. */
function codeOf(counted: string): string {
  try {
    return decodeURIComponent(counted)
  } catch {
    return counted
  }
}

const GROUP = 'group '
/** Represents any result of a group that expected transitions link: no counted code has a space. */
export const groupCode = (index: number): string => `${GROUP}${index}`

/** The stages of an execution in an environment so far, current one last. */
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
  const byCode = Map.groupBy(rows, ({ code }) => code)
  const all = byCode.get(ALL_CODES) ?? []
  const some = [...byCode].filter(([code]) => code !== ALL_CODES)
  const groups = some.filter(([code]) => code.startsWith(GROUP))
  const codes = some.filter(([code]) => !code.startsWith(GROUP))
  const requestsOf = (of: readonly CountRow[]) => sidesOf(of, ({ requests }) => requests)
  return {
    share,
    requests: requestsOf(all),
    errors: sidesOf(all, ({ errors }) => errors),
    slow: sidesOf(all, ({ slow }) => slow),
    codes: new Map(codes.map(([code, of]) => [codeOf(code), requestsOf(of)])),
    groups: new Map(groups.map(([code, of]) => [Number(code.slice(GROUP.length)), requestsOf(of)])),
  }
}

function sidesOf(rows: readonly CountRow[], countOf: (row: CountRow) => number): Sides {
  const of = (side: CountRow['arm']) =>
    rows.filter(({ arm }) => arm === side).reduce((sum, row) => sum + countOf(row), 0)
  return { canary: of('canary'), stable: of('stable') }
}

/** Answers of the control by class of latency, as counted by replicas before there was a limit. */
export function controlLatencies({ evidence }: Pick<CanaryRow, 'evidence'>): ReadonlyMap<number, number> {
  return new Map(Object.entries(evidence).map(([index, count]) => [Number(index), count]))
}
