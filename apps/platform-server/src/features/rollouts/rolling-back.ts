import { stringifyJson, type Value } from '@engine/expression'
import { createHash, randomUUIDv7 } from 'node:crypto'
import type { Author } from '../../database/audit.ts'
import { databaseLater } from '../../database/clock.ts'
import type { Change } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { auditedOf, changeState, nameOf } from '../releases/change-state.ts'
import { appendEvent, type ReleaseRow } from '../releases/events.ts'
import type { Diff } from '../releases/model.ts'
import { nextNumber } from '../releases/repository.ts'
import { endEarly, executionBy } from './ending.ts'
import { environmentsOf, type Target, targetsOf } from './places.ts'
import { isIdle, startExecution } from './starting.ts'
import type { ExecutionRow, Next, Rollout } from './state.ts'

/** What an environment gets back. */
interface Back {
  readonly environment: { readonly id: string; readonly name: string; readonly position: number }
  readonly targets: readonly BackTarget[]
}

/** What one ruleset of it becomes again. */
export type BackTarget = Omit<
  Target,
  'org_id' | 'release_id' | 'environment_id' | 'diff' | 'contract' | 'base_contract'
> & {
  readonly diff: Diff
  readonly contract: Value | null
  readonly base_contract: Value | null
  /** The release that has the content's copy; null: it became live without one. */
  readonly from: string | null
}

/** A rollback that people or a stage have asked for. */
interface Request {
  readonly actor: Author['actor']
  readonly reason: string | undefined
}

/** The release that rolls another one back, and its execution. */
export interface RolledBack {
  readonly release: ReleaseRow
  readonly execution: ExecutionRow
}

/**
 * Roll a release back by a new one to what was live before, in all environments that it has changed. Throws 409 `no_baseline`
 * where nothing was live before, `busy` while another release is on its way there, `wrong_state`.
 */
export async function rollBack(
  change: Change,
  release: ReleaseRow,
  execution: ExecutionRow | undefined,
  { actor, reason }: Request,
): Promise<RolledBack> {
  const backs = await backsOf(change.scope, release, execution)
  const places = backs.map(({ environment }) => environment.id)
  if (!(await isIdle(change.scope, release.id, places)))
    throw failures.conflict('busy', 'another release is on its way in one of the environments')
  const conditions = { newest: await isNewest(change.scope, release, backs), has_baseline: hasBaseline(backs) }
  const data = { reason: reason ?? null }
  const { release: after } = await changeState(change, release, 'rollback', { actor, conditions, data })
  return begin(change, after, backs, { actor, reason })
}

/** The same because a stage has failed: the execution ends with it. */
export async function rollBackBy(rollout: Rollout, reason: string): Promise<Next> {
  const { change, release, execution, actor } = rollout
  const backs = await backsOf(change.scope, release, execution)
  const data = { reason }
  await appendEvent(change, release, { type: 'rollback_started', actor, status: release.status, data })
  const next = await endEarly(rollout, 'failed', reason)
  // Not busy by itself: it has ended.
  await change.scope.update('release_executions').set(next.columns).where('id', '=', execution.id).execute()
  await begin(change, release, backs, { actor, reason })
  return next
}

async function begin(
  change: Change,
  release: ReleaseRow,
  backs: readonly Back[],
  { actor, reason }: Request,
): Promise<RolledBack> {
  const made = await createRollback(change, release, backs, {
    actor,
    title: `Rollback of ${release.number} ${release.title}`.slice(0, 200),
    description: reason ?? '',
  })
  const execution = await startExecution(change, made, {
    actor,
    conditions: APPROVED,
    progress: { candidates: {}, held: [], rolls_back: release.id },
  })
  return { release: { ...made, status: 'executing', execution_id: execution.id }, execution }
}

/** A rollback needs no approval, and no freeze window keeps it back. */
const APPROVED = { approvals_stand: true, unfrozen: true, idle: true, base_is_live: true } as const

/** What is known of a new release. */
interface Making {
  readonly actor: Author['actor']
  readonly title: string
  readonly description: string
}

