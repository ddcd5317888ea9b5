import type { Problem } from '@engine/authoring'
import type { Caller } from '../../access/caller.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { type ConflictCode, failures, PlatformError } from '../../errors.ts'
import { refusedDocument } from '../../http/refused-document.ts'
import { hasErrors } from '../drafts/reading.ts'
import type { TestRun } from '../executions/model.ts'
import type { InProject } from '../projects/place.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import type { Requirement } from './approvals.ts'
import { runAttached } from './attached-tests.ts'
import { authorsOf } from './authors.ts'
import { diffsOf, type Target } from './compare.ts'
import { contentDigest, type Copy, copyOf } from './copies.ts'
import { liveIn, refuseTaken } from './live.ts'
import type { Diff, ReleaseRequest } from './model.ts'
import { findWanted, type Found } from './request.ts'
import { askedFor } from './requirements.ts'

export interface ReleaseParts {
  readonly database: Database
  readonly compute: Compute
  readonly basePath: string
}

/** Why a release is not made, as an error of the interface and as a problem of a preview. */
export interface Obstacle {
  readonly error: Error
  readonly problems: readonly Problem[]
}

/** Everything that a release consists of, before it is stored. */
export interface Prepared {
  readonly environments: readonly EnvironmentRow[]
  readonly copies: readonly Copy[]
  readonly removed: readonly string[]
  readonly targets: readonly Target[]
  readonly diffs: readonly Diff[]
  readonly requirements: readonly Requirement[]
  /** Null: the policies do not run them. */
  readonly tests: TestRun | null
  readonly authors: readonly string[]
  readonly contentDigest: string
  /** Empty: the release can be made. */
  readonly obstacles: readonly Obstacle[]
}

/** Work out a release: what it contains, what it changes where, and who has to agree. Throws 400 for what there is not. */
export async function prepare(
  parts: ReleaseParts,
  place: InProject,
  caller: Caller,
  request: ReleaseRequest,
): Promise<Prepared> {
  const { compute } = parts
  const { scope } = place.member
  const found = await findWanted(place, caller, request)
  const copies: Copy[] = []
  for (const one of found.rulesets)
    if (one.kind === 'save') copies.push(await copyOf(compute, scope, place.project.id, one))
  const removed = found.rulesets.filter(({ kind }) => kind === 'removal').map(({ name }) => name)
  const targets = await targetsOf(place, found, copies)
  const diffs = await diffsOf(parts, targets)
  const breaking = diffs.filter(({ contract }) => contract?.breaking === true)
  const asked = await askedFor(scope, place.project.id, found.environments, breaking.length > 0)
  const sound = copies.filter(({ document }) => document !== undefined)
  const tests = asked.runsTests ? await runAttached(compute, sound) : null
  return {
    environments: found.environments,
    copies,
    removed,
    targets,
    diffs,
    requirements: asked.requirements,
    tests,
    authors: await authorsOf(scope, place.project.id, targets, caller.id),
    contentDigest: await contentDigest(copies, removed),
    obstacles: [
      ...copies.flatMap((copy) => faulty(copy, found)),
      ...(tests !== null && tests.failed > 0 ? [failing(tests)] : []),
      ...(breaking.length > 0 && request.acknowledge_breaking !== true ? [unacknowledged(breaking)] : []),
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
  const live = await liveIn(scope, environments, names)
  const byName = new Map(copies.map((copy) => [copy.name, copy]))
  const targets = environments.flatMap((environment) =>
    names.map((name): Target => {
      const present = live.find((one) => one.environmentId === environment.id && one.name === name)
      return { environment, name, live: present, copy: byName.get(name) }
    }),
  )
  const changing = targets.filter((target) => target.copy !== undefined || target.live !== undefined)
  for (const [index, name] of names.entries())
    if (!changing.some((target) => target.name === name))
      throw failures.invalid(`/rulesets/${index}/remove`, `is in vain: \`${name}\` is live in none of the environments`)
  return changing
}

/** A ruleset with problems of severity `error` is in no release. */
function faulty({ name, document, problems }: Copy, { rulesets }: Found): readonly Obstacle[] {
  if (document !== undefined && !hasErrors(problems)) return []
  const path = `/rulesets/${rulesets.findIndex((one) => one.name === name)}`
  const shown = problems.filter(({ severity }) => severity === 'error')
  return [
    {
      error: refusedDocument(problems, path),
      problems: shown.map((problem) => ({ ...problem, path: path + problem.path })),
    },
  ]
}

/** Cases that one refusal names; further ones are only counted. */
const MOST_NAMED = 20

function failing(tests: TestRun): Obstacle {
  const failed = tests.results.filter(({ passed }) => !passed)
  const message = `${tests.failed} of ${tests.total} cases of the attached suites fail`
  const details = failed.slice(0, MOST_NAMED).map(({ suite, name, failures: why }) => ({
    path: '/rulesets',
    code: 'tests_failed',
    message: `\`${suite}\`, \`${name}\`: ${why.map((one) => one.message).join('; ')}`,
  }))
  return conflict('tests_failed', message, details, tests)
}

function unacknowledged(breaking: readonly Diff[]): Obstacle {
  const details = breaking.flatMap(({ environment, ruleset, contract }) =>
    (contract?.breaks ?? []).map(({ message }) => ({
      path: '/acknowledge_breaking',
      code: 'breaking_change',
      message: `\`${ruleset}\` in \`${environment}\`: ${message}`,
    })),
  )
  return conflict(
    'breaking_change',
    'a contract breaks: say `acknowledge_breaking` when its callers are ready',
    details.slice(0, MOST_NAMED),
    { breaks: breaking.map(({ environment, ruleset, contract }) => ({ environment, ruleset, contract })) },
  )
}

async function taken(scope: InProject['member']['scope'], found: Found): Promise<readonly Obstacle[]> {
  const names = found.rulesets.filter(({ kind }) => kind === 'save').map(({ name }) => name)
  if (names.length === 0) return []
  try {
    await refuseTaken(scope, found.environments, names)
    return []
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const problem = { path: '/environments', code: 'name_taken', message: error.message, severity: 'error' as const }
    return [{ error, problems: [problem] }]
  }
}

function conflict(
  code: ConflictCode,
  message: string,
  details: readonly { readonly path: string; readonly code: string; readonly message: string }[],
  current: unknown,
): Obstacle {
  const all = [{ path: '', code, message }, ...details]
  return {
    error: new PlatformError('conflict', message, { details: all, current }),
    problems: (details.length === 0 ? all : details).map((detail) => ({ ...detail, severity: 'error' as const })),
  }
}
