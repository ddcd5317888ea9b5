import { randomUUIDv7 } from 'node:crypto'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Change } from '../../database/database.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { keepContent } from '../engines/contents.ts'
import { type DeploymentRow, settle, supersede } from '../engines/deployments.ts'
import { refreshServers } from '../engines/desired-state.ts'
import type { InProject } from '../projects/project-scope.ts'
import { environmentIn, type EnvironmentRow, servingAt } from '../projects/repository.ts'
import { enabledPolicies, policyFor } from '../release-policies/repository.ts'
import { projectTopic } from '../projects/service.ts'
import type { Deployment, PublishRequest } from './model.ts'
import { checkDraft, hasErrors } from './draft-check.ts'
import { draftAt, type DraftRow } from './repository.ts'

/**
 * Publish a save of a draft to an environment. Throws 400 with the draft's problems if it has errors, and 409 if the
 * environment requires a release.
 */
export async function publish(
  acting: Acting<InProject>,
  compute: Compute,
  row: DraftRow,
  { environment, environment_id, seq = row.seq, release_note = '' }: PublishRequest,
): Promise<Deployment> {
  const { database, place, caller } = acting
  const { member, project } = place
  const target = await environmentFor(member.scope, place, caller, environment, environment_id)
  const save = await draftAt(member.scope, project.id, row.name, seq)
  if (save === undefined) throw failures.invalid('/seq', `is not a save of \`${row.name}\``)
  const { ruleset, problems } = await checkDraft(compute, member.scope, project.id, save.ruleset)
  if (ruleset === undefined || hasErrors(problems)) throw invalidDocument(problems)
  await refuseProtected(member.scope, target)
  const { name, version = '' } = save.ruleset.config
  const digest = await keepContent(database, ruleset)
  return acting.change(async (change) => {
    const { scope, audit, wake } = change
    const present = await environmentIn(scope, project.id, target.id)
    if (present === undefined) throw unknownEnvironment(environment === undefined)
    await refuseProtected(scope, present)
    await refuseUnderWay(scope, present)
    await want(change, present.id, { name, version, digest })
    await supersede(scope, present.id, name)
    const queued = await scope
      .insert('deployments', {
        id: randomUUIDv7(),
        environment_id: present.id,
        ruleset_name: name,
        version,
        seq,
        digest,
        status: 'queued',
        release_note,
        deployed_by: acting.by,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const deployment = deploymentOf({ ...queued, status: await settle(scope, queued) }, present.name)
    await audit({ action: 'draft.published', object: row, after: deployment })
    await wake(projectTopic(project.id))
    return deployment
  })
}

/** The environment of a request, from either of two members. Throws 400. */
async function environmentFor(
  scope: Scope,
  { project }: InProject,
  caller: Caller,
  name: string | undefined,
  id: string | undefined,
): Promise<EnvironmentRow> {
  if (name !== undefined && id !== undefined && name !== id)
    throw failures.invalid('/environment_id', 'names the environment a second time: leave one of both out')
  const key = name ?? id
  if (key === undefined) throw failures.invalid('/environment', 'is missing')
  const row = await environmentIn(scope, project.id, key)
  if (row === undefined || !reachesEnvironment(caller, row.name)) throw unknownEnvironment(name === undefined)
  return row
}

const unknownEnvironment = (isId: boolean) =>
  failures.invalid(isId ? '/environment_id' : '/environment', 'is not an environment of this project')

/** Publishing would bypass the approvals that a policy requires. */
async function refuseProtected(
  scope: Scope,
  { id, project_id, name, requires_release }: EnvironmentRow,
): Promise<void> {
  if (requires_release)
    throw failures.conflict('release_required', `the environment \`${name}\` is changed by releases alone`)
  const policy = policyFor(await enabledPolicies(scope, project_id), id)
  if (policy !== undefined)
    throw failures.conflict('release_required', `the release policy \`${policy.name}\` counts in \`${name}\``)
}

/** A running release, and its rollback, rely on unchanged rulesets in the environment. */
async function refuseUnderWay(scope: Scope, { id, name }: EnvironmentRow): Promise<void> {
  const release = await scope
    .read('releases', 'release_executions', 'release_environments')
    .selectFrom('release_executions as x')
    .innerJoin('releases as r', 'r.id', 'x.release_id')
    .innerJoin('release_environments as e', 'e.release_id', 'r.id')
    .select('r.number')
    .where('x.status', 'in', ['running', 'paused'])
    .where('e.environment_id', '=', id)
    .executeTakeFirst()
  if (release !== undefined)
    throw failures.conflict('busy', `release ${release.number} is on its way in the environment \`${name}\``)
}

/** Set the desired content of an environment, replacing the previous one. */
async function want(
  change: Pick<Change, 'scope' | 'wake'>,
  environment_id: string,
  { name, version, digest }: { readonly name: string; readonly version: string; readonly digest: string },
): Promise<void> {
  const { scope } = change
  const columns = { digest, version, release_id: null, updated_at: new Date() }
  await scope
    .insert('desired_rulesets', { environment_id, name, ...columns })
    .onConflict((conflict) => conflict.columns(['org_id', 'environment_id', 'name']).doUpdateSet(columns))
    .execute()
  await refreshServers(change, (await servingAt(scope, environment_id)).bound)
}

/** @param environment its current name */
export function deploymentOf(row: DeploymentRow, environment: string): Deployment {
  const { id, ruleset_name, version, seq, digest, status, release_note, deployed_by, deployed_at } = row
  return {
    id,
    ruleset_name,
    environment,
    version,
    seq,
    digest,
    status,
    release_note,
    deployed_by,
    deployed_at: deployed_at.toISOString(),
  }
}
