import { type DraftStep, cellForm } from '@engine/authoring'
import { parse, walk } from '@engine/expression'

/** First-level input names read by the expressions of steps, in order of appearance. */
export function inputNames(steps: readonly DraftStep[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const text of steps.flatMap(textsOf)) {
    const parsed = parse(text)
    if (parsed.kind === 'failed') continue
    walk(parsed.expression, (node) => {
      const [first] = node.kind === 'field' ? node.path : []
      if (first?.kind === 'name') names.add(first.name)
    })
  }
  return names
}

/** The texts of all expressions of a step. */
function textsOf(step: DraftStep): readonly string[] {
  switch (step.type) {
    case 'decision':
      return step.branches.map(({ condition = '' }) => condition)
    case 'action':
      return step.assignments.map(({ value = '' }) => value)
    case 'terminal':
      return [step.message ?? '', ...(step.output ?? []).map(({ value = '' }) => value)]
    case 'sub_rule':
      return step.bindings.map(({ expr = '' }) => expr)
    case 'table': {
      const fields = step.columns.flatMap(({ kind, field = '' }) => (kind === 'input' ? [field] : []))
      return [...fields, ...step.rows.flatMap(({ cells }) => Object.values(cells).map(conditionIn))]
    }
  }
}

/** The condition in a cell, or the cell itself. */
function conditionIn(cell: string): string {
  const form = cellForm(cell)
  return form.kind === 'condition' ? form.text : cell
}
