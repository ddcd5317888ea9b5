import type { EvaluationPolicy } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import type { Encoder } from '../formula/encoder.ts'
import { CallAnswers, type CallModel } from '../graph/call-answers.ts'
import { decimalResult } from './decimal-intervals.ts'
import { Guesses } from './guesses.ts'
import type { DecimalResult } from './intervals.ts'
import type { Candidate } from './model.ts'
import { played } from './played.ts'
import { Steering, type SteeredValues } from './steering.ts'
import { type ModelValues, Wishes } from './wishes.ts'

/** How inputs are searched for what comparisons with constants do not decide. */
export interface FurtherSearch {
  readonly wishes: (encoder: Encoder, values: ModelValues) => Wishes
  readonly steering: (encoder: Encoder, values: SteeredValues) => Steering
  readonly guesses: (rulesets: readonly Ruleset[]) => Guesses
  readonly calls: (encoder: Encoder, ruleset: Ruleset, policy: EvaluationPolicy) => CallModel
  readonly decimalResult: DecimalResult
  readonly played: (candidate: Candidate, calls: Encoder['calls']) => Candidate
}

/** The search for arguments of functions and computations, guesses near known inputs, answers of external calls, and the bounds of decimal computations. */
export const furtherSearch: FurtherSearch = {
  wishes: (encoder, values) => new Wishes(encoder, values),
  steering: (encoder, values) => new Steering(encoder, values),
  guesses: (rulesets) => new Guesses(rulesets),
  calls: (encoder, ruleset, policy) => new CallAnswers(encoder, ruleset, policy),
  decimalResult,
  played,
}