/** Make the release of a rollback: approved, with copies of what was live before. */
export async function createRollback(
  change: Change,
  of: { readonly id: string | null; readonly project_id: string },
  backs: readonly Back[],
  { actor, title, description }: Making,
): Promise<ReleaseRow> {
  const { scope } = change
  const contents = await contentsOf(scope, backs)
  const release = await scope
    .insert('releases', {
      id: randomUUIDv7(),
      project_id: of.project_id,
      number: await nextNumber(scope, of.project_id),
      kind: 'rollback',
      status: 'approved',
      title,
      description,
      acknowledge_breaking: true,
      content_digest: createHash('sha256')
        .update(stringifyJson(contents.map(({ name, digest }) => [name, digest])))
        .digest('hex'),
      rollback_of: of.id,
      authors: [],
      tests: null,
      execution_id: null,
      created_by: actor.id,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await storeParts(scope, release.id, backs, contents)
  const data = { rollback_of: of.id }
  await appendEvent(change, release, { type: 'release_created', actor, status: release.status, data })
  await change.audit({
    action: 'release.created',
    object: nameOf(release),
    after: auditedOf(release),
    projectId: release.project_id,
  })
  return release
}

async function storeParts(
  scope: Scope,
  release_id: string,
  backs: readonly Back[],
  contents: readonly Content[],
): Promise<void> {
  if (contents.length > 0)
    await scope
      .insert(
        'release_contents',
        contents.map((content, position) => ({ ...content, release_id, position })),
      )
      .execute()
  for (const { environment, targets } of backs) {
    const environment_id = environment.id
    const { name, position } = environment
    await scope.insert('release_environments', { release_id, environment_id, name, position }).execute()
    for (const { diff, contract, base_contract, from: _, ...target } of targets)
      await scope
        .insert('release_targets', {
          ...target,
          release_id,
          environment_id,
          diff: stringifyJson(diff as unknown as Value),
          contract: jsonOf(contract),
          base_contract: jsonOf(base_contract),
        })
        .execute()
  }
}

const jsonOf = (value: Value | null) => (value === null ? null : stringifyJson(value))

/** A row of `release_contents` that is to be made. */
interface Content {
  readonly name: string
  readonly digest: string | null
  readonly version: string | null
  readonly from_seq: number | null
  readonly ruleset: string | null
  readonly sub_rules: string
  readonly contract: string | null
  readonly suites: string
}

/** Each content that some environment gets back, once, with the copies of the release that it came with. */
async function contentsOf(scope: Scope, backs: readonly Back[]): Promise<readonly Content[]> {
  const wanted = new Map(
    backs.flatMap(({ targets }) => targets).map((target) => [`${target.name}\n${target.digest}`, target]),
  )
  return Promise.all([...wanted.values()].map((target) => contentOf(scope, target)))
}

async function contentOf(scope: Scope, { name, digest, version, from, contract }: BackTarget): Promise<Content> {
  const copy =
    from === null
      ? undefined
      : await scope
          .read('release_contents')
          .selectFrom('release_contents')
          .selectAll()
          .where('release_id', '=', from)
          .where('name', '=', name)
          .where('digest', '=', digest)
          .executeTakeFirst()
  return {
    name,
    digest,
    version,
    from_seq: copy?.from_seq ?? null,
    ruleset: jsonOf(copy?.ruleset ?? null),
    sub_rules: stringifyJson(copy?.sub_rules ?? []),
    contract: jsonOf(copy?.contract ?? contract),
    suites: stringifyJson(copy?.suites ?? []),
  }
}

/** What the environments that a release has reached get back: those that it changed, and the one where it is in its canary. */
async function backsOf(
  scope: Scope,
  release: ReleaseRow,
  execution: ExecutionRow | undefined,
): Promise<readonly Back[]> {
  const changed = await scope
    .read('live_history')
    .selectFrom('live_history')
    .select('environment_id')
    .distinct()
    .where('release_id', '=', release.id)
    .execute()
  const reached = new Set([
    ...changed.map(({ environment_id: id }) => id),
    ...(execution?.environment_id == null ? [] : [execution.environment_id]),
  ])
  const environments = (await environmentsOf(scope, release.id)).filter(({ id }) => reached.has(id))
  return Promise.all(
    environments.map(async (environment) => ({
      environment,
      targets: (await targetsOf(scope, release.id, environment.id)).map((target) => backOf(target, release.id)),
    })),
  )
}

/** The way back of a target. */
function backOf(target: Target, release: string): BackTarget {
  const { name, digest, version, contract, base_digest, base_version, base_release_id, base_contract } = target
  return {
    name,
    digest: base_digest,
    version: base_version,
    contract: base_contract,
    base_digest: digest,
    base_version: version,
    base_release_id: digest === null ? null : release,
    base_contract: contract,
    from: base_release_id,
    // Written by the feature of releases, in this form.
    diff: inverted(
      target.diff as unknown as Diff,
      digest === null ? null : { version: version ?? '', digest, release_id: release },
      base_digest === null,
    ),
  }
}

/** What differs on the way back. */
function inverted(diff: Diff, base: Diff['base'], removed: boolean): Diff {
  return {
    ...diff,
    base,
    removed,
    steps_added: diff.steps_removed,
    steps_removed: diff.steps_added,
    branches_changed: diff.branches_changed.map(({ change, changes, ...branch }) => ({
      ...branch,
      change: change === 'added' ? 'removed' : change === 'removed' ? 'added' : change,
      changes: changes.map(({ path, before, after }) => ({ path, before: after, after: before })),
    })),
    contract: null,
  }
}

const hasBaseline = (backs: readonly Back[]) =>
  backs.some(({ targets }) => targets.some(({ digest }) => digest !== null))

/** Whether what it made live is live still, its own rollbacks aside. */
async function isNewest(scope: Scope, release: ReleaseRow, backs: readonly Back[]): Promise<boolean> {
  const own = await scope
    .read('releases')
    .selectFrom('releases')
    .select('id')
    .where('rollback_of', '=', release.id)
    .execute()
  const ids = new Set([release.id, ...own.map(({ id }) => id)])
  for (const { environment } of backs) {
    const later = await scope
      .read('live_history')
      .selectFrom('live_history')
      .select(['release_id', 'name'])
      .where('environment_id', '=', environment.id)
      .orderBy('at', 'desc')
      .execute()
    const mine = new Set(later.filter(({ release_id }) => release_id === release.id).map(({ name }) => name))
    for (const name of mine) {
      const newest = later.find((row) => row.name === name)
      if (newest !== undefined && !ids.has(newest.release_id)) return false
    }
  }
  return true
}

/** End the execution of a release that is rolled back while it is on its way. */
export async function stopFor(rollout: Rollout, reason: string | undefined): Promise<void> {
  const { change, execution } = rollout
  if (execution.ended_at !== null) return
  const { columns, waitMs } = await endEarly(rollout, 'failed', reason ?? 'it is rolled back')
  await change.scope
    .update('release_executions')
    .set({ ...columns, next_run_at: databaseLater(waitMs ?? 0) })
    .where('id', '=', execution.id)
    .execute()
}

/** The last execution of a release; undefined: there was none. */
export async function lastExecution(
  change: Change,
  { execution_id: id }: Pick<ReleaseRow, 'execution_id'>,
): Promise<ExecutionRow | undefined> {
  return id === null ? undefined : executionBy(change, id)
}
