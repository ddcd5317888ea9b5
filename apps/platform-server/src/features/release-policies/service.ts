import { randomUUIDv7 } from 'node:crypto'
import { isAction } from '../../access/actions.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { staleRevision } from '../../resources/revision.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { Policy, PolicyChange, PolicyRequest } from './model.ts'
import { changedSettings, DEFAULTS, type PolicySettings, settingsIn } from './policy-settings.ts'
import { environmentNames, policyBy, policyOf } from './repository.ts'

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

/** The columns of a policy from a request. Throws 400. */
async function settingsOf(
  scope: Scope,
  before: PolicySettings,
  request: PolicyChange,
  names: ReadonlyMap<string, string>,
): Promise<PolicySettings> {
  const roles = request.approvers?.roles
  if (roles !== undefined) await refuseUnknownRoles(scope, roles)
  return changedSettings(before, request, names)
}

async function refuseUnknownRoles(scope: Scope, roles: readonly string[]): Promise<void> {
  const rows = await scope.read('roles').selectFrom('roles').select('name').execute()
  const known = new Set(rows.map(({ name }) => name))
  const index = roles.findIndex((one) => !isAction(one) && !known.has(one))
  if (index >= 0)
    throw failures.invalid(`/approvers/roles/${index}`, `is neither a role nor an action: \`${roles[index]}\``)
}
