import { randomUUIDv7 } from 'node:crypto'
import { NO_ID } from '../../database/org-id.ts'
import type { Author } from '../../database/audit.ts'
import type { Change, Database } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import type { ObjectValue } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { candidateName } from '../engines/candidate-names.ts'
import { contentsOf, keepContent } from '../engines/contents.ts'
import { changeState } from '../releases/state-change.ts'
import type { ReleaseRow } from '../releases/events.ts'
import type { Viewer } from '../releases/view.ts'
import type { Conditions } from '../releases/states.ts'
import { environmentsOf, liveIn, targetsOf } from './target-environments.ts'
import { type ExecutionRow, type Progress, progressColumn } from './rollout-state.ts'

/** Woken when an execution is due immediately. */
export const ROLLOUTS_TOPIC = 'rollouts'

/** The parameters of a new execution. */
interface Start {
  readonly actor: Author['actor']
  readonly viewer?: Viewer
  readonly conditions: Conditions
  readonly progress: Progress
  readonly emergencyReason?: string | undefined
}

/** Schedules the execution of a release for the job, under the lock of the organization. Throws 409. */
export async function startExecution(
  change: Change,
  release: ReleaseRow,
  { actor, viewer, conditions, progress, emergencyReason }: Start,
): Promise<ExecutionRow> {
  const [first] = await environmentsOf(change.scope, release.id)
  const id = randomUUIDv7()
  const execution = await change.scope
    .insert('release_executions', {
      id,
      release_id: release.id,
      status: 'running',
      step: 'preflight',
      environment_id: first?.id ?? null,
      stage: null,
      ...progressColumn(progress),
      emergency_reason: emergencyReason ?? null,
      error: null,
      started_by: actor.id,
      ended_at: null,
      lease_until: null,
      // Due immediately, by any clock.
      next_run_at: new Date(0),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await changeState(change, release, 'execute', {
    actor,
    ...(viewer === undefined ? {} : { viewer }),
    conditions,
    columns: { execution_id: id },
    executionId: id,
    data: { emergency_reason: emergencyReason ?? null, expected: shownTransitions(progress) },
  })
  await change.wake(ROLLOUTS_TOPIC)
  return execution
}

/** Expected transitions in the form of events and the audit. */
const shownTransitions = ({ expected = [] }: Progress) =>
  expected.map(({ from, to, share = null }) => ({ from, to, share }))

/** True if no other release is being executed in one of these environments. */
export async function isIdle(scope: Scope, release: string, environments: readonly string[]): Promise<boolean> {
  const busy = await scope
    .read('release_executions', 'release_environments')
    .selectFrom('release_executions as x')
    .innerJoin('release_environments as e', 'e.release_id', 'x.release_id')
    .select('x.id')
    .where('x.status', 'in', ['running', 'paused'])
    .where('x.release_id', '<>', release)
    .where('e.environment_id', 'in', [...environments, NO_ID])
    .executeTakeFirst()
  return busy === undefined
}

/** True if the live contents are the base of the release, or already its own. */
export async function isBaseLive(scope: Scope, release: string, environments: readonly string[]): Promise<boolean> {
  for (const environment of environments) {
    const targets = await targetsOf(scope, release, environment)
    const live = await liveIn(scope, environment, targets)
    for (const { name, base_digest, digest } of targets) {
      const present = live.get(name) ?? null
      if (present !== base_digest && present !== digest) return false
    }
  }
  return true
}

/**
 * The contents of candidates: those of the release under separate names, so that one engine can hold both and a signature
 * covers the name.
 */
export async function candidateDocuments(
  database: Database,
  scope: Scope,
  { id, number }: Pick<ReleaseRow, 'id' | 'number'>,
): Promise<readonly { readonly name: string; readonly candidate: string; readonly document: RulesetDocument }[]> {
  const targets = (await targetsOf(scope, id)).flatMap(({ name, digest, base_digest }) =>
    digest === null || base_digest === null || digest === base_digest ? [] : [[name, digest] as const],
  )
  const documents = await contentsOf(
    database,
    targets.map(([, digest]) => digest),
  )
  return Array.from(new Map(targets), ([name, digest]) => {
    const document = documents.get(digest)
    if (document === undefined) throw new Error(`there is no content ${digest}`)
    const candidate = candidateName(name, number)
    return { name, candidate, document: renamed(document, candidate) }
  })
}

/** Stores the contents of candidates, by name. Called before the change, since contents belong to no organization. */
export async function keepCandidates(
  database: Database,
  scope: Scope,
  release: Pick<ReleaseRow, 'id' | 'number'>,
): Promise<Readonly<Record<string, string>>> {
  const candidates: Record<string, string> = {}
  for (const { name, document } of await candidateDocuments(database, scope, release))
    candidates[name] = await keepContent(database, document)
  return candidates
}

const renamed = (document: RulesetDocument, name: string): RulesetDocument => ({
  ...document,
  config: { ...(document['config'] as ObjectValue), name },
})
