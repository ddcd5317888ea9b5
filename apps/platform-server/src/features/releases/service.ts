import type { Author } from '../../database/audit.ts'
import type { Caller } from '../../access/caller.ts'
import type { Change } from '../../database/database.ts'
import type { TaskSignal } from '../../compute/compute.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { keepContent } from '../engines/contents.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { ReleaseAnalysis } from './analysis.ts'
import { type Approval, holdersIn, meet } from './approvals.ts'
import { approvalWarnings } from './approval-warnings.ts'
import { auditedOf, nameOf } from './state-change.ts'
import { appendEvent, type ReleaseRow } from './events.ts'
import type { Preview, Release, ReleaseRequest } from './model.ts'
import { notifyApprovers } from './notices.ts'
import { prepare, type Prepared, type ReleaseParts } from './preparation.ts'
import { refusedDecisions } from './refused-decisions.ts'
import { storeRelease } from './store-release.ts'
import { stageWarnings } from './stage-warnings.ts'
import { shownRelease, shownRequirements } from './view.ts'
import { isRefused, transition } from './states.ts'

/** The release that a request would create, and its obstacles. Nothing is stored. Throws 400 for unknown names. */
export async function previewRelease(
  parts: ReleaseParts,
  place: InProject,
  caller: Caller,
  request: ReleaseRequest,
  signal?: TaskSignal,
): Promise<Omit<Preview, keyof ReleaseAnalysis> & ReleaseAnalysis> {
  const prepared = await prepare(parts, place, caller, request, signal)
  const names = new Map(prepared.environments.map(({ id, name }) => [id, name]))
  const approval = await approvalOf(place.member.scope, prepared)
  return {
    would_create: prepared.obstacles.length === 0,
    blocked: [
      ...prepared.obstacles.flatMap(({ problems }) => problems.map((problem) => ({ ...problem }))),
      ...stageWarnings(prepared.environments),
      ...approvalWarnings(prepared.requirements, approval, names),
    ],
    diffs: [...prepared.diffs],
    ...prepared.analysis,
    requirements: shownRequirements(meet(prepared.requirements, approval), names),
    tests: prepared.tests,
    refused: await refusedDecisions(parts, place, prepared),
    content_digest: prepared.contentDigest,
  }
}

/** The approvals that would count, before the first review. */
async function approvalOf(scope: Change['scope'], { authors }: Pick<Prepared, 'authors'>): Promise<Approval> {
  return { approvers: [], authors: new Set(authors), holders: await holdersIn(scope) }
}

/** Creates a release. Throws 400 and 409 for obstacles. */
export async function createRelease(
  parts: ReleaseParts,
  acting: Acting<InProject>,
  request: ReleaseRequest,
  signal?: TaskSignal,
): Promise<Release> {
  const { database, place, caller, author } = acting
  const prepared = await prepare(parts, place, caller, request, signal)
  const [obstacle] = prepared.obstacles
  if (obstacle !== undefined) throw obstacle.error
  for (const { document } of prepared.copies) if (document !== undefined) await keepContent(database, document)
  const row = await acting.change(async (change) => {
    await refuseVanished(change, prepared)
    return stored(change, place.project.id, author, prepared, request)
  })
  return shownRelease(place.member.scope, row, { caller, member: place.member })
}

/** An environment may have been deleted since the release was computed. */
async function refuseVanished({ scope }: Change, { environments }: Prepared): Promise<void> {
  const present = await scope
    .read('environments')
    .selectFrom('environments')
    .select('id')
    .where(
      'id',
      'in',
      environments.map(({ id }) => id),
    )
    .execute()
  const index = environments.findIndex(({ id }) => !present.some((one) => one.id === id))
  if (index >= 0) throw failures.invalid(`/environments/${index}`, 'is not an environment of this project')
}

async function stored(
  change: Change,
  project: string,
  { actor }: Author,
  prepared: Prepared,
  request: ReleaseRequest,
): Promise<ReleaseRow> {
  const { scope } = change
  const met = meet(prepared.requirements, await approvalOf(scope, prepared))
  const unsatisfied = met.filter(({ satisfied }) => !satisfied)
  const outcome = transition('none', 'create', { approvals_stand: unsatisfied.length === 0 })
  if (isRefused(outcome)) throw new Error('a release cannot be made')
  const row = await storeRelease(scope, project, actor.id, outcome.to, request, prepared)
  const event = await appendEvent(change, row, {
    type: outcome.event,
    actor,
    status: outcome.to,
    data: { content_digest: row.content_digest },
  })
  await change.audit({
    action: 'release.created',
    object: nameOf(row),
    after: { ...auditedOf(row), environments: prepared.environments.map(({ name }) => name) },
    projectId: project,
  })
  await notifyApprovers(scope, row, unsatisfied, [])
  return { ...row, event_seq: event.seq }
}
