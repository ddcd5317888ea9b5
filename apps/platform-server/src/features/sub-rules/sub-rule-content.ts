import { decodeContract, decodeGraph, type DraftGraph, type DraftStep, type Problem } from '@engine/authoring'
import { quote, type Value } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import { invalidDocument } from '../../resources/invalid-document.ts'
import type { SubRuleSent } from './model.ts'
import type { Compute } from '../../compute/compute.ts'
import { checkSubRule } from '../../compute/sub-rule.ts'
import { interfacesOf, type SubRuleContent } from './repository.ts'

/** The decoded content of a request, with typed fields and the steps of its graph. Throws 400. */
export function contentIn({ version, graph: sent, bindings, outputs }: SubRuleSent): SubRuleContent {
  const inputs = bindings.map(({ required = false, ...field }) => ({ ...field, required }))
  const { problems } = decodeContract({
    name: 'sub-rule',
    version,
    input: { fields: inputs },
    outputs: [{ code: 'end', fields: outputs }],
  })
  refuse(problems, (path) => path.replace('/input/fields', '/bindings').replace('/outputs/0/fields', '/outputs'))
  const { graph, problems: faults } = decodeGraph(sent as Value)
  if (graph === undefined) throw invalidDocument(faults, '/graph')
  refuseUnset(graph, outputs)
  return { graph, bindings: inputs, outputs }
}

/** Throws 400 if a sub-rule would not run in a ruleset. */
export async function refuseBroken(
  compute: Compute,
  { graph, bindings, outputs }: SubRuleContent,
  used: ReadonlyMap<string, SubRuleContent>,
): Promise<void> {
  const subRules = new Map(Array.from(used, ([name, content]) => [name, content.graph]))
  const problems = await checkSubRule(compute, { graph, bindings, outputs, subRules, used: interfacesOf(used) })
  refuse(problems, (path) => `/graph${path}`)
}

function refuse(problems: readonly Problem[], pathOf: (path: string) => string): void {
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw invalidDocument(errors.map((problem) => ({ ...problem, path: pathOf(problem.path) })))
}

function refuseUnset({ steps }: DraftGraph, outputs: SubRuleSent['outputs']): void {
  const set = new Set(steps.flatMap(variablesSetBy))
  for (const [index, { name }] of outputs.entries())
    if (!set.has(name)) {
      const message = `no step sets the variable ${quote(name)}`
      throw new HttpError('invalid-request', message, {
        details: [{ path: `/outputs/${index}/name`, message, code: 'unset-output' }],
      })
    }
}

function variablesSetBy(step: DraftStep): readonly (string | undefined)[] {
  switch (step.type) {
    case 'action':
      return [
        ...step.assignments.map(({ name }) => name),
        ...(step.externalCalls ?? []).map(({ resultVariable }) => resultVariable),
      ]
    case 'table':
      return step.columns.filter(({ kind }) => kind === 'output').map(({ field }) => field)
    case 'sub_rule':
      return step.outputs.map(({ parentVar, childVar }) => parentVar ?? childVar)
    case 'decision':
    case 'terminal':
      return []
  }
}
