import type { DraftRuleset } from '@engine/authoring'

/** Names of sub-rules that the steps of a draft or graph use but does not define itself. */
export function namesUsed({ steps, subRules = {} }: Pick<DraftRuleset, 'steps' | 'subRules'>): readonly string[] {
  const graphs = [steps, ...Object.values(subRules).map((graph) => graph.steps)]
  const names = graphs
    .flat()
    .flatMap((step) => (step.type === 'sub_rule' && step.refName !== undefined ? [step.refName] : []))
  return [...new Set(names)].filter((name) => !Object.hasOwn(subRules, name))
}
