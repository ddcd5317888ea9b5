import { connect, type DraftRuleset, type DraftStep, type Exit, removeStep, targetOf } from '@engine/authoring'
import type { Point } from '../../graph-editor/layout.ts'
import { placedAt, storedPosition } from '../../graph-editor/positions.ts'
import { freshId, newStep } from '../../session/new-draft.ts'

/** The draft with the step of the same id replaced. */
export const withStep = (draft: DraftRuleset, step: DraftStep): DraftRuleset => ({
  ...draft,
  steps: draft.steps.map((one) => (one.id === step.id ? step : one)),
})

/** The draft with a new unconnected step; the first step becomes the entry. */
export function withNewStep(
  draft: DraftRuleset,
  type: DraftStep['type'],
  name: string,
): { readonly draft: DraftRuleset; readonly id: string } {
  const id = freshId(type, idsOf(draft))
  const start = draft.steps.length === 0 ? { startStepId: id } : {}
  return { draft: { ...draft, ...start, steps: [...draft.steps, newStep(type, id, name)] }, id }
}

/** The draft with a new step inserted on an exit of another step; the new step leads to the exit's former target. */
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

/** The draft without some steps; exits to a removed step lead to that step's target, if it has exactly one. */
export const withoutSteps = (draft: DraftRuleset, ids: readonly string[]): DraftRuleset =>
  ids.reduce((graph, id) => removeStep(graph, id)?.graph ?? graph, draft)

/** The draft with steps at fixed positions. */
export const withPlaces = (draft: DraftRuleset, moves: ReadonlyMap<string, Point>): DraftRuleset => ({
  ...draft,
  steps: draft.steps.map((step) => (moves.has(step.id) ? placedAt(step, moves.get(step.id)) : step)),
})

/** The draft with all steps placed by the layout. */
export const withoutPlaces = (draft: DraftRuleset): DraftRuleset =>
  draft.steps.some((step) => storedPosition(step) !== undefined)
    ? { ...draft, steps: draft.steps.map((step) => placedAt(step, undefined)) }
    : draft

/** The draft with a new name of a step, or a new label of one of its branches; an empty text removes it. */
export function withLabel(draft: DraftRuleset, id: string, branch: string | undefined, text: string): DraftRuleset {
  const step = draft.steps.find((one) => one.id === id)
  if (step === undefined) return draft
  if (branch === undefined) return withStep(draft, named(step, text))
  if (step.type !== 'decision') return draft
  const branches = step.branches.map((one) => {
    const { label: _label, ...rest } = one
    return one.id !== branch ? one : text === '' ? rest : { ...rest, label: text }
  })
  return withStep(draft, { ...step, branches })
}

function named(step: DraftStep, name: string): DraftStep {
  const { name: _name, ...rest } = step
  return name === '' ? rest : { ...rest, name }
}

/** The draft with copied steps offset from their originals. */
export const withShifted = (draft: DraftRuleset, ids: ReadonlySet<string>): DraftRuleset => ({
  ...draft,
  steps: draft.steps.map((step) => {
    const at = ids.has(step.id) ? storedPosition(step) : undefined
    return at === undefined ? step : placedAt(step, { x: at.x + SHIFT, y: at.y + SHIFT })
  }),
})

const SHIFT = 48

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
