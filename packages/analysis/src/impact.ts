import type { Ruleset } from '@engine/ruleset'
import { Comparison, type DiffOptions } from './diff.ts'
import type { DecisionRecord } from './decision-record.ts'
import { replay, type Replayed } from './replay.ts'
import type { Diff, Verdict, Witness } from './verdict.ts'

/** A requirement of a change, and whether it is met. */
export interface GateResult {
  /** The requirement in the caller's words: `DENY->ALLOW`, `max-changed 2%`. */
  readonly gate: string
  /** `proved`: it is met. */
  readonly verdict: Verdict
  readonly witness?: Witness
}

/** Everything that is known of a change. */
export interface Impact {
  readonly diff: Diff
  /** Inputs near constants that were executed because the comparison left something open. */
  readonly probes: { readonly asked: number; readonly changed: number }
  readonly records?: Replayed
  readonly gates: readonly GateResult[]
}

export interface ImpactOptions extends DiffOptions {
  readonly records?: readonly DecisionRecord[]
  /** Changes of code that must be proved absent; `*` is any code. */
  readonly forbid?: readonly { readonly from: string; readonly to: string }[]
  /** The largest share of records whose decision may change. If there are no records, the verdict is unknown. */
  readonly maxChanged?: number
}

/** The difference of two versions, over all inputs and over records, held to requirements. */
export function impact(before: Ruleset, after: Ruleset, options: ImpactOptions = {}): Impact {
  const { records, forbid = [], maxChanged } = options
  const seeds = [...(options.seeds ?? []), ...(records ?? []).slice(0, MAX_SEEDS).map(({ input }) => input)]
  const comparison = new Comparison(before, after, { ...options, seeds })
  const diff = comparison.result()
  const replayed = records === undefined ? undefined : replay(before, after, records, options.callees)
  const gates: GateResult[] = forbid.map(({ from, to }) => ({
    gate: `${from}->${to}`,
    ...comparison.forbids(from, to),
  }))
  if (maxChanged !== undefined) gates.push(maxChangedGate(maxChanged, replayed))
  return { diff, probes: comparison.probes, ...(replayed === undefined ? {} : { records: replayed }), gates }
}

/** Records that the comparison begins with. */
const MAX_SEEDS = 1000

/** Whether at most a share of the replayed decisions changes; unknown when none was replayed. */
export function maxChangedGate(most: number, replayed: Replayed | undefined): GateResult {
  const gate = `max-changed ${+(most * 100).toPrecision(12)}%`
  if (replayed === undefined || replayed.replayed === 0) return { gate, verdict: 'unknown' }
  const input = replayed.transitions[0]?.examples[0]
  if (replayed.share <= most) return { gate, verdict: 'proved' }
  return { gate, verdict: 'refuted', ...(input === undefined ? {} : { witness: { input } }) }
}
