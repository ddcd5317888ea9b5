import type { ReviewTexts } from '../texts/en/review.ts'
import type { Effect } from './effects.ts'
import { codeOf } from '../releases/results.ts'

/**
 * An effect as one sentence. `isPlaced`: the release has several rulesets or environments, so the sentence names those
 * of the effect.
 */
export function effectText(effect: Effect, words: ReviewTexts, isPlaced: boolean): string {
  switch (effect.kind) {
    case 'tests_fail':
      return words.effects.tests_fail(effect.failed, effect.total)
    case 'contract':
      return words.effects.contract(effect.ruleset, effect.breaks)
    case 'fails':
    case 'code':
    case 'may_fail':
    case 'decided':
    case 'other': {
      const { kind, ruleset, environment, replayed, transition } = effect
      const { from, to, count } = transition
      const change = words.transitions[kind](codeOf(from), codeOf(to))
      const extent = count === 0 ? words.possible(replayed) : words.recordedOf(count, replayed)
      return words.sentence(change, extent, isPlaced ? words.place(ruleset, environment) : '')
    }
    default:
      return words.effects[effect.kind](effect.ruleset, effect.environment)
  }
}
