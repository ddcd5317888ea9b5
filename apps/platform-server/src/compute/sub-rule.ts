import { convertDraft, declaredFields, type Problem } from '@engine/authoring'
import { isFew, foremost, tooLarge } from './check.ts'
import type { Compute } from './compute.ts'
import { uncovered } from './sub-rule-use.ts'
import type { SubRuleTask } from './tasks.ts'

/**
 * What is wrong with a sub-rule: its expressions read its inputs alone, its steps lead on, and the sub-rules that it uses are
 * there and get what they need. Paths are those of the graph.
 */
export function problemsOfSubRule({ graph, bindings, subRules, used }: SubRuleTask): readonly Problem[] {
  const contract = { name: 'sub-rule', version: '1.0.0', input: { fields: bindings }, outputs: [] }
  const draft = { config: { name: 'sub-rule', version: '1.0.0' }, ...graph }
  const { problems } = convertDraft(draft, { subRules, fields: declaredFields(contract) })
  return foremost([...problems, ...uncovered(draft, used)])
}

/** The same on a thread where the sub-rule is not small. */
export async function checkSubRule(compute: Compute, task: Omit<SubRuleTask, 'kind'>): Promise<readonly Problem[]> {
  const { graph, subRules } = task
  if (subRules.size === 0 && isFew(graph)) return problemsOfSubRule({ kind: 'sub-rule', ...task })
  const outcome = await compute.run({ kind: 'sub-rule', ...task })
  return outcome.kind === 'done' ? outcome.result.problems : [tooLarge(outcome.message)]
}
