import { connect, type DraftRuleset, type DraftStep, edgesOf, type Exit, targetOf } from '@engine/authoring'
import { freshId, newStep } from '../session/new-draft.ts'

/** The draft with a step in the place of the one of its id. */
export const withStep = (draft: DraftRuleset, step: DraftStep): DraftRuleset => ({
  ...draft,
  steps: draft.steps.map((one) => (one.id === step.id ? step : one)),
})

/** The draft with another step that nothing leads to yet; the first one of all begins. */
export function withNewStep(
  draft: DraftRuleset,
  type: DraftStep['type'],
  name: string,
): { readonly draft: DraftRuleset; readonly id: string } {
  const id = freshId(type, idsOf(draft))
  const start = draft.steps.length === 0 ? { startStepId: id } : {}
  return { draft: { ...draft, ...start, steps: [...draft.steps, newStep(type, id, name)] }, id }
}

/** A new step on a way out of another: it leads on to where that way led. */
export function withInserted(
  draft: DraftRuleset,
  from: string,
  exit: Exit,
  type: DraftStep['type'],
  name: string,
): { readonly draft: DraftRuleset; readonly id: string } {
  const id = freshId(type, idsOf(draft))
  const step = draft.steps.find((one) => one.id === from)
  const target = step && targetOf(step, exit)
  const grown = { ...draft, steps: [...draft.steps, newStep(type, id, name)] }
  const joined = connect(grown, { step: from, exit }, id)
  const on: Exit = type === 'decision' ? { kind: 'default' } : { kind: 'next' }
  return { draft: target === undefined ? joined : connect(joined, { step: id, exit: on }, target), id }
}

/** The draft without a step; ways that led to it lead nowhere. */
export function withoutStep(draft: DraftRuleset, id: string): DraftRuleset {
  const cut = draft.steps
    .flatMap((step) => edgesOf(step).map((edge) => ({ edge, step })))
    .filter(({ edge, step }) => targetOf(step, edge.exit) === id)
    .reduce((graph, { edge }) => connect(graph, edge, undefined), draft)
  const { startStepId, ...rest } = cut
  const steps = cut.steps.filter((step) => step.id !== id)
  return { ...rest, steps, ...(startStepId !== undefined && startStepId !== id && { startStepId }) }
}

/** Names of the variables that steps set, without `$`. */
export function variablesOf({ steps }: DraftRuleset): readonly string[] {
  const names = steps.flatMap((step) => {
    if (step.type === 'action')
      return [
        ...step.assignments.map(({ name }) => name),
        ...(step.externalCalls ?? []).map(({ resultVariable }) => resultVariable),
      ]
    if (step.type === 'table') return step.columns.filter(({ kind }) => kind === 'output').map(({ field }) => field)
    return step.type === 'sub_rule' ? step.outputs.map(({ parentVar }) => parentVar) : []
  })
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[]
}

function* idsOf({ steps }: DraftRuleset) {
  for (const { id } of steps) yield id
}
