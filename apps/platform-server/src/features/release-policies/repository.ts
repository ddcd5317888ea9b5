import type { Selectable } from 'kysely'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import type { Policy } from './model.ts'

export type PolicyRow = Selectable<Tables['release_policies']>

const policiesIn = (scope: Scope, project: string) =>
  scope.read('release_policies').selectFrom('release_policies').selectAll().where('project_id', '=', project)

export function policiesOn(scope: Scope, project: string, page: Page): Promise<PolicyRow[]> {
  return onPage(policiesIn(scope, project), page, { key: page.sort, id: 'id', texts: ['name'] }).execute()
}

/** Throws `not-found`. */
export async function policyBy(scope: Scope, project: string, id: string): Promise<PolicyRow> {
  const row = isId(id) ? await policiesIn(scope, project).where('id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('release policy', id)
  return row
}

/** The enabled policies, highest priority first. */
export function enabledPolicies(scope: Scope, project: string): Promise<PolicyRow[]> {
  return policiesIn(scope, project)
    .where('enabled', '=', true)
    .orderBy('priority', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Whether a policy applies in an environment. */
export const matches = ({ environments }: Pick<PolicyRow, 'environments'>, environment: string): boolean =>
  environments.length === 0 || environments.includes(environment)

/**
 * The policy that applies to an environment; undefined if none does.
 *
 * @param policies those of `enabledPolicies`
 */
export function policyFor<Row extends Pick<PolicyRow, 'environments'>>(
  policies: readonly Row[],
  environment: string,
): Row | undefined {
  return policies.find((policy) => matches(policy, environment))
}

/** The current names of environments by their ids. */
export async function environmentNames(scope: Scope, project: string): Promise<ReadonlyMap<string, string>> {
  const rows = await scope
    .read('environments')
    .selectFrom('environments')
    .select(['id', 'name'])
    .where('project_id', '=', project)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** A policy in the form of the public API. */
export function policyOf(row: PolicyRow, names: ReadonlyMap<string, string>): Policy {
  const { name, priority, enabled, environments, min_count, roles, exclude_authors, auto_run_tests } = row
  return {
    ...recordOf(row),
    name,
    priority,
    enabled,
    // An environment cannot be deleted while a policy names it.
    match: { environments: environments.map((id) => names.get(id) ?? id) },
    approvers: { min_count, roles, exclude_authors },
    auto_run_tests,
    require_contract_mode: row.require_contract_mode,
    forbid: row.forbid,
    max_changed: row.max_changed,
    require_coverage: row.require_coverage,
    freeze_window: row.freeze_window,
  }
}
