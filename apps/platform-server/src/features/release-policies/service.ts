import { stringifyJson } from '@engine/expression'
import type { Selectable } from 'kysely'
import { randomUUIDv7 } from 'node:crypto'
import { isAction } from '../../access/actions.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { staleRevision } from '../../resources/revision.ts'
import type { InProject } from '../projects/project-scope.ts'
import { freezeFaults } from './freeze-window.ts'
import type { Policy, PolicyChange, PolicyRequest } from './model.ts'
import { environmentNames, policyBy, policyOf, type PolicyRow } from './repository.ts'

/** The columns that requests set. */
type Settings = Pick<
  Selectable<Tables['release_policies']>,
  | 'priority'
  | 'enabled'
  | 'environments'
  | 'min_count'
  | 'roles'
  | 'exclude_authors'
  | 'auto_run_tests'
  | 'require_contract_mode'
  | 'forbid'
  | 'max_changed'
> & { readonly require_coverage: string | null; readonly freeze_window: string | null }

/** Settings for members that a request omits. */
const DEFAULTS: Settings = {
  priority: 0,
  enabled: true,
  environments: [],
  min_count: 1,
  roles: [],
  exclude_authors: false,
  auto_run_tests: true,
  require_contract_mode: null,
  forbid: [],
  max_changed: null,
  require_coverage: null,
  freeze_window: null,
}

/** Create a policy. Throws 400 for unknown roles, actions and environments, and for invalid windows. */
export function createPolicy(acting: Acting<InProject>, request: PolicyRequest): Promise<Policy> {
  const { place } = acting
  return acting.change(async ({ scope, audit }) => {
    const names = await environmentNames(scope, place.project.id)
    const row = {
      ...(await settingsOf(scope, DEFAULTS, request, names)),
      id: randomUUIDv7(),
      project_id: place.project.id,
      name: request.name,
      created_by: acting.by,
    }
    const made = policyOf(await scope.insert('release_policies', row).returningAll().executeTakeFirstOrThrow(), names)
    await audit({ action: 'policy.created', object: made, after: made })
    return made
  }, request.name)
}

/** @param rev that it must have; undefined: any */
export function changePolicy(
  acting: Acting<InProject>,
  id: string,
  request: PolicyChange,
  rev: number | undefined,
): Promise<Policy> {
  const { project } = acting.place
  return acting.change(async ({ scope, audit }) => {
    const row = await policyBy(scope, project.id, id)
    const names = await environmentNames(scope, project.id)
    const before = policyOf(row, names)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    const changed = await scope
      .update('release_policies')
      .set({
        ...(await settingsOf(scope, settingsIn(row), request, names)),
        name: request.name ?? row.name,
        updated_at: new Date(),
        rev: row.rev + 1,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = policyOf(changed, names)
    await audit({ action: 'policy.updated', object: after, before, after })
    return after
  })
}

/** @param rev that it must have; undefined: any */
export function deletePolicy(acting: Acting<InProject>, id: string, rev: number | undefined): Promise<void> {
  const { project } = acting.place
  return acting.change(async ({ scope, audit }) => {
    const row = await policyBy(scope, project.id, id)
    const before = policyOf(row, await environmentNames(scope, project.id))
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    await scope.delete('release_policies').where('id', '=', id).execute()
    await audit({ action: 'policy.deleted', object: before, before })
  })
}

/** The columns of a policy from a request. */
async function settingsOf(
  scope: Scope,
  before: Settings,
  request: PolicyChange,
  names: ReadonlyMap<string, string>,
): Promise<Settings> {
  const { approvers, match, forbid, max_changed, require_coverage: coverage, freeze_window: window } = request
  if (window !== undefined && window !== null) refuseWindow(window)
  if (approvers?.roles !== undefined) await refuseUnknownRoles(scope, approvers.roles)
  const given = window === null ? null : window && stringifyJson({ ...window })
  return {
    priority: request.priority ?? before.priority,
    enabled: request.enabled ?? before.enabled,
    environments: match === undefined ? before.environments : idsOf(match.environments, names),
    min_count: approvers?.min_count ?? before.min_count,
    roles: approvers?.roles === undefined ? before.roles : [...new Set(approvers.roles)],
    exclude_authors: approvers?.exclude_authors ?? before.exclude_authors,
    auto_run_tests: request.auto_run_tests ?? before.auto_run_tests,
    require_contract_mode:
      request.require_contract_mode === undefined ? before.require_contract_mode : request.require_contract_mode,
    forbid: forbid === undefined ? before.forbid : [...new Set(forbid.map(transitionText))],
    max_changed: max_changed === undefined ? before.max_changed : max_changed,
    require_coverage: coverage === undefined ? before.require_coverage : coverage && stringifyJson({ ...coverage }),
    freeze_window: given === undefined ? before.freeze_window : given,
  }
}

/** A change of code in its one form. Throws 400. */
function transitionText(text: string, index: number): string {
  const [from = '', to = ''] = text.split('->').map((code) => code.trim())
  if (from === '' || to === '') throw failures.invalid(`/forbid/${index}`, 'must name two codes, such as `DENY->ALLOW`')
  return `${from}->${to}`
}

/** The settings of a stored policy. */
function settingsIn(row: PolicyRow): Settings {
  const { priority, enabled, environments, min_count, roles, exclude_authors } = row
  const { auto_run_tests, require_contract_mode, forbid, max_changed, require_coverage, freeze_window } = row
  return {
    priority,
    enabled,
    environments,
    min_count,
    roles,
    exclude_authors,
    auto_run_tests,
    require_contract_mode,
    forbid,
    max_changed,
    require_coverage: require_coverage === null ? null : stringifyJson(require_coverage),
    freeze_window: freeze_window === null ? null : stringifyJson(freeze_window),
  }
}

function idsOf(given: readonly string[], names: ReadonlyMap<string, string>): string[] {
  const ids = given.map((key, index) => {
    const found = [...names].find(([id, name]) => name === key || id === key.toLowerCase())
    if (found === undefined)
      throw failures.invalid(`/match/environments/${index}`, 'is not an environment of this project')
    return found[0]
  })
  return [...new Set(ids)]
}

function refuseWindow(window: NonNullable<Policy['freeze_window']>): void {
  const [fault] = freezeFaults(window)
  if (fault !== undefined) throw failures.invalid(`/freeze_window/${fault.member}`, fault.message)
}

async function refuseUnknownRoles(scope: Scope, roles: readonly string[]): Promise<void> {
  const rows = await scope.read('roles').selectFrom('roles').select('name').execute()
  const known = new Set(rows.map(({ name }) => name))
  const index = roles.findIndex((one) => !isAction(one) && !known.has(one))
  if (index >= 0)
    throw failures.invalid(`/approvers/roles/${index}`, `is neither a role nor an action: \`${roles[index]}\``)
}
