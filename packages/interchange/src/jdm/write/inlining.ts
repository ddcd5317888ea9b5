import { type DraftGraph, type DraftRuleset, type DraftStep, inlineSubRule } from '@engine/authoring'
import { at, type Place } from '@engine/ruleset'
import type { Losses } from '../../losses.ts'
import { jdmLosses } from './losses.ts'

/** Steps of a draft without sub-rules, with the place of each: an inlined step has the place of its use. */
export interface PlainSteps {
  readonly start: string | undefined
  readonly steps: ReadonlyMap<string, DraftStep>
  readonly places: ReadonlyMap<string, Place>
}

/** Maximum number of steps including those of sub-rules. */
const MAX_STEPS = 5000

/** Maximum nesting of sub-rules: more indicates recursion. */
const MAX_LEVELS = 10

/** Inlines sub-rules; undefined after a loss. Costs the resulting steps times the uses. */
export function inlinedSteps(
  draft: DraftRuleset,
  subRules: ReadonlyMap<string, DraftGraph>,
  losses: Losses,
): PlainSteps | undefined {
  const places = new Map(draft.steps.map(({ id }, index): [string, Place] => [id, at(at(undefined, 'steps'), index)]))
  const levels = new Map<string, number>()
  let now = draft
  for (;;) {
    const use = now.steps.find(({ type }) => type === 'sub_rule')
    if (use === undefined)
      return { start: now.startStepId, steps: new Map(now.steps.map((step) => [step.id, step])), places }
    const place = places.get(use.id)
    const level = (levels.get(use.id) ?? 0) + 1
    if (level > MAX_LEVELS || now.steps.length > MAX_STEPS) return losses.error(place, jdmLosses.tooMany())
    const found = inlineSubRule(now, use.id, { subRules })
    if (found.kind === 'refused') return losses.error(place, jdmLosses.subRule(found.message))
    now = found.draft
    for (const { id, type } of now.steps) {
      if (place !== undefined && !places.has(id)) places.set(id, place)
      if (type === 'sub_rule' && !levels.has(id) && id !== use.id && !draft.steps.some((step) => step.id === id))
        levels.set(id, level)
    }
  }
}
