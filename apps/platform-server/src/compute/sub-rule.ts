import { convertDraft, declaredFields, type Problem } from '@engine/authoring'
import { isFew, foremost, tooLarge } from './check.ts'
import type { Compute } from './compute.ts'
import { mistypedOutputs } from './sub-rule-outputs.ts'
import { uncovered } from './sub-rule-coverage.ts'
import type { SubRuleTask } from './tasks.ts'

/**
 * The problems of a sub-rule: its expressions may read only its inputs, its steps must be connected, the sub-rules that
 * it uses must exist and receive their inputs, and its outputs must have their types. Paths are relative to the graph.
 */
export function problemsOfSubRule({ graph, bindings, outputs, subRules, used }: SubRuleTask): readonly Problem[] {
  const contract = { name: 'sub-rule', version: '1.0.0', input: { fields: bindings }, outputs: [] }
  const draft = { config: { name: 'sub-rule', version: '1.0.0' }, ...graph }
  const fields = declaredFields(contract)
  const { problems } = convertDraft(draft, { subRules, fields })
  return foremost([...problems, ...uncovered(draft, used, fields), ...mistypedOutputs(graph, outputs, fields)])
}

/** Checks a sub-rule, on a thread if it is not small. */
export async function checkSubRule(compute: Compute, task: Omit<SubRuleTask, 'kind'>): Promise<readonly Problem[]> {
  const { graph, subRules } = task
  if (subRules.size === 0 && isFew(graph)) return problemsOfSubRule({ kind: 'sub-rule', ...task })
  const outcome = await compute.run({ kind: 'sub-rule', ...task })
  return outcome.kind === 'done' ? outcome.result.problems : [tooLarge(outcome.message)]
}
