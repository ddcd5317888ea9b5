import type { DraftRuleset, DraftStep } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { Loss } from '../conversion-result.ts'

/** An expression node that sets a key; it passes its input on unless `alone`. */
export const set = (id: string, key: string, value: string, rest: object = {}): Value => ({
  id,
  type: 'expressionNode',
  name: id,
  content: { passThrough: true, expressions: [{ id: `${id}1`, key, value }], ...rest },
})
export const alone = { passThrough: false }

/** A switch with the statements `yes` and `no`. */
export const switchOn = (id: string, condition: string): Value => ({
  id,
  type: 'switchNode',
  name: id,
  content: {
    hitPolicy: 'first',
    statements: [
      { id: 'yes', condition },
      { id: 'no', condition: '' },
    ],
  },
})

/** A table that sets a field for some inputs only. */
export const table = (id: string, field: string, cell: string, rest: object = {}): Value => ({
  id,
  type: 'decisionTableNode',
  name: id,
  content: {
    hitPolicy: 'first',
    inputs: [{ id: 'i', name: 'n', field: 'n' }],
    outputs: [{ id: 'o', name: 'o', field }],
    rules: [{ _id: 'r', i: '> 1', o: cell }],
    ...rest,
  },
})

/**
 * A document of nodes behind the input node `in`.
 *
 * @param edges `source statement? target`, highest precedence first; with a target `out` there is an output node
 */
export function documentOf(nodes: readonly Value[], edges: readonly string[], rest: object = {}): Value {
  return {
    nodes: [
      { id: 'in', type: 'inputNode', name: 'in' },
      ...nodes,
      ...(edges.some((edge) => edge.endsWith(' out')) ? [{ id: 'out', type: 'outputNode', name: 'out' }] : []),
    ],
    edges: edges.map((text, index) => {
      const words = text.split(' ')
      const handle = words.length === 3 ? { sourceHandle: words[1] } : {}
      return { id: `e${index}`, type: 'edge', sourceId: words[0], targetId: words.at(-1), ...handle } as Value
    }),
    ...rest,
  }
}

/** The steps of a ruleset as text, a line for each; names that are not the id are quoted. */
export function stepLines({ startStepId, steps }: DraftRuleset): readonly string[] {
  return steps.map((step) => {
    const mark = step.id === startStepId ? '* ' : ''
    const name = step.name === undefined || step.name === step.id ? '' : ` "${step.name}"`
    return `${mark}${step.id}${name}: ${stepText(step)}`
  })
}

function stepText(step: DraftStep): string {
  switch (step.type) {
    case 'action':
      return `${assigned(step.assignments)} -> ${step.nextStepId}`
    case 'decision': {
      const branches = step.branches.map(({ id, condition, nextStepId }) => `${id} ${condition} -> ${nextStepId}`)
      return [...branches, `else -> ${step.defaultNextStepId}`].join('; ')
    }
    case 'table': {
      const columns = step.columns.map(
        ({ id, kind, field, type }) => `${id} ${kind} ${field}${type === undefined ? '' : `: ${type}`}`,
      )
      const rows = step.rows.map(({ id, cells, note }) => {
        const own = Object.entries(cells).map(([column, cell]) => `${column} ${cell}`)
        return `${id}${note === undefined ? '' : ` "${note}"`}: ${own.join(', ')}`
      })
      const policy = [step.hitPolicy, step.aggregate].filter((part) => part !== undefined).join(' ')
      const otherwise = step.defaultNextStepId === undefined ? '' : `; else -> ${step.defaultNextStepId}`
      return `${policy} (${columns.join(', ')}) | ${[...rows, ''].join(' | ')}-> ${step.nextStepId}${otherwise}`
    }
    case 'terminal':
      return [step.code, step.message, `(${assigned(step.output)})`].filter((part) => part !== undefined).join(' ')
    case 'sub_rule':
      return `calls ${step.refName}`
  }
}

const assigned = (all: readonly { readonly name?: string; readonly value?: string }[] = []) =>
  all.map(({ name, value }) => `${name} = ${value}`).join(', ')

/** Losses as text, a line for each. */
export const lossLines = (lost: readonly Loss[]): readonly string[] =>
  lost.map(({ severity, code, path, message }) => `${severity} ${code} ${path} ${message}`)
