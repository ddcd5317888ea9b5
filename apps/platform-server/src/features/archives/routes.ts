import type { FileProblem, ProjectArchive } from '@engine/authoring'
import { truthOf } from '@engine/http-api'
import { type Answer } from '@engine/http-server'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import { inOrganization } from '../../access/membership.ts'
import type { Caller } from '../../access/caller.ts'
import { ARCHIVE_BYTES } from '../../compute/archive-limits.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { LOCATION } from '../../resources/created-response.ts'
import { type HandlerRequest, memberRoute, type Route } from '../../http/route.ts'
import { nameOf } from '../identity/accounts.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { type ImportResult, importInto, importNew } from './import.ts'
import { Archive, Imported } from './model.ts'
import { exportedProject } from './current-project.ts'
import { refusal, RefusedImport } from './problems.ts'
import { readOnThread, writeOnThread } from './archive-tasks.ts'

export interface ArchiveParts {
  readonly database: Database
  readonly compute: Compute
  readonly basePath: string
}

const group = 'Projects'
const GZIP = 'application/gzip'
const DRY_RUN = {
  dry_run: Type.Boolean({ default: false, description: 'answers what would be done, problems included' }),
} as const

/** The part that all imports share: a body of files, as JSON or as a compressed tar archive. */
const IMPORT = {
  body: Archive,
  maxBodyBytes: ARCHIVE_BYTES,
  // The handler decompresses and parses the body on a worker thread.
  reads: { [GZIP]: (bytes: Buffer) => Promise.resolve(bytes) },
  hasConflicts: true,
  isIdempotent: true,
} as const

/** Routes that export and import projects as archives of files. */
export function archiveRoutes(parts: ArchiveParts): readonly Route[] {
  return [newRoute(parts), ...atBothPaths([exportRoute(parts), intoRoute(parts)])]
}

function exportRoute({ database, compute }: ArchiveParts): Route {
  return memberRoute({
    method: 'GET',
    path: '/api/v1/orgs/:oid/projects/:pid/export',
    right: 'member',
    summary: 'Export a project as an archive with one file per resource, suited to Git',
    group,
    within: inProject(database),
    produces: GZIP,
    answers: { 200: Type.String({ format: 'binary', description: 'a compressed tar archive' }) },
    otherAnswers: { 'application/json': Archive },
    async handle({ place: { member, project }, caller, raw }) {
      refuseNarrow(caller)
      const exported = await exportedProject(member.scope, project)
      if (/\bapplication\/json\b/.test(raw.headers.accept ?? ''))
        return { status: 200, body: await writeOnThread(compute, exported, 'json') }
      const headers = { 'content-disposition': `attachment; filename="${project.id}.tar.gz"` }
      return { status: 200, type: GZIP, body: await writeOnThread(compute, exported, 'tar.gz'), headers }
    },
  })
}

function newRoute({ database, compute, basePath }: ArchiveParts): Route {
  return memberRoute({
    method: 'POST',
    path: '/api/v1/orgs/:oid/projects/import',
    right: 'project.manage',
    summary: 'Create a project from an archive',
    group,
    within: inOrganization(database),
    query: DRY_RUN,
    ...IMPORT,
    answers: { 200: Imported, 201: Imported },
    answerHeaders: { 201: LOCATION },
    async handle(asked) {
      const { place } = asked
      if (!place.member.reachesAll)
        throw failures.forbidden(
          'a key that is limited to projects or environments makes no projects',
          'project.manage',
        )
      const projects = `${basePath}/api/v1/orgs/${place.member.org}/projects`
      const make = ({ archive, isDry }: Reading) => {
        const { name, description = '' } = archive.project
        const importing = { acting: actingIn(database, asked), compute, isDry }
        return importNew(importing, archive, { name: nameOf(name, 'project.json#/name'), description })
      }
      return imported(compute, asked, make, projects)
    },
  })
}

function intoRoute({ database, compute }: ArchiveParts): Route {
  return memberRoute({
    method: 'POST',
    path: '/api/v1/orgs/:oid/projects/:pid/import',
    right: 'project.manage',
    summary: 'Import an archive into a project; each change also requires its own permission',
    group,
    within: inProject(database),
    query: {
      ...DRY_RUN,
      prune: Type.Boolean({ default: false, description: 'remove resources that the archive lacks' }),
    },
    ...IMPORT,
    answers: { 200: Imported },
    async handle(asked) {
      refuseNarrow(asked.caller)
      const isPruned = truthOf(asked.query, 'prune') === true
      return imported(compute, asked, ({ archive, isDry }) =>
        importInto({ acting: actingIn(database, asked), compute, isDry }, archive, isPruned),
      )
    },
  })
}

/** An archive contains all environments, so a key limited to some of them is refused. */
function refuseNarrow(caller: Caller): void {
  if (caller.kind === 'key' && caller.environments !== null)
    throw failures.forbidden('a key that is limited to environments exports and imports no projects', 'project.manage')
}

interface Reading {
  readonly archive: ProjectArchive
  readonly isDry: boolean
}

/**
 * Read the archive of a request and import it. A dry run returns the problems; otherwise they are a 400.
 *
 * @param projects path of the projects, where a new one is created
 */
async function imported(
  compute: Compute,
  { body, query }: Pick<HandlerRequest<Caller, typeof Archive>, 'body' | 'query'>,
  work: (reading: Reading) => Promise<ImportResult>,
  projects?: string,
): Promise<Answer> {
  const isDry = truthOf(query, 'dry_run') === true
  const { archive, problems, unstorable } = await readOnThread(compute, Buffer.isBuffer(body) ? { bytes: body } : body)
  const refused = (found: readonly FileProblem[]) => {
    if (!isDry) throw refusal(found)
    return json(200, { project: null, created: [], changed: [], removed: [], problems: found })
  }
  if (archive === undefined) return refused(problems)
  if (unstorable !== undefined) throw failures.invalid(unstorable.path, unstorable.message)
  try {
    const { project, applied } = await work({ archive, isDry })
    const { created, changed, removed } = applied
    const isThere = projects === undefined || !isDry
    const answer = { project: isThere ? project : null, created, changed, removed, problems }
    if (projects === undefined || isDry) return json(200, answer)
    return { ...json(201, answer), headers: { location: `${projects}/${project.id}` } }
  } catch (error) {
    if (error instanceof RefusedImport) return refused([...problems, ...error.problems])
    throw error
  }
}
