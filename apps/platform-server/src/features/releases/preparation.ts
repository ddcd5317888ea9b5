import type { Caller } from '../../access/caller.ts'
import type { Analyses } from '../../compute/analyses.ts'
import type { Compute, TaskSignal } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { TestRun } from '../test-suites/model.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import type { Requirement } from './approvals.ts'
import { analyzeRelease, type ReleaseAnalysis } from './analysis.ts'
import { runAttached } from './attached-tests.ts'
import { authorsOf } from './authors.ts'
import { diffsOf, type Target } from './live-comparison.ts'
import { contentDigest, type Copy, copyOf } from './snapshot.ts'
import { liveIn } from './live.ts'
import type { Diff, ReleaseRequest } from './model.ts'
import { failing, faults, type Blocker, taken, unacknowledged, weakContracts } from './blockers.ts'
import { findWanted, type Found } from './request.ts'
import { askedFor } from './requirements.ts'
import { unmetBehavior } from './unmet-behavior.ts'

export interface ReleaseParts {
  readonly database: Database
  readonly compute: Compute
  readonly analyses: Analyses
  readonly basePath: string
}

/** All parts of a release before it is stored. */
export interface Prepared {
  readonly environments: readonly EnvironmentRow[]
  readonly copies: readonly Copy[]
  readonly removed: readonly string[]
  readonly targets: readonly Target[]
  readonly diffs: readonly Diff[]
  readonly analysis: ReleaseAnalysis
  readonly requirements: readonly Requirement[]
  /** Null if the policies require no tests. */
  readonly tests: TestRun | null
  readonly authors: readonly string[]
  readonly contentDigest: string
  /** Empty if the release can be created. */
  readonly obstacles: readonly Blocker[]
}

/**
 * Computes a release: its contents, its changes by environment, and its required approvals. Throws 400 for unknown
 * names.
 *
 * @param signal cancels its analyses
 */
export async function prepare(
  parts: ReleaseParts,
  place: InProject,
  caller: Caller,
  request: ReleaseRequest,
  signal?: TaskSignal,
): Promise<Prepared> {
  const { compute } = parts
  const { scope } = place.member
  const found = await findWanted(place, caller, request)
  const copies: Copy[] = []
  for (const one of found.rulesets)
    if (one.kind === 'save') copies.push(await copyOf(compute, scope, place.project.id, one))
  const removed = found.rulesets.filter(({ kind }) => kind === 'removal').map(({ name }) => name)
  const targets = await targetsOf(place, found, copies)
  const diffs = await diffsOf({ ...parts, scope }, targets)
  const breaking = diffs.filter(({ contract }) => contract?.breaking === true)
  const asked = await askedFor(scope, place.project.id, found.environments, breaking.length > 0)
  const sound = copies.filter(({ document }) => document !== undefined)
  const tests = asked.runsTests ? await runAttached(compute, sound) : null
  const behaviors = { copies, targets, required: asked.behaviors }
  const analysis = await analyzeRelease(parts, place, behaviors, signal)
  return {
    environments: found.environments,
    copies,
    removed,
    targets,
    diffs,
    analysis,
    requirements: asked.requirements,
    tests,
    authors: await authorsOf(scope, place.project.id, targets, caller.id),
    contentDigest: await contentDigest(copies, removed),
    obstacles: [
      ...faults(copies, found),
      ...failing(tests),
      ...(request.acknowledge_breaking === true ? [] : unacknowledged(breaking)),
      ...weakContracts(copies, asked.contractModes, found),
      ...unmetBehavior(analysis, asked.behaviors, found),
      ...(await taken(scope, found)),
    ],
  }
}

async function targetsOf(
  { member: { scope } }: InProject,
  { environments, rulesets }: Found,
  copies: readonly Copy[],
): Promise<readonly Target[]> {
  const names = rulesets.map(({ name }) => name)
  const live = new Map(
    (await liveIn(scope, environments, names)).map((one) => [`${one.environmentId} ${one.name}`, one]),
  )
  const byName = new Map(copies.map((copy) => [copy.name, copy]))
  const targets = environments.flatMap((environment) =>
    names.map((name): Target => {
      const present = live.get(`${environment.id} ${name}`)
      return { environment, name, live: present, copy: byName.get(name) }
    }),
  )
  const changing = targets.filter((target) => target.copy !== undefined || target.live !== undefined)
  for (const [index, name] of names.entries())
    if (!changing.some((target) => target.name === name))
      throw failures.invalid(`/rulesets/${index}/remove`, `is in vain: \`${name}\` is live in none of the environments`)
  return changing
}
