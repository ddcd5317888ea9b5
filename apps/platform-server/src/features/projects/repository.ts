import { recordOf } from '../../resources/resource-fields.ts'
import type { Selectable } from 'kysely'
import { isId, NO_ID } from '../../database/org-id.ts'
import { bytesOf, type CutPage, onPage, type Page, roomyRows } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { CanarySettings, Environment, Project, Recording } from './model.ts'

export type ProjectRow = Selectable<Tables['projects']>
export type EnvironmentRow = Selectable<Tables['environments']>

export function projectOf(row: ProjectRow): Project {
  const { org_id, name, description, current_environment, contract_mode, public_key } = row
  return {
    ...recordOf(row),
    org_id,
    name,
    description,
    current_environment,
    contract_mode,
    public_key,
  }
}

export function environmentOf(row: EnvironmentRow, project: ProjectRow, { bound, canaries }: Serving): Environment {
  const { id, project_id, name, position, requires_release, hold_before, allow_local_rulesets } = row
  return {
    ...recordOf(row),
    project_id,
    name,
    order: position,
    is_default: name === project.current_environment,
    requires_release,
    tenant_id: id,
    server_ids: [...bound],
    canary: { ...canaryOf(row), servers: [...canaries] },
    recording: recordingOf(row),
    hold_before,
    allow_local_rulesets,
  }
}

const recordingOf = ({ recording }: Pick<EnvironmentRow, 'recording'>): Recording => recording
export const canaryOf = ({ canary }: Pick<EnvironmentRow, 'canary'>): CanarySettings => canary

/** @param only ids of projects; null: all */
export function projectsOn(scope: Scope, page: Page, only: readonly string[] | null): Promise<ProjectRow[]> {
  const all = scope.read('projects').selectFrom('projects').selectAll()
  const reached = only === null ? all : all.where('id', 'in', [...only, NO_ID])
  return onPage(reached, page, { key: page.sort, id: 'id', texts: ['name', 'description'] }).execute()
}

export function projectIn(scope: Scope, id: string): Promise<ProjectRow | undefined> {
  return scope.read('projects').selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
}

/** @param only names; null: all */
export function environmentsOn(
  scope: Scope,
  project: string,
  page: Page,
  only: readonly string[] | null,
): Promise<CutPage<EnvironmentRow>> {
  const own = scope.read('environments').selectFrom('environments').where('project_id', '=', project)
  const reached = only === null ? own : own.where('name', 'in', [...only, ''])
  return roomyRows(reached.select(bytesOf('recording')), reached.selectAll(), page, {
    key: page.sort,
    id: 'id',
    texts: ['name'],
  })
}

/** An environment by id or name; undefined if there is none. */
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

/** Ids of the engines of an environment. */
export interface Serving {
  /** Engines with the live content, the primary first. */
  readonly bound: readonly string[]
  /** Engines dedicated to canary candidates; if empty, candidates run on the bound engines. */
  readonly canaries: readonly string[]
}

/** The engines of environments; environments without engines are included. */
export async function servingIn(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Serving>> {
  const rows = await scope
    .read('environment_servers')
    .selectFrom('environment_servers')
    .select(['environment_id', 'server_id', 'canary_only'])
    .where('environment_id', 'in', [...ids, NO_ID])
    .orderBy('position')
    .execute()
  return new Map(
    ids.map((id) => {
      const own = rows.filter(({ environment_id }) => environment_id === id)
      const [bound, canaries] = [own.filter((row) => !row.canary_only), own.filter((row) => row.canary_only)]
      return [id, { bound: bound.map(serverIdOf), canaries: canaries.map(serverIdOf) }]
    }),
  )
}

const serverIdOf = ({ server_id }: { readonly server_id: string }) => server_id

/** The same for one environment. */
export async function servingAt(scope: Scope, id: string): Promise<Serving> {
  return (await servingIn(scope, [id])).get(id) ?? NO_SERVERS
}

export const NO_SERVERS: Serving = { bound: [], canaries: [] }

/** The ids of environments by name; unknown names are omitted. */
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
