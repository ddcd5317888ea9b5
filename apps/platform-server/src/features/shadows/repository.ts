import { jsonValue } from '@engine/expression'
import type { Selectable } from 'kysely'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import type { Shadow, ShadowReport } from './model.ts'

/** A shadow with the name of its environment. */
export type ShadowRow = Selectable<Tables['shadows']> & { readonly environment: string }

const shadowsIn = (scope: Scope, project: string) =>
  scope
    .read('shadows', 'environments')
    .selectFrom('shadows as s')
    .innerJoin('environments as e', 'e.id', 's.environment_id')
    .selectAll('s')
    .select('e.name as environment')
    .where('s.project_id', '=', project)

/**
 * Returns one row more than the limit if another page follows.
 *
 * @param only names of environments; null means all
 */
export function shadowsOn(
  scope: Scope,
  project: string,
  page: Page,
  only: readonly string[] | null,
): Promise<ShadowRow[]> {
  const all = shadowsIn(scope, project)
  const reached = only === null ? all : all.where('e.name', 'in', [...only, ''])
  const key = page.sort === 'updated_at' ? 's.updated_at' : 's.created_at'
  return onPage(reached, page, { key, id: 's.id', texts: ['s.ruleset_name'] }).execute()
}

/** Throws `not-found`. */
export async function shadowBy(scope: Scope, project: string, id: string): Promise<ShadowRow> {
  const row = isId(id) ? await shadowsIn(scope, project).where('s.id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('shadow', id)
  return row
}

/** The running shadows of a project. */
export function shadowsUnderWay(scope: Scope, project: string, now: Date): Promise<ShadowRow[]> {
  return shadowsIn(scope, project).where('s.ends_at', '>', now).orderBy('s.id').execute()
}

export function shadowOf(row: ShadowRow): Shadow {
  const { ruleset_name, from_seq, digest, environment, percent, ends_at, requests, changed, dropped } = row
  return {
    ...recordOf(row),
    ruleset: ruleset_name,
    from_seq,
    digest,
    environment,
    percent,
    ends_at: ends_at.toISOString(),
    requests,
    changed,
    dropped,
  }
}

/** A shadow with its changed results, most frequent first. */
export async function reportOf(scope: Scope, row: ShadowRow): Promise<ShadowReport> {
  const rows = await scope
    .read('shadow_transitions')
    .selectFrom('shadow_transitions')
    .select(['codes', 'count', 'examples'])
    .where('shadow_id', '=', row.id)
    .orderBy('count', 'desc')
    .orderBy('codes')
    .execute()
  return { ...shadowOf(row), transitions: rows.map(transitionOf) }
}

/** Written only by `storeCounts`. */
function transitionOf({
  codes,
  count,
  examples,
}: Pick<Selectable<Tables['shadow_transitions']>, 'codes' | 'count' | 'examples'>) {
  const [from = null, to = null] = jsonValue(codes) as readonly (string | null)[]
  return { from, to, count, examples: examples as ShadowReport['transitions'][number]['examples'] }
}
