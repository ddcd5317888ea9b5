import type { ProjectArchive } from '@engine/authoring'
import type { Action } from '../../access/actions.ts'
import type { InOrganization } from '../../access/membership.ts'
import type { Compute } from '../../compute/compute.ts'
import { failures } from '../../errors.ts'
import { Acting, type ActingPlace } from '../../resources/acting.ts'
import type { Project } from '../projects/model.ts'
import type { InProject } from '../projects/project-scope.ts'
import { projectIn, projectOf } from '../projects/repository.ts'
import { createProject } from '../projects/service.ts'
import { applyArchive } from './archive-application.ts'
import { Applied, type Kind } from './import-context.ts'

/** Who imports, where, and how. */
export interface Import<Place extends ActingPlace> {
  readonly acting: Acting<Place>
  readonly compute: Compute
  /** A dry run does everything, then rolls back. */
  readonly isDry: boolean
}

export interface ImportResult {
  readonly project: Project
  readonly applied: Applied
}

/** Thrown inside the transaction of a dry run to roll it back. */
class DryRun extends Error {
  readonly result: ImportResult

  constructor(result: ImportResult) {
    super('a dry run')
    this.result = result
  }
}

/** Create a project from an archive, in one transaction. */
export function importNew(
  { acting, compute, isDry }: Import<InOrganization>,
  archive: ProjectArchive,
  { name, description }: { readonly name: string; readonly description: string },
): Promise<ImportResult> {
  return dryOrNot(() =>
    acting.changeUnlocked(async (change) => {
      const inner = acting.within(change)
      const own = { ...acting.place.member, scope: change.scope }
      const { id } = await createProject(new Acting({ ...inner, place: { member: own } }), { name, description })
      const project = await projectIn(change.scope, id)
      if (project === undefined) throw new Error('the new project is not there')
      const importer = new Acting({ ...inner, place: { member: own, project } })
      const importing = { acting: importer, compute, change, prune: true }
      const applied = await applyArchive(importing, archive)
      const after = (await projectIn(change.scope, id)) ?? project
      return finished({ project: projectOf(after), applied }, isDry)
    }),
  )
}

/** The right that each kind of change requires, in addition to the right to import. */
const RIGHTS: { readonly [Each in Kind]: Action } = {
  environment: 'environment.manage',
  fact: 'fact.edit',
  concept: 'fact.edit',
  contract: 'contract.edit',
  sub_rule: 'ruleset.edit',
  ruleset: 'ruleset.edit',
  suite: 'ruleset.edit',
}

/** Bring an existing project to the state of an archive, apart from its name and description, in one transaction. */
export function importInto(
  { acting, compute, isDry }: Import<InProject>,
  archive: ProjectArchive,
  prune: boolean,
): Promise<ImportResult> {
  const { member, project } = acting.place
  return dryOrNot(() =>
    acting.change(async (change) => {
      const own = { ...member, scope: change.scope }
      const row = await projectIn(change.scope, project.id)
      if (row === undefined) throw failures.notFound('project', project.id)
      const importer = new Acting({ ...acting.within(change), place: { member: own, project: row } })
      const importing = { acting: importer, compute, change, prune }
      const applied = await applyArchive(importing, archive)
      for (const kind of applied.kinds)
        if (!member.permissions.has(RIGHTS[kind]))
          throw failures.forbidden(`the changes of the archive need the right \`${RIGHTS[kind]}\``, RIGHTS[kind])
      const after = (await projectIn(change.scope, project.id)) ?? row
      if (applied.kinds.size > 0) {
        const { created, changed, removed } = applied
        await change.audit({
          action: 'project.imported',
          object: after,
          after: { created, changed, removed },
        })
      }
      return finished({ project: projectOf(after), applied }, isDry)
    }),
  )
}

function finished(result: ImportResult, isDry: boolean): ImportResult {
  if (isDry) throw new DryRun(result)
  return result
}

async function dryOrNot(work: () => Promise<ImportResult>): Promise<ImportResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DryRun) return error.result
    throw error
  }
}
