import { recordOf } from '../../http/record.ts'
import type { Selectable } from 'kysely'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Canary, Environment, Project, Recording } from './model.ts'

export type ProjectRow = Selectable<Tables['projects']>
export type EnvironmentRow = Selectable<Tables['environments']>

export function projectOf(row: ProjectRow): Project {
  const { org_id, name, description, current_environment, public_key } = row
  return {
    ...recordOf(row),
    org_id,
    name,
    description,
    current_environment,
    public_key,
  }
}

/** @param servers ids of the engines that serve it, the primary first */
export function environmentOf(row: EnvironmentRow, project: ProjectRow, servers: readonly string[]): Environment {
  const { id, project_id, name, position, requires_release, hold_before } = row
  return {
    ...recordOf(row),
    project_id,
    name,
    order: position,
    is_default: name === project.current_environment,
    requires_release,
    tenant_id: id,
    server_ids: [...servers],
    canary: canaryOf(row),
    recording: row.recording as Recording,
    hold_before,
  }
}

export const canaryOf = ({ canary }: Pick<EnvironmentRow, 'canary'>): Canary => canary as Canary

/** @param only ids of projects; null: all */
export function projectsOn(scope: Scope, page: Page, only: readonly string[] | null): Promise<ProjectRow[]> {
  const all = scope.read('projects').selectFrom('projects').selectAll()
  const reached = only === null ? all : all.where('id', 'in', [...only, NO_ID])
  return onPage(reached, page, { key: page.sort, id: 'id', texts: ['name', 'description'] }).execute()
}

/** A list of nothing is no SQL. */
const NO_ID = '00000000-0000-0000-0000-000000000000'

export function projectIn(scope: Scope, id: string): Promise<ProjectRow | undefined> {
  return scope.read('projects').selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
}

/** @param only names; null: all */
export function environmentsOn(
  scope: Scope,
  project: string,
  page: Page,
  only: readonly string[] | null,
): Promise<EnvironmentRow[]> {
  const own = scope.read('environments').selectFrom('environments').selectAll().where('project_id', '=', project)
  const reached = only === null ? own : own.where('name', 'in', [...only, ''])
  return onPage(reached, page, { key: page.sort, id: 'id', texts: ['name'] }).execute()
}

/** By id or name; undefined: there is none. */
export async function environmentIn(scope: Scope, project: string, key: string): Promise<EnvironmentRow | undefined> {
  const own = scope.read('environments').selectFrom('environments').selectAll().where('project_id', '=', project)
  return own.where(isId(key) ? 'id' : 'name', '=', key).executeTakeFirst()
}

/** The same. Throws `not-found`. */
export async function environmentBy(scope: Scope, project: string, key: string): Promise<EnvironmentRow> {
  const row = await environmentIn(scope, project, key)
  if (row === undefined) throw failures.notFound('environment', key)
  return row
}

/** The engines of environments, the primary first. */
export async function serversOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await scope
    .read('environment_servers')
    .selectFrom('environment_servers')
    .select(['environment_id', 'server_id'])
    .where('environment_id', 'in', [...ids, NO_ID])
    .orderBy('position')
    .execute()
  const servers = new Map<string, string[]>()
  for (const { environment_id: id, server_id: server } of rows) servers.set(id, [...(servers.get(id) ?? []), server])
  return servers
}

/** The ids of environments by their names; names of none are left out. */
export async function environmentsNamed(
  scope: Scope,
  project: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const rows = await scope
    .read('environments')
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', project)
    .where('name', 'in', [...names, ''])
    .execute()
  return rows.map(({ id }) => id)
}
