import type { Value } from '@engine/expression'

/** A draft of one table, whose outputs are those of the decision. */
export function draftOfTable(table: { readonly [member: string]: Value }): Value {
  const columns = (table['columns'] ?? []) as readonly { readonly kind: string; readonly field: string }[]
  const names = columns.filter(({ kind }) => kind === 'output').map(({ field }) => field)
  const start = { id: 'start', type: 'action', assignments: names.map((name) => ({ name, value: 'null' })) }
  const output = names.map((name) => ({ name, value: `$${name}` }))
  const end = (id: string, code: string) => ({ id, type: 'terminal', code, output })
  return {
    config: { name: 'table' },
    startStepId: 'start',
    steps: [
      { ...start, nextStepId: 'table' },
      { ...table, id: 'table', type: 'table', nextStepId: 'done', defaultNextStepId: 'none' },
      end('done', 'DONE'),
      end('none', 'NO_MATCH'),
    ],
  }
}
