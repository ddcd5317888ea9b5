import type { Impact } from '@engine/analysis'
import { jsonText } from '@engine/process'
import { ANALYSIS_LIMITS, Compute, type Outcome, type TaskSignal } from './compute.ts'
import { digestOfCheck, digestOfTexts } from './check-digest.ts'
import type {
  AnalyzeTask,
  DraftReport,
  ExampleInput,
  ImpactTask,
  MeasureTask,
  ReplayTask,
  Results,
  SentSubject,
  SuiteMeasure,
  SuiteShare,
  Transition,
  Unexecuted,
} from './tasks.ts'

/** Maximum number of cached results. */
const MAX_CACHED = 100
/** Default work for one draft, in assignments: a second or two. */
const DEFAULT_BUDGET = 5_000_000

/** A draft to analyse. */
export interface AnalyzedDraft {
  readonly subject: SentSubject
  /** Inputs with which the search starts, such as those of saved tests. */
  readonly seeds: readonly ExampleInput[]
  /** Default `DEFAULT_BUDGET`. */
  readonly budget?: number
  /** Cancels the analysis. */
  readonly signal?: TaskSignal | undefined
}

/** The draft has errors. */
type Broken = Unexecuted

/** The analysis of a draft; `reason` explains why there is no result. */
export type KnownReport = DraftReport & { readonly reason: string | null }

/** The comparison of live content with a draft. */
export type KnownImpact = Omit<Impact, 'records'>

/**
 * Analyses of drafts on a separate thread, so that they do not delay requests that check and try drafts. Completed
 * analyses are cached by their content; a thread that takes too long is replaced, and the result is unknown.
 */
export class Analyses {
  readonly #compute: Compute
  readonly #reports = new RecentResults<Results['analyze']>()
  readonly #impacts = new RecentResults<Results['impact']>()

  constructor(compute = new Compute(ANALYSIS_LIMITS)) {
    this.#compute = compute
  }

  /** The findings of a draft. */
  async report({ subject, seeds, budget = DEFAULT_BUDGET, signal }: AnalyzedDraft): Promise<KnownReport | Broken> {
    const key = `analyze ${budget} ${await digestOf(subject, seeds)}`
    const task: AnalyzeTask = { kind: 'analyze', subject, seeds, budget }
    const outcome = await this.#reports.get(key, () => this.#compute.run(task, signal))
    if (outcome.kind === 'over') return unknownReport(outcome.message)
    return outcome.result.kind === 'problems' ? outcome.result : { ...outcome.result.report, reason: null }
  }

  /**
   * The difference between live content and a draft.
   *
   * @param base its digest and its text in the format of engines
   * @param forbid changes of code to prove absent: `gates` has one entry per change
   */
  async impact(
    { subject, seeds, budget = DEFAULT_BUDGET, signal }: AnalyzedDraft,
    base: { readonly digest: string; readonly text: string },
    forbid: readonly Transition[] = [],
  ): Promise<KnownImpact | Broken> {
    const key = `impact ${budget} ${base.digest} ${JSON.stringify(forbid)} ${await digestOf(subject, seeds)}`
    const task: ImpactTask = { kind: 'impact', subject, seeds, baseText: base.text, forbid, budget }
    const outcome = await this.#impacts.get(key, () => this.#compute.run(task, signal))
    if (outcome.kind === 'over') return unknownImpact(outcome.message, forbid)
    return outcome.result.kind === 'problems' ? outcome.result : outcome.result.impact
  }

  /**
   * Recorded decisions of both versions, and the number of changed ones in each region; or why the limits do not
   * suffice.
   */
  replay(task: Omit<ReplayTask, 'kind'>, signal?: TaskSignal): Promise<Outcome<Results['replay']>> {
    return this.#compute.run({ kind: 'replay', ...task }, signal)
  }

  /** How thoroughly cases test a draft; undefined if the limits do not suffice. */
  async measures(
    task: Omit<MeasureTask, 'kind' | 'budget'>,
    signal?: TaskSignal,
  ): Promise<Readonly<Record<SuiteMeasure, SuiteShare>> | undefined> {
    const outcome = await this.#compute.run({ kind: 'measure', ...task, budget: DEFAULT_BUDGET }, signal)
    return outcome.kind === 'done' && outcome.result.kind === 'measured' ? outcome.result.measures : undefined
  }

  /** Cancels running and waiting analyses. */
  close(): Promise<void> {
    return this.#compute.close()
  }
}

/** The most recent results, by the digest of their input. */
class RecentResults<Result> {
  /** The least recently used result comes first. */
  readonly #known = new Map<string, Result>()

  /** The cached result of a key, or that of `run`; failures are not cached. */
  async get(key: string, run: () => Promise<Outcome<Result>>): Promise<Outcome<Result>> {
    const known = this.#known.get(key)
    const outcome = known === undefined ? await run() : { kind: 'done' as const, result: known }
    if (outcome.kind === 'over') return outcome
    this.#known.delete(key)
    this.#known.set(key, outcome.result)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_CACHED && oldest !== undefined) this.#known.delete(oldest)
    return outcome
  }
}

const digestOf = async (subject: SentSubject, seeds: readonly ExampleInput[]) =>
  digestOfTexts([await digestOfCheck({ subject, used: new Map() }), await jsonText(seeds)])

/** The report of a draft whose analysis has no result. */
export const unknownReport = (reason: string): KnownReport => ({
  findings: [],
  questions: { proved: 0, refuted: 0, unknown: 0 },
  domain: 'any',
  truncated: true,
  reason,
})

/** The impact of a change whose comparison has no result. */
export const unknownImpact = (reason: string, forbid: readonly Transition[]): KnownImpact => ({
  diff: {
    verdict: 'unknown',
    regions: [],
    only_adds: 'unknown',
    only_removes: 'unknown',
    no_new_failure: 'unknown',
    unknown: [{ place: '', reason }],
    truncated: true,
  },
  probes: { asked: 0, changed: 0 },
  gates: forbid.map(({ from, to }) => ({ gate: `${from}->${to}`, verdict: 'unknown' })),
})
