import type { Ruleset } from '@engine/ruleset'
import type { Encoder } from '../formula/encoder.ts'
import { Guesses } from './guesses.ts'
import { Steering, type SteeredValues } from './steering.ts'
import { type ModelValues, Wishes } from './wishes.ts'

/** How inputs are searched for what comparisons with constants do not decide. */
export interface FurtherSearch {
  readonly wishes: (encoder: Encoder, values: ModelValues) => Wishes
  readonly steering: (encoder: Encoder, values: SteeredValues) => Steering
  readonly guesses: (rulesets: readonly Ruleset[]) => Guesses
}

/** The search for arguments of functions and computations, and guesses near known inputs. Only the search for witnesses needs it. */
export const furtherSearch: FurtherSearch = {
  wishes: (encoder, values) => new Wishes(encoder, values),
  steering: (encoder, values) => new Steering(encoder, values),
  guesses: (rulesets) => new Guesses(rulesets),
}
