import type { Value } from '@engine/expression'
import { NO_ID } from '../../database/org-id.ts'
import { bytesOf, type CutPage, type Page, roomyRows } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { RecordedDecision } from './model.ts'

/** A filter of decisions; undefined members match everything. */
export interface DecisionFilter {
  readonly project: string
  readonly ruleset: string
  /** Ids. */
  readonly environments: readonly string[] | undefined
  readonly code: string | undefined
  /** Place of the receipt. */
  readonly receipt?: string | undefined
  /** Half-open. */
  readonly from: Date | undefined
  readonly to: Date | undefined
}

/** Decisions of a page of the list: their inputs may be large. */
interface Row {
  readonly id: string
  readonly at: Date
  readonly environment: string
  readonly digest: string
  readonly input: Value
  readonly code: string
  readonly output: Value
  readonly receipt: string | null
  readonly server_id: string
}

function decisions(scope: Scope, { project, ruleset, environments, code, receipt, from, to }: DecisionFilter) {
  return scope
    .read('recorded_decisions', 'environments')
    .selectFrom('recorded_decisions as d')
    .innerJoin('environments as e', 'e.id', 'd.environment_id')
    .where('d.project_id', '=', project)
    .where('d.ruleset_name', '=', ruleset)
    .$if(environments !== undefined, (query) => query.where('d.environment_id', 'in', [...(environments ?? []), NO_ID]))
    .$if(code !== undefined, (query) => query.where('d.code', '=', code ?? ''))
    .$if(receipt !== undefined, (query) => query.where('d.receipt', '=', receipt ?? ''))
    .$if(from !== undefined, (query) => query.where('d.at', '>=', from ?? new Date()))
    .$if(to !== undefined, (query) => query.where('d.at', '<', to ?? new Date()))
}

/** The newest first; one more than the page has when another follows. */
export function decisionsOn(scope: Scope, filter: DecisionFilter, page: Page): Promise<CutPage<Row>> {
  const all = decisions(scope, filter)
  const shown = all
    .select(['d.id', 'd.at', 'e.name as environment', 'd.digest', 'd.input', 'd.code', 'd.output'])
    .select(['d.receipt', 'd.server_id'])
  const sizes = all.select(bytesOf('d.input', 'd.output'))
  return roomyRows(sizes, shown, page, { key: 'd.at', id: 'd.id', texts: ['d.code'] })
}

/** Decisions of a piece of the export: few enough that a slow reader of it costs little memory. */
const PIECE = 100

/** All of them, the newest first, in pieces. */
export async function* decisionPieces(
  scope: Scope,
  filter: DecisionFilter,
): AsyncGenerator<readonly RecordedDecision[]> {
  let after: Page['after']
  for (;;) {
    const asked: Page = { limit: PIECE, sort: 'created_at', descending: true, after, contains: undefined }
    const { rows, page } = await decisionsOn(scope, filter, asked)
    const shown = rows.slice(0, page.limit)
    if (shown.length > 0) yield shown.map(decisionOf)
    const last = shown.at(-1)
    if (rows.length <= page.limit || last === undefined) return
    after = { key: last.at.toISOString(), id: last.id }
  }
}

/** Returns the number of deleted decisions. */
export async function deleteDecisions(
  scope: Scope,
  { project, ruleset, environments, code, receipt, from, to }: DecisionFilter,
): Promise<number> {
  const all = scope.delete('recorded_decisions').where('project_id', '=', project).where('ruleset_name', '=', ruleset)
  const { numDeletedRows } = await all
    .$if(environments !== undefined, (query) => query.where('environment_id', 'in', [...(environments ?? []), NO_ID]))
    .$if(code !== undefined, (query) => query.where('code', '=', code ?? ''))
    .$if(receipt !== undefined, (query) => query.where('receipt', '=', receipt ?? ''))
    .$if(from !== undefined, (query) => query.where('at', '>=', from ?? new Date()))
    .$if(to !== undefined, (query) => query.where('at', '<', to ?? new Date()))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** A decision as the interface shows it. */
export function decisionOf({
  id,
  at,
  environment,
  digest,
  input,
  code,
  output,
  receipt,
  server_id,
}: Row): RecordedDecision {
  return { id, at: at.toISOString(), environment, digest, input, code, output, receipt: placeOf(receipt, server_id) }
}

/** The place of a receipt: `<instance>#<seq>`. */
function placeOf(receipt: string | null, server_id: string): RecordedDecision['receipt'] {
  const [instance, seq] = receipt?.split('#') ?? []
  return instance === undefined || seq === undefined ? null : { server_id, instance, seq: Number(seq) }
}
