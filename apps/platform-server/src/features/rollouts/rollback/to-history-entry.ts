import { compareRulesets } from '@engine/authoring'
import { NO_ID } from '../../../database/org-id.ts'
import type { Database } from '../../../database/database.ts'
import type { Scope } from '../../../database/scope.ts'
import { failures } from '../../../errors.ts'
import { contentsOf } from '../../engines/contents.ts'
import { environmentBy, type EnvironmentRow } from '../../projects/repository.ts'
import { projectTopic } from '../../projects/service.ts'
import type { HistoryRow } from '../../releases/history.ts'
import { type Live, liveIn } from '../../releases/live.ts'
import type { Diff } from '../../releases/model.ts'
import { allowedTo } from '../../releases/view.ts'
import { type Operating, viewerOf } from '../operations.ts'
import type { BackTarget } from './targets.ts'
import { createRollback } from './release.ts'
import type { RolledBack } from './start.ts'
import { releaseBy } from '../locked-rows.ts'
import { isIdle, startExecution } from '../execution-start.ts'

/**
 * Restores the live content of a history entry for a ruleset of an environment, by a new release that needs no
 * approval. Throws 409: `wrong_state` if the content is already live, `busy` during another release there, `stale`
 * after a concurrent one.
 */
export async function goBack(
  operating: Operating,
  name: string,
  entry: HistoryRow,
  reason: string | undefined,
): Promise<RolledBack> {
  const { acting } = operating
  const { database, author } = acting
  const { member, project } = acting.place
  const environment = await environmentBy(member.scope, project.id, entry.environment_id)
  const live = await presentIn(member.scope, environment, name)
  const { digest } = entry
  if ((live?.digest ?? null) === digest)
    throw failures.conflict(
      'wrong_state',
      `that is live in \`${environment.name}\` already`,
      await currentOf(operating, member.scope, entry),
    )
  const target = await targetOf(database, environment, name, live, entry)
  return acting.change(async (change) => {
    const { actor } = author
    const present = await presentIn(change.scope, environment, name)
    if (present?.digest !== live?.digest)
      throw failures.conflict(
        'stale',
        `the live content of \`${environment.name}\` has changed meanwhile`,
        await currentOf(operating, change.scope, entry),
      )
    if (!(await isIdle(change.scope, NO_ID, [environment.id])))
      throw failures.conflict('busy', `a release is on its way in \`${environment.name}\``)
    const of = { id: live?.releaseId ?? null, project_id: project.id }
    const release = await createRollback(change, of, [{ environment, targets: [target] }], {
      actor,
      title: `${name} in ${environment.name} as of release ${entry.number}`.slice(0, 200),
      description: reason ?? '',
    })
    const conditions = { approvals_stand: true, unfrozen: true, idle: true, base_is_live: true }
    const execution = await startExecution(change, release, {
      actor,
      conditions,
      progress: { candidates: {}, held: [] },
    })
    await change.wake(projectTopic(project.id))
    return { release: { ...release, status: 'executing', execution_id: execution.id }, execution }
  })
}

/** The state of an entry's release, for refusals. */
async function currentOf(operating: Operating, scope: Scope, { release_id }: HistoryRow) {
  const release = await releaseBy({ scope }, release_id)
  return { status: release.status, allowed: await allowedTo(scope, release, viewerOf(operating)) }
}

async function presentIn(scope: Scope, environment: EnvironmentRow, name: string): Promise<Live | undefined> {
  return (await liveIn(scope, [environment], [name]))[0]
}

async function targetOf(
  database: Database,
  environment: EnvironmentRow,
  name: string,
  live: Live | undefined,
  entry: HistoryRow,
): Promise<BackTarget> {
  const { digest, version, contract, release_id: from } = entry
  return {
    name,
    digest,
    version,
    contract,
    base_digest: live?.digest ?? null,
    base_version: live?.version ?? null,
    base_release_id: live?.releaseId ?? null,
    base_contract: live?.contract ?? null,
    from,
    diff: await diffOf(database, environment, name, live, entry),
  }
}

/** The diff in the format of engines, which exists for both contents, regardless of their origin. */
async function diffOf(
  database: Database,
  environment: EnvironmentRow,
  name: string,
  live: Live | undefined,
  { digest }: HistoryRow,
): Promise<Diff> {
  const digests = [live?.digest, digest ?? undefined].filter((one) => one !== undefined)
  const contents = await contentsOf(database, digests)
  const of = (one: string | null | undefined) => (one == null ? undefined : contents.get(one))
  const compared = compareRulesets(of(live?.digest), of(digest), { base: undefined, next: undefined })
  return {
    environment: environment.name,
    ruleset: name,
    base: live === undefined ? null : { version: live.version, digest: live.digest, release_id: live.releaseId },
    removed: digest === null,
    ...compared,
  } as unknown as Diff
}
