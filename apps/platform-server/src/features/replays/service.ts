import { NOTHING_REPLAYED } from '@engine/analysis'
import { stringifyJson } from '@engine/expression'
import { randomUUIDv7 } from 'node:crypto'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Compute } from '../../compute/compute.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { savedDocument } from '../drafts/saved-document.ts'
import { keepContent } from '../engines/contents.ts'
import type { InProject } from '../projects/project-scope.ts'
import { environmentIn, type EnvironmentRow } from '../projects/repository.ts'
import { countDecisions } from '../recording/repository.ts'
import { liveIn } from '../releases/live.ts'
import { atRelease } from '../releases/release-scope.ts'
import type { Replay, ReplayRequest } from './model.ts'
import { countRunning, replayBy, replayOf, type ReplayRow, replayTopic } from './repository.ts'
import { REPLAYS_TOPIC } from './work.ts'

/** Maximum number of running replays per project. */
const MAX_REPLAYS = 20

/**
 * Starts to repeat the recorded decisions of an environment, with a save or the copy of a release, and with the live
 * content. Throws 400 for a candidate that does not exist or has errors, and if nothing is live.
 */
export async function createReplay(
  acting: Acting<InProject>,
  compute: Compute,
  request: ReplayRequest,
): Promise<Replay> {
  const { place, caller } = acting
  const { project } = place
  const { scope: reading } = place.member
  const { ruleset, from_seq = null, release_id = null } = request
  const environment = await environmentFor(place, caller, request.environment)
  const digest = await candidateOf(acting, compute, request)
  const [live] = await liveIn(reading, [environment], [ruleset])
  if (live === undefined)
    throw failures.invalid('/ruleset', `is not live in \`${environment.name}\`: there is nothing to compare with`)
  const [decided_from, decided_to] = intervalOf(request)
  const total = await countDecisions(reading, {
    project: project.id,
    ruleset,
    environments: [environment.id],
    code: undefined,
    from: decided_from ?? undefined,
    to: decided_to,
  })
  return acting.change(async ({ scope, audit, wake }) => {
    if ((await countRunning(scope, project.id)) >= MAX_REPLAYS)
      throw failures.conflict(
        'busy',
        `${MAX_REPLAYS} replays of the project are running: delete one, or wait until one has ended`,
      )
    const row = await scope
      .insert('replays', {
        id: randomUUIDv7(),
        project_id: project.id,
        environment_id: environment.id,
        ruleset_name: ruleset,
        from_seq,
        release_id,
        digest,
        base_version: live.version,
        base_digest: live.digest,
        base_release_id: live.releaseId,
        decided_from,
        decided_to,
        total,
        records: stringifyJson(NOTHING_REPLAYED),
        next_at: new Date(),
        created_by: acting.by,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const replay = replayOf({ ...row, environment: environment.name })
    await audit({ action: 'replay.created', object: nameOf(row), after: replay })
    await wake(REPLAYS_TOPIC)
    return replay
  })
}

/** Ends a replay and deletes its results. */
export async function deleteReplay(acting: Acting<InProject>, id: string): Promise<void> {
  const { project } = acting.place
  await acting.change(async ({ scope, audit, wake }) => {
    const row = await replayBy(scope, project.id, id)
    await scope.delete('replays').where('id', '=', id).execute()
    await audit({ action: 'replay.deleted', object: nameOf(row), before: replayOf(row) })
    await wake(replayTopic(id))
  })
}

const nameOf = ({ id, ruleset_name }: Pick<ReplayRow, 'id' | 'ruleset_name'>) => ({ id, name: ruleset_name })

async function environmentFor({ member, project }: InProject, caller: Caller, key: string): Promise<EnvironmentRow> {
  const row = await environmentIn(member.scope, project.id, key)
  if (row === undefined || !reachesEnvironment(caller, row.name))
    throw failures.invalid('/environment', 'is not an environment of this project')
  return row
}

/** The digest of the candidate, whose content is stored. */
async function candidateOf(
  { database, place, caller }: Acting<InProject>,
  compute: Compute,
  { ruleset, from_seq, release_id }: ReplayRequest,
): Promise<string> {
  if (from_seq !== undefined && release_id === undefined)
    return keepContent(database, await savedDocument(compute, place, { ruleset, from_seq }))
  if (from_seq !== undefined || release_id === undefined)
    throw failures.invalid('', 'must have either `from_seq`, the number of a save, or `release_id`')
  const release = await atRelease(place, { rid: release_id }, caller).catch(() => undefined)
  if (release === undefined) throw failures.invalid('/release_id', 'is not a release of this project')
  const copy = await place.member.scope
    .read('release_contents')
    .selectFrom('release_contents')
    .select('digest')
    .where('release_id', '=', release.id)
    .where('name', '=', ruleset)
    .executeTakeFirst()
  if (copy === undefined || copy.digest === null)
    throw failures.invalid('/ruleset', 'is not a ruleset that the release brings')
  return copy.digest
}

function intervalOf({ from, to }: ReplayRequest): readonly [Date | null, Date] {
  const begin = from === undefined ? null : timeOf('/from', from)
  const end = to === undefined ? new Date() : timeOf('/to', to)
  if (begin !== null && begin >= end) throw failures.invalid('/from', 'is not before `to`')
  return [begin, end]
}

function timeOf(path: string, text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw failures.invalid(path, 'must be a time such as `2026-01-31T12:00:00Z`')
  return time
}
