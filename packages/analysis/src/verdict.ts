import type { Value } from '@engine/expression'
import type { Stub } from './witness/stubs.ts'
import type { Side } from './witness/trail.ts'

/** Whether a claim holds: for every input, not for the witness, or it is not known. */
export type Verdict = 'proved' | 'refuted' | 'unknown'

/** An input that was executed. */
export interface Witness {
  readonly input: { readonly [key: string]: Value }
  /** Epoch milliseconds for `now()`. */
  readonly now?: number
  /** The answers of external calls, in order: a call takes the first of its service, method and parameters that was not used yet. */
  readonly stubs?: readonly Stub[]
}

export type Severity = 'error' | 'warning' | 'info'

export const FINDING_KINDS = [
  'dead_branch',
  'shadowed',
  'always_true',
  'unreachable_step',
  'unreachable_code',
  'gap',
  'overlap',
  'can_fail',
  'endless_loop',
  'depth_limit',
  'contract',
] as const

/** One claim about one place. `place` is a JSON pointer into the ruleset's document. */
export interface Finding {
  readonly kind: (typeof FINDING_KINDS)[number]
  readonly place: string
  readonly verdict: Verdict
  readonly severity: Severity
  /** Of `shadowed`: the earlier branches that take all its inputs; none of them can be omitted. Of `overlap`: the other row. */
  readonly by?: readonly string[]
  /** Of `unreachable_code` and `contract`: the result code. */
  readonly code?: string
  /** Of `can_fail`: the code of the error. */
  readonly error?: string
  readonly witness?: Witness
  /** The author intends it: the reason, the person and the time (RFC 3339). */
  readonly acknowledged?: { readonly reason: string; readonly author?: string; readonly at?: string }
  /** For people; of `unknown`, why it is not known. */
  readonly reason?: string
}

/** Whether a finding is a mistake of the author: an error or a warning that is certain and not acknowledged. */
export function isFault({ verdict, severity, acknowledged }: Finding): boolean {
  return verdict !== 'unknown' && severity !== 'info' && acknowledged === undefined
}

/** How many claims were looked at, by verdict. */
export interface Questions {
  readonly proved: number
  readonly refuted: number
  readonly unknown: number
}

/** The result of analysing one ruleset. */
export interface Report {
  readonly ruleset: string
  /** `any`: every JSON object. `contract`: only inputs that the given domain allows. */
  readonly domain: 'any' | 'contract'
  readonly findings: readonly Finding[]
  readonly questions: Questions
  /** The budget ended before all questions were answered. */
  readonly truncated: boolean
}

/** Inputs for which two versions differ in the same way. */
export interface Region {
  /**
   * In words of the language. Alternatives between `||` count by themselves: one that fails does not hold. Where `complete` is
   * false, it describes some inputs that change like this, as far as the analysis knows.
   */
  readonly condition: string
  /**
   * Proved: the condition holds for all inputs of the domain that change from the result `before` to the result `after`, and no others. Where
   * an output or a message is computed, results with the same code are one, and `before` and `after` are those of the witness.
   */
  readonly complete: boolean
  readonly before: Side
  readonly after: Side
  readonly witness: Witness
}

export interface Diff {
  readonly verdict: 'equivalent' | 'different' | 'unknown'
  readonly regions: readonly Region[]
  /** No input that was decided before is decided otherwise now: only what failed before changes. */
  readonly only_adds: Verdict
  /** Every input whose result changes fails now. */
  readonly only_removes: Verdict
  /** No input that was decided before fails now. */
  readonly no_new_failure: Verdict
  readonly unknown: readonly { readonly place: string; readonly reason: string }[]
  readonly truncated: boolean
}
