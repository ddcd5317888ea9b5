import type { DraftRuleset } from '@engine/authoring'
import { parse, walk } from '@engine/expression'

/** Names of the first level of the input, by all expressions. */
export function inputNames(draft: DraftRuleset): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (text: string | undefined) => {
    const parsed = parse(text ?? '')
    if (parsed.kind === 'failed') return
    walk(parsed.expression, (node) => {
      const [first] = node.kind === 'field' ? node.path : []
      if (first?.kind === 'name') names.add(first.name)
    })
  }
  for (const step of draft.steps) {
    if (step.type === 'action') for (const { value } of step.assignments) add(value)
    if (step.type === 'terminal') for (const { value } of step.output ?? []) add(value)
    if (step.type !== 'table') continue
    for (const { kind, field } of step.columns) if (kind === 'input') add(field)
    for (const { cells } of step.rows) for (const cell of Object.values(cells)) add(cell.trim().replace(/^\?/, ''))
  }
  return names
}
