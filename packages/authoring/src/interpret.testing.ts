import {
  CountedBudget,
  type Environment,
  interpret,
  isNumber,
  isObject,
  isTrue,
  LENIENT,
  parse,
  type Value,
} from '@engine/expression'
import type { DraftGraph, DraftRuleset, DraftStep, Row, SubRuleStep, TableStep } from './draft/model.ts'

/**
 * Executes a draft directly by the definition of the editor's format: cells are parsed from their text, rows tested in
 * order, sub-rules called. The reference for testing the conversion.
 */
export function interpretDraft(draft: DraftRuleset, input: Value): { code: string; message: string; output: Value } {
  const frame: Frame = { draft, input, variables: new Map() }
  const end = run(frame, draft)
  const output = Object.fromEntries((end.output ?? []).map(({ name, value }) => [name ?? '', evaluate(frame, value)]))
  const message = end.message === undefined ? '' : evaluate(frame, end.message)
  return { code: end.code ?? '', message: typeof message === 'string' ? message : JSON.stringify(message), output }
}

interface Frame {
  readonly draft: DraftRuleset
  readonly input: Value
  readonly variables: Map<string, Value>
}

type Terminal = Extract<DraftStep, { readonly type: 'terminal' }>

function run(frame: Frame, graph: DraftGraph): Terminal {
  let id = graph.startStepId
  for (;;) {
    const step = graph.steps.find((candidate) => candidate.id === id)
    if (step === undefined) throw new Error(`no step ${id}`)
    if (step.type === 'terminal') return step
    id = follow(frame, step)
  }
}

function follow(frame: Frame, step: Exclude<DraftStep, Terminal>): string | undefined {
  switch (step.type) {
    case 'decision':
      return (
        step.branches.find(({ condition }) => isTrue(evaluate(frame, condition)))?.nextStepId ?? step.defaultNextStepId
      )
    case 'action':
      for (const { name, value } of step.assignments) frame.variables.set(name ?? '', evaluate(frame, value))
      return step.nextStepId
    case 'sub_rule':
      callSubRule(frame, step)
      return step.nextStepId
    case 'table':
      return decide(frame, step)
  }
}

function evaluate({ draft, input, variables }: Frame, text: string | undefined): Value {
  const parsed = parse(text ?? '')
  if (parsed.kind === 'failed') throw new Error(`no expression: ${text}`)
  const mode = draft.config.fieldMissing === 'strict' ? 'strict' : 'lenient'
  const environment: Environment = {
    input,
    variables,
    policy: { ...LENIENT, mode },
    runtime: { now: 0, budget: new CountedBudget(1e9) },
  }
  return interpret(parsed.expression, environment)
}

/** A binding of a missing path binds nothing: the field is missing in the sub-rule too. */
function callSubRule(frame: Frame, step: SubRuleStep): void {
  const graph = frame.draft.subRules?.[step.refName ?? ''] as DraftGraph
  const bound = step.bindings.flatMap(({ field, expr }) => {
    const isPath = /^\$?[a-z]\w*(\.[a-z]\w*)*$/.test(expr ?? '') && !/^(true|false|null)$/.test(expr ?? '')
    if (isPath && !isPresent(frame, expr ?? '')) return []
    return [[field ?? '', evaluate(frame, expr)] as const]
  })
  const names = new Set(variablesOf(graph))
  const variables = new Map(Array.from(names, (name): [string, Value] => [name, null]))
  const inner: Frame = { draft: frame.draft, input: Object.fromEntries(bound), variables }
  run(inner, graph)
  const found = step.outputs.map(({ parentVar, childVar }) => [parentVar ?? '', variables.get(childVar ?? '')] as const)
  for (const [name, value] of found) frame.variables.set(name, value ?? frame.variables.get(name) ?? null)
}

function isPresent({ input, variables }: Frame, path: string): boolean {
  const [first = '', ...rest] = path.split('.')
  let value: Value | undefined = first.startsWith('$') ? variables.get(first.slice(1)) : own(input, first)
  for (const name of rest) value = value === undefined ? undefined : own(value, name)
  return value !== undefined
}

function own(value: Value, name: string): Value | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Variables that a sub-rule sets start as null; others are missing. */
function variablesOf(graph: DraftGraph): readonly string[] {
  return graph.steps.flatMap((step) => {
    if (step.type === 'action') return step.assignments.map(({ name }) => name ?? '')
    if (step.type === 'sub_rule') return step.outputs.map(({ parentVar }) => parentVar ?? '')
    if (step.type !== 'table') return []
    const isSet = (id: string) =>
      step.hitPolicy === 'collect' || step.rows.some((row) => row.disabled !== true && row.cells[id]?.trim())
    return step.columns.filter(({ kind, id }) => kind === 'output' && isSet(id)).map(({ field }) => field ?? '')
  })
}

function decide(frame: Frame, table: TableStep): string | undefined {
  const rows = table.rows.filter(({ disabled }) => disabled !== true)
  const isMatch = (row: Row) => matches(frame, table, row)
  if (table.hitPolicy === 'collect') {
    collect(frame, table, rows.filter(isMatch))
    return table.nextStepId
  }
  const hits =
    table.hitPolicy === 'first' ? [rows.find(isMatch)].filter((row) => row !== undefined) : rows.filter(isMatch)
  if (hits.length > 1) throw new Error(`rows ${hits.map(({ id }) => id).join(', ')} match`)
  const [hit] = hits
  if (hit === undefined) return table.defaultNextStepId ?? table.nextStepId
  for (const { id, field = '' } of table.columns.filter(({ kind }) => kind === 'output'))
    if (hit.cells[id]?.trim()) frame.variables.set(field, evaluate(frame, hit.cells[id]))
  return hit.nextStepId ?? table.nextStepId
}

function collect(frame: Frame, table: TableStep, hits: readonly Row[]): void {
  const results = table.columns
    .filter(({ kind }) => kind === 'output')
    .map(({ id, field = '' }): readonly [string, Value] => {
      const set = hits.filter((row) => row.cells[id]?.trim())
      if (table.aggregate === 'count') return [field, hits.length]
      const values = set.map((row) => evaluate(frame, row.cells[id]))
      return [field, aggregated(table.aggregate, values)]
    })
  for (const [field, value] of results) frame.variables.set(field, value)
}

function aggregated(aggregate: TableStep['aggregate'], values: readonly Value[]): Value {
  if (aggregate === undefined) return values
  if (!values.every(isNumber)) throw new Error('not a number')
  const numbers = values.map(Number)
  if (aggregate === 'sum') return numbers.reduce((sum, value) => sum + value, 0)
  if (numbers.length === 0) return null
  return aggregate === 'min' ? Math.min(...numbers) : Math.max(...numbers)
}

function matches(frame: Frame, table: TableStep, row: Row): boolean {
  return table.columns.every(({ id, kind, field = '' }) => {
    const cell = (row.cells[id] ?? '').trim()
    return kind === 'output' || cell === '' || isTrue(evaluate(frame, conditionOf(field, cell)))
  })
}

function conditionOf(field: string, cell: string): string {
  if (cell.startsWith('?')) return cell.slice(1)
  const [, open, low, high, close] = /^([[(])(-?\d+)\.\.(-?\d+)([\])])$/.exec(cell) ?? []
  if (open !== undefined)
    return `${field} ${open === '[' ? '>=' : '>'} ${low} && ${field} ${close === ']' ? '<=' : '<'} ${high}`
  return /^([=!<>]|in |not in )/.test(cell) ? `${field} ${cell}` : `${field} == ${cell}`
}
