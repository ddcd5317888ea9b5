import type { DraftRuleset } from '@engine/authoring'
import type { components } from './schema.ts'

/** The ruleset of a draft or a save, whose type the API leaves open. */
export const rulesetOf = ({ ruleset }: Pick<components['schemas']['Draft'], 'ruleset'>): DraftRuleset =>
  ruleset as unknown as DraftRuleset
