import { maskNames, stringifyJson } from '@engine/expression'
import type { Change } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { hasOneOf } from '../../database/text-lists.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { staleRevision } from '../../resources/revision.ts'
import { bindCanaries } from '../engines/canary-bindings.ts'
import type {
  CanaryChange,
  Environment,
  EnvironmentChange,
  EnvironmentRequest,
  RecordingChange,
} from '../projects/model.ts'
import type { InProject } from '../projects/project-scope.ts'
import {
  canaryOf,
  environmentBy,
  environmentIn,
  environmentOf,
  type EnvironmentRow,
  projectIn,
  type ProjectRow,
  NO_SERVERS,
  servingAt,
} from '../projects/repository.ts'
import { newEnvironment, projectTopic } from '../projects/service.ts'

/** Create an environment after the existing ones. */
export async function createEnvironment(
  acting: Acting<InProject>,
  { name, order, ...settings }: EnvironmentRequest,
): Promise<Environment> {
  const { project } = acting.place
  return acting.change(async (change) => {
    const { scope, audit } = change
    const position = order ?? (await lastPosition(change, project.id)) + 1
    const row = { ...newEnvironment(project.id, name, position, acting.by), ...settings }
    const made = await scope.insert('environments', row).returningAll().executeTakeFirstOrThrow()
    const environment = environmentOf(made, project, NO_SERVERS)
    await audit({ action: 'environment.created', object: environment, after: environment })
    return environment
  }, name)
}

/** The part of an environment that a request changes. */
export type EnvironmentPatch =
  | { readonly kind: 'settings'; readonly change: EnvironmentChange }
  | { readonly kind: 'canary'; readonly change: CanaryChange }
  | { readonly kind: 'recording'; readonly change: RecordingChange }

/** @param rev the revision that it must have; undefined: any */
export async function changeEnvironment(
  acting: Acting<InProject>,
  id: string,
  patch: EnvironmentPatch,
  rev: number | undefined,
): Promise<Environment> {
  const { project } = acting.place
  const name = patch.kind === 'settings' ? patch.change.name : undefined
  return acting.change(async (change) => {
    const { scope, audit, wake } = change
    const row = await environmentBy(scope, project.id, id)
    const serving = await servingAt(scope, id)
    const before = environmentOf(row, project, serving)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    const changed = await scope
      .update('environments')
      .set({ ...(await columnsOf(change, row, patch)), updated_at: new Date(), rev: row.rev + 1 })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (patch.kind === 'canary') await bindCanaries(change, id, serving, patch.change.servers)
    const current = await followName(change, project, row.name, changed.name)
    const after = environmentOf(changed, current, await servingAt(scope, id))
    await audit({ action: 'environment.updated', object: after, before, after })
    await wake(projectTopic(project.id))
    return after
  }, name)
}

/** Delete an environment that is neither current nor bound to engines. */
export async function deleteEnvironment(acting: Acting<InProject>, id: string, rev: number | undefined): Promise<void> {
  const { project } = acting.place
  await acting.change(async ({ scope, audit, wake }) => {
    const row = await environmentBy(scope, project.id, id)
    const serving = await servingAt(scope, id)
    const current = (await projectIn(scope, project.id)) ?? project
    const before = environmentOf(row, current, serving)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    if (before.is_default) throw failures.conflict('in_use', 'it is the current environment of its project')
    if (serving.bound.length + serving.canaries.length > 0)
      throw failures.conflict('in_use', 'engines serve it: unbind them first')
    await refuseAwaited(scope, id)
    await scope.delete('environments').where('id', '=', id).execute()
    await audit({ action: 'environment.deleted', object: before, before })
    await wake(projectTopic(project.id))
  })
}

/**
 * An environment in use cannot be deleted: a policy that lost its only environment would apply to all, and a release would
 * lose its target.
 */
async function refuseAwaited(scope: Scope, id: string): Promise<void> {
  const policy = await scope
    .read('release_policies')
    .selectFrom('release_policies')
    .select('name')
    .where(hasOneOf('environments', [id], 'uuid'))
    .executeTakeFirst()
  if (policy !== undefined) throw failures.conflict('in_use', `the release policy \`${policy.name}\` names it`)
  const release = await scope
    .read('releases', 'release_environments')
    .selectFrom('release_environments as e')
    .innerJoin('releases as r', 'r.id', 'e.release_id')
    .select('r.number')
    .where('e.environment_id', '=', id)
    .where('r.status', 'in', ['pending_approval', 'approved', 'executing', 'paused', 'rolling_back'])
    .executeTakeFirst()
  if (release !== undefined) throw failures.conflict('in_use', `release ${release.number} goes there`)
}

async function lastPosition({ scope }: Pick<Change, 'scope'>, project: string): Promise<number> {
  const last = await scope
    .read('environments')
    .selectFrom('environments')
    .select('position')
    .where('project_id', '=', project)
    .orderBy('position', 'desc')
    .executeTakeFirst()
  return last?.position ?? -1
}

async function columnsOf({ scope }: Pick<Change, 'scope'>, row: EnvironmentRow, patch: EnvironmentPatch) {
  switch (patch.kind) {
    case 'settings': {
      const { order, ...rest } = patch.change
      return { ...rest, ...(order === undefined ? {} : { position: order }) }
    }
    case 'canary': {
      const { servers: _, ...change } = patch.change
      const target = change.canary_target_env_id ?? undefined
      if (target === row.id) throw failures.invalid('/canary_target_env_id', 'is the environment itself')
      if (target !== undefined && (await environmentIn(scope, row.project_id, target)) === undefined)
        throw failures.invalid('/canary_target_env_id', 'is not an environment of this project')
      const canary = { ...canaryOf(row), ...change }
      if (canary.canary_percentage > 0 && canary.canary_target_env_id === null)
        throw failures.invalid('/canary_target_env_id', 'is missing: the share needs an environment that it goes to')
      return { canary: stringifyJson(canary) }
    }
    case 'recording':
      refuseVainMask(patch.change.mask ?? [])
      return { recording: stringifyJson({ ...row.recording, ...patch.change }) }
  }
}

/** Rename the project's current environment along with the environment. */
async function followName(
  { scope }: Pick<Change, 'scope'>,
  project: ProjectRow,
  before: string,
  after: string,
): Promise<ProjectRow> {
  const current = (await projectIn(scope, project.id)) ?? project
  if (before === after || current.current_environment !== before) return current
  await scope.update('projects').set({ current_environment: after }).where('id', '=', project.id).execute()
  return { ...current, current_environment: after }
}

/** A path that matches no member, such as a JSON pointer, would silently mask nothing. Throws 400. */
function refuseVainMask(mask: readonly string[]): void {
  for (const [index, path] of mask.entries()) {
    const parts = maskNames(path)
    if (parts[0] === '$' || path.startsWith('/') || parts.some((part) => part.trim() !== part || part === ''))
      throw failures.invalid(
        `/mask/${index}`,
        'must be names of members with dots between them, such as `applicant.name`',
      )
  }
}
