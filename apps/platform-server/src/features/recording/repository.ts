import type { Value } from '@engine/expression'
import type { ReplayTask } from '../../compute/tasks.ts'
import { isId, NO_ID } from '../../database/org-id.ts'
import { bytesOf, type CutPage, type Page, roomyRows } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { StoredCall, StoredViolation } from '../../database/stored-content.ts'
import { failures } from '../../errors.ts'
import type { Outcome, RecordedDecision } from './model.ts'

/** A ruleset by the id of its project and its name. */
interface RulesetPlace {
  readonly project: string
  readonly ruleset: string
}

/** A filter of decisions; undefined members match everything. */
export interface DecisionFilter extends RulesetPlace {
  /** Ids. */
  readonly environments: readonly string[] | undefined
  readonly outcome?: Outcome | undefined
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
  readonly code: string | null
  readonly violations: StoredViolation[] | null
  readonly output: Value
  readonly receipt: string | null
  readonly calls: StoredCall[] | null
  readonly server_id: string
}

function decisions(
  scope: Scope,
  { project, ruleset, environments, outcome, code, receipt, from, to }: Partial<DecisionFilter> & RulesetPlace,
) {
  return scope
    .read('recorded_decisions', 'environments')
    .selectFrom('recorded_decisions as d')
    .innerJoin('environments as e', 'e.id', 'd.environment_id')
    .where('d.project_id', '=', project)
    .where('d.ruleset_name', '=', ruleset)
    .$if(environments !== undefined, (query) => query.where('d.environment_id', 'in', [...(environments ?? []), NO_ID]))
    .$if(outcome !== undefined, (query) => query.where('d.code', outcome === 'refused' ? 'is' : 'is not', null))
    .$if(code !== undefined, (query) => query.where('d.code', '=', code ?? ''))
    .$if(receipt !== undefined, (query) => query.where('d.receipt', '=', receipt ?? ''))
    .$if(from !== undefined, (query) => query.where('d.at', '>=', from ?? new Date()))
    .$if(to !== undefined, (query) => query.where('d.at', '<', to ?? new Date()))
}

const SHOWN = ['d.id', 'd.at', 'e.name as environment', 'd.digest', 'd.input', 'd.code', 'd.output'] as const
const PROOF = ['d.receipt', 'd.server_id', 'd.calls', 'd.violations'] as const

/** One decision. Throws 404. */
export async function decisionBy(scope: Scope, place: RulesetPlace, id: string): Promise<Row> {
  const one = decisions(scope, place).where('d.id', '=', id).select(SHOWN).select(PROOF)
  const row = isId(id) ? await one.executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('decision', id)
  return row
}

/** Newest first; returns one row more than the limit if another page follows. */
export function decisionsOn(scope: Scope, filter: DecisionFilter, page: Page): Promise<CutPage<Row>> {
  const all = decisions(scope, filter)
  const shown = all.select(SHOWN).select(PROOF)
  const sizes = all.select(bytesOf('d.input', 'd.output', 'd.calls', 'd.violations'))
  return roomyRows(sizes, shown, page, { key: 'd.at', id: 'd.id', texts: ['d.code'] })
}

/** Number of decisions per piece of the export: a slow reader must use little memory. */
const PIECE_SIZE = 100

/** All decisions in the form of the API, newest first, in pieces. */
export async function* decisionPieces(
  scope: Scope,
  filter: DecisionFilter,
): AsyncGenerator<readonly RecordedDecision[]> {
  for await (const rows of decisionRows(scope, filter)) yield rows.map(decisionOf)
}

/**
 * All decisions, newest first, in pieces.
 *
 * @param begin time and id of the decision after which to start
 */
export async function* decisionRows(
  scope: Scope,
  filter: DecisionFilter,
  begin?: Page['after'],
): AsyncGenerator<readonly Row[]> {
  let after = begin
  for (;;) {
    const asked: Page = { limit: PIECE_SIZE, sort: 'created_at', descending: true, after, contains: undefined }
    const { rows, page } = await decisionsOn(scope, filter, asked)
    const shown = rows.slice(0, page.limit)
    if (shown.length > 0) yield shown
    const last = shown.at(-1)
    if (rows.length <= page.limit || last === undefined) return
    after = { key: last.at.toISOString(), id: last.id }
  }
}

/** The number of decisions. */
export async function countDecisions(scope: Scope, filter: DecisionFilter): Promise<number> {
  const { count } = await decisions(scope, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Decisions in the form that a thread replays. */
export const replayable = (taken: readonly Row[]): Pick<ReplayTask, 'inputs' | 'decisions'> => ({
  inputs: taken.map(({ input }) => input),
  decisions: taken.map(({ code, at, calls }) => ({ code, now: at.getTime(), calls })),
})

/** Returns the number of deleted decisions. */
export async function deleteDecisions(
  scope: Scope,
  { project, ruleset, environments, outcome, code, receipt, from, to }: DecisionFilter,
): Promise<number> {
  const all = scope.delete('recorded_decisions').where('project_id', '=', project).where('ruleset_name', '=', ruleset)
  const { numDeletedRows } = await all
    .$if(environments !== undefined, (query) => query.where('environment_id', 'in', [...(environments ?? []), NO_ID]))
    .$if(outcome !== undefined, (query) => query.where('code', outcome === 'refused' ? 'is' : 'is not', null))
    .$if(code !== undefined, (query) => query.where('code', '=', code ?? ''))
    .$if(receipt !== undefined, (query) => query.where('receipt', '=', receipt ?? ''))
    .$if(from !== undefined, (query) => query.where('at', '>=', from ?? new Date()))
    .$if(to !== undefined, (query) => query.where('at', '<', to ?? new Date()))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** A decision in the form of the API. */
export function decisionOf({
  id,
  at,
  environment,
  digest,
  input,
  code,
  violations,
  output,
  receipt,
  calls,
  server_id,
}: Row): RecordedDecision {
  const place = placeOf(receipt, server_id)
  const outcome = code === null ? 'refused' : 'decided'
  const decided = { outcome, code, violations, output } as const
  return { id, at: at.toISOString(), environment, digest, input, ...decided, receipt: place, calls }
}

/** The place of a receipt: `<instance>#<seq>`. */
function placeOf(receipt: string | null, server_id: string): RecordedDecision['receipt'] {
  const [instance, seq] = receipt?.split('#') ?? []
  return instance === undefined || seq === undefined ? null : { server_id, instance, seq: Number(seq) }
}
