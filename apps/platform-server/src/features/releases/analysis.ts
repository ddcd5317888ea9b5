import { addReplayed, type GateResult, maxChangedGate, NOTHING_REPLAYED, type Replayed } from '@engine/analysis'
import { isList, isObject } from '@engine/expression'
import { jsonText } from '@engine/process'
import { type KnownImpact, type KnownReport, unknownImpact, unknownReport } from '../../compute/analyses.ts'
import type { TaskSignal } from '../../compute/compute.ts'
import type { ExampleInput, SuiteMeasure, SuiteShare, Transition } from '../../compute/tasks.ts'
import { exampleInputs } from '../drafts/example-inputs.ts'
import { contentTexts } from '../engines/contents.ts'
import type { InProject } from '../projects/project-scope.ts'
import { decisionRows, replayable } from '../recording/repository.ts'
import type { Target } from './live-comparison.ts'
import type { ReleaseParts } from './preparation.ts'
import type { RequiredBehavior } from './requirements.ts'
import type { Copy } from './snapshot.ts'

/** The analysis of a released ruleset. */
export interface RulesetAnalysis extends KnownReport {
  readonly ruleset: string
  /** Null if no policy requires coverage, or the cases could not be measured. */
  readonly coverage: Readonly<Record<SuiteMeasure, SuiteShare>> | null
}

/** A difference with the number of recorded decisions in each of its regions, which is absent if none were replayed. */
interface ComparedDiff extends Omit<KnownImpact['diff'], 'regions'> {
  readonly regions: readonly (KnownImpact['diff']['regions'][number] & { readonly recorded?: number })[]
}

/** The changes of one ruleset in one environment. */
export interface TargetImpact extends Pick<KnownImpact, 'probes'> {
  readonly diff: ComparedDiff
  readonly environment: string
  readonly ruleset: string
  readonly base: { readonly version: string; readonly digest: string; readonly release_id: string | null }
  /** Null if they could not be replayed within the limits. */
  readonly records: Replayed | null
  /** The requirements of the environment's policy, and whether they are met. */
  readonly gates: readonly GateResult[]
}

/** The behavior of a release. */
export interface ReleaseAnalysis {
  readonly analyses: readonly RulesetAnalysis[]
  readonly impacts: readonly TargetImpact[]
}

/** Work for all analyses of a release, in assignments; maximum and minimum for one of them. */
const [BUDGET, MAX_BUDGET, MIN_BUDGET] = [40_000_000, 5_000_000, 100_000] as const
/** Time after which the remaining analyses of a release are reported as unknown. */
const MAX_ANALYSIS_MS = 20_000
/** Maximum number of recorded decisions that are replayed: per ruleset and environment, and in total. */
const [MAX_PER_TARGET, MAX_TOTAL] = [1000, 10_000] as const

type Parts = Pick<ReleaseParts, 'database' | 'analyses'>

/**
 * Analyse the rulesets of a release, and compare them with the live content of its environments, for all inputs and over the
 * latest recorded decisions. Sequential, so that one release uses one thread.
 */
export async function analyzeRelease(
  parts: Parts,
  place: InProject,
  {
    copies,
    targets,
    required,
  }: {
    readonly copies: readonly Copy[]
    readonly targets: readonly Target[]
    readonly required: readonly RequiredBehavior[]
  },
  signal?: TaskSignal,
): Promise<ReleaseAnalysis> {
  const sound = copies.filter(({ document }) => document !== undefined)
  const compared = targets.filter(({ live, copy }) => live !== undefined && copy?.document !== undefined)
  const count = Math.max(1, sound.length + compared.length)
  const budget = Math.min(MAX_BUDGET, Math.max(MIN_BUDGET, Math.floor(BUDGET / count)))
  const end = performance.now() + MAX_ANALYSIS_MS
  const run: Run = { parts, budget, signal, seeds: new Map(), isOver: () => performance.now() > end }
  const analyses: RulesetAnalysis[] = []
  for (const copy of sound) {
    run.seeds.set(copy.name, await exampleInputs(place.member.scope, copy.draftId))
    analyses.push(await analyzeCopy(run, copy, required))
  }
  const texts = await contentTexts(
    parts.database,
    compared.flatMap(({ live }) => (live === undefined ? [] : [live.digest])),
  )
  const impacts: TargetImpact[] = []
  let left: number = MAX_TOTAL
  for (const target of compared) {
    const impact = await compareTarget(run, place, target, {
      texts,
      required,
      targets: compared,
      most: Math.min(MAX_PER_TARGET, left),
    })
    left -= impact.records?.total ?? 0
    impacts.push(impact)
  }
  return { analyses, impacts }
}

interface Run {
  readonly parts: Parts
  readonly budget: number
  readonly signal: TaskSignal | undefined
  /** Inputs of saved tests, by ruleset. */
  readonly seeds: Map<string, readonly ExampleInput[]>
  readonly isOver: () => boolean
}

