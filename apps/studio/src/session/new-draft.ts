import type { Column, DraftRuleset, DraftStep } from '@engine/authoring'

/** A ruleset that is executable from its first save: one decision and two results. */
export function newDraft(name: string): DraftRuleset {
  const steps: readonly DraftStep[] = [
    {
      id: 'check',
      name: 'Is it enough?',
      type: 'decision',
      branches: [{ id: 'b1', condition: 'amount >= 100', nextStepId: 'accepted' }],
      defaultNextStepId: 'declined',
    },
    { id: 'accepted', name: 'Accepted', type: 'terminal', code: 'ACCEPTED', message: "'enough'" },
    { id: 'declined', name: 'Declined', type: 'terminal', code: 'DECLINED', message: "'not enough'" },
  ]
  return { config: { name, version: '0.1.0', numbers: 'decimal' }, startStepId: 'check', steps }
}

/** The columns of a new table. */
const NEW_COLUMNS: readonly Column[] = [
  { id: 'c1', kind: 'input', field: 'amount' },
  { id: 'c2', kind: 'output', field: 'result' },
]

/** A ruleset with one table, whose columns come from the first pasted or typed rows. */
export function newTableDraft(name: string): DraftRuleset {
  const steps: readonly DraftStep[] = [
    {
      id: 'table',
      name,
      type: 'table',
      hitPolicy: 'first',
      columns: NEW_COLUMNS,
      rows: [{ id: 'r1', cells: {} }],
      nextStepId: 'decided',
      defaultNextStepId: 'no_match',
    },
    {
      id: 'decided',
      name: 'Decided',
      type: 'terminal',
      code: 'DECIDED',
      output: [{ name: 'result', value: '$result' }],
    },
    { id: 'no_match', name: 'No row matches', type: 'terminal', code: 'NO_MATCH' },
  ]
  return { config: { name, version: '0.1.0', numbers: 'decimal' }, startStepId: 'table', steps }
}

/** An id that is not taken: a prefix and a number. */
export function freshId(prefix: string, taken: Iterable<string>): string {
  const known = new Set(taken)
  for (let number = known.size + 1; ; number++) if (!known.has(`${prefix}${number}`)) return `${prefix}${number}`
}

/** Returns a function that creates successive free ids, for many rows in one change. */
export function idMaker(prefix: string, taken: Iterable<string>): () => string {
  const known = new Set(taken)
  let number = known.size
  return () => {
    do number++
    while (known.has(`${prefix}${number}`))
    return `${prefix}${number}`
  }
}

/** An empty step of the given kind. */
export function newStep(type: DraftStep['type'], id: string, name: string): DraftStep {
  switch (type) {
    case 'decision':
      return { id, name, type, branches: [] }
    case 'action':
      return { id, name, type, assignments: [] }
    case 'terminal':
      return { id, name, type, code: 'CODE' }
    case 'sub_rule':
      return { id, name, type, bindings: [], outputs: [] }
    case 'table':
      return {
        id,
        name,
        type,
        hitPolicy: 'first',
        columns: NEW_COLUMNS,
        rows: [{ id: 'r1', cells: {} }],
      }
  }
}
