import type { ProjectArchive } from '@engine/authoring'
import type { Action } from '../../access/actions.ts'
import type { Caller } from '../../access/caller.ts'
import type { Member } from '../../access/membership.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Author } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { Acting, within } from '../../resources/acting.ts'
import type { Project } from '../projects/model.ts'
import type { InProject } from '../projects/project-scope.ts'
import { projectIn, projectOf } from '../projects/repository.ts'
import { createProject } from '../projects/service.ts'
import { applyArchive } from './archive-application.ts'
import { Applied, type Kind } from './import-context.ts'

/** Who imports, and with which services. */
export interface Import {
  readonly database: Database
  readonly compute: Compute
  readonly caller: Caller
  readonly author: Author
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
  { database, compute, caller, author, isDry }: Import,
  member: Member,
  archive: ProjectArchive,
  { name, description }: { readonly name: string; readonly description: string },
): Promise<ImportResult> {
  return dryOrNot(() =>
    database.change(member.org, author, async (change) => {
      const inner = within(database, change)
      const own = { ...member, scope: change.scope }
      const creating = new Acting({ database: inner, place: { member: own }, caller, author })
      const { id } = await createProject(creating, { name, description })
      const project = await projectIn(change.scope, id)
      if (project === undefined) throw new Error('the new project is not there')
      const place = { member: own, project }
      const acting = new Acting({ database: inner, place, caller, author })
      const importing = { acting, compute, change, prune: true }
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
  { database, compute, caller, author, isDry }: Import,
  { member, project }: InProject,
  archive: ProjectArchive,
  prune: boolean,
): Promise<ImportResult> {
  return dryOrNot(() =>
    database.change(member.org, author, async (change) => {
      await change.lock()
      const own = { ...member, scope: change.scope }
      const row = await projectIn(change.scope, project.id)
      if (row === undefined) throw failures.notFound('project', project.id)
      const place = { member: own, project: row }
      const acting = new Acting({ database: within(database, change), place, caller, author })
      const importing = { acting, compute, change, prune }
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
          projectId: project.id,
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