const LATE = 'the analyses of the other rulesets of the release took all the time'

async function analyzeCopy(
  { parts: { analyses }, budget, signal, seeds, isOver }: Run,
  { name, subject, suites }: Copy,
  required: readonly RequiredBehavior[],
): Promise<RulesetAnalysis> {
  const report = isOver()
    ? unknownReport(LATE)
    : await analyses.report({ subject, seeds: seeds.get(name) ?? [], budget, signal })
  if ('problems' in report) throw new Error('a copy with errors was analysed')
  const isMeasured = required.some(({ coverage }) => coverage !== null) && !isOver()
  const cases = suites.flatMap((suite) => (isList(suite.cases) ? suite.cases.filter(isObject) : []))
  const times = cases.map(({ now }) => (typeof now === 'string' ? Date.parse(now) : 0))
  const inputs = cases.map(({ input = {} }) => input)
  const coverage = isMeasured ? await analyses.measures({ subject, inputs, times }, signal) : undefined
  return { ruleset: name, ...report, coverage: coverage ?? null }
}

async function compareTarget(
  { parts: { analyses }, budget, signal, seeds, isOver }: Run,
  place: InProject,
  { environment, name, live, copy }: Target,
  {
    texts,
    required,
    targets,
    most,
  }: {
    readonly texts: ReadonlyMap<string, string>
    readonly required: readonly RequiredBehavior[]
    readonly targets: readonly Target[]
    readonly most: number
  },
): Promise<TargetImpact> {
  if (live === undefined || copy === undefined) throw new Error('nothing to compare')
  const { digest, version, releaseId: release_id } = live
  const base = { digest, text: texts.get(digest) ?? '' }
  const { subject, document } = copy
  const candidateText = document === undefined ? '' : await jsonText(document)
  // Environments with the same content share a comparison, which checks the forbidden changes of all of them.
  const sharing = targets.filter((one) => one.name === name && one.live?.digest === digest)
  const forbid = required
    .filter(({ environmentId }) => sharing.some((one) => one.environment.id === environmentId))
    .flatMap((one) => one.forbid.map(transitionOf))
  const impact = isOver()
    ? unknownImpact(LATE, forbid)
    : await analyses.impact({ subject, seeds: seeds.get(name) ?? [], budget, signal }, base, forbid)
  if ('problems' in impact) throw new Error('a copy with errors was compared')
  const regions = impact.diff.regions.map(({ condition }) => condition)
  const made = isOver()
    ? undefined
    : await replayed(analyses, place, { environment, name, base, candidateText, regions, most }, signal)
  const records = made?.replayed ?? null
  const own = required.find(({ environmentId }) => environmentId === environment.id)
  const gates = impact.gates.filter(({ gate }) => own?.forbid.includes(gate) === true)
  const share = own?.maxChanged ?? null
  return {
    environment: environment.name,
    ruleset: name,
    base: { version, digest, release_id },
    diff: {
      ...impact.diff,
      regions: impact.diff.regions.map((region, index) => ({
        ...region,
        ...(made !== undefined && made.replayed.replayed > 0 && { recorded: made.inRegions[index] ?? 0 }),
      })),
    },
    probes: impact.probes,
    records,
    gates: share === null ? gates : [...gates, maxChangedGate(share / 100, records ?? undefined)],
  }
}

function transitionOf(text: string): Transition {
  const [from = '', to = ''] = text.split('->')
  return { from, to }
}

/**
 * The latest recorded decisions of a ruleset in an environment, and the number of changed ones in each region;
 * undefined if the limits do not suffice.
 */
async function replayed(
  analyses: Parts['analyses'],
  { member: { scope }, project }: InProject,
  {
    environment,
    name: ruleset,
    base,
    candidateText,
    regions,
    most,
  }: {
    readonly environment: Target['environment']
    readonly name: string
    readonly base: { readonly text: string }
    readonly candidateText: string
    readonly regions: readonly string[]
    readonly most: number
  },
  signal: TaskSignal | undefined,
): Promise<{ readonly replayed: Replayed; readonly inRegions: readonly number[] } | undefined> {
  const filter = { project: project.id, ruleset, environments: [environment.id], code: undefined }
  let sums = NOTHING_REPLAYED
  let inRegions: readonly number[] = regions.map(() => 0)
  if (most <= 0) return { replayed: sums, inRegions }
  for await (const piece of decisionRows(scope, { ...filter, from: undefined, to: undefined })) {
    const taken = piece.slice(0, most - sums.total)
    const outcome = await analyses.replay({ baseText: base.text, candidateText, ...replayable(taken), regions }, signal)
    if (outcome.kind === 'over') return undefined
    const { result } = outcome
    sums = addReplayed(sums, result.replayed)
    inRegions = inRegions.map((count, index) => count + (result.inRegions[index] ?? 0))
    if (sums.total >= most) break
  }
  return { replayed: sums, inRegions }
}
