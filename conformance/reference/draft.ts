import {
  type Around,
  type Decision,
  type Execution,
  executionOf,
  type Frame,
  items,
  type Members,
  members,
  text,
  valueOf,
  walk,
} from './ruleset.ts'
import { arithmetic, Failure, isNumber, json, objectOf, ordered, truth, Unsupported, type Value } from './value.ts'

/**
 * Decides by a ruleset in the editor's format, by sections 3 and 9.3 to 9.6 of the platform contract and docs/rulesets.md. Only tables
 * are executed here; all other steps are those of engines under other names. Throws `Failure`, and `Unsupported`.
 */
export function decideDraft(draft: Value, input: Value, around: Around): Decision {
  const root = members(draft)
  const config = members(root['config'] ?? {})
  if (config['maxDepth'] !== undefined) throw new Unsupported('the steps that a table counts for')
  const subRules = Object.entries(members(root['subRules'] ?? {})).map(([name, graph]) => {
    const { startStepId } = members(graph)
    return [name, { entry_step: startStepId ?? null, steps: stepsOf(members(graph)) }] as const
  })
  const engineConfig = {
    name: config['name'] ?? null,
    field_missing: config['fieldMissing'] ?? 'lenient',
    defaults: config['defaults'] ?? {},
  }
  const execution = executionOf(engineConfig, objectOf(subRules), around, followTable)
  const frame: Frame = { input, variables: new Map() }
  const end = walk(execution, frame, stepsOf(root), text(root['startStepId']))
  const { code, message, output } = members(end['result'] ?? {})
  const shown = message === undefined ? '' : valueOf(execution, frame, message)
  const outputs = items(output).map((pair) => {
    const [name, source] = items(pair)
    return [text(name), valueOf(execution, frame, source ?? null)] as const
  })
  return { code: text(code), message: typeof shown === 'string' ? shown : json(shown), output: objectOf(outputs) }
}

/** The steps of a graph by their ids. */
function stepsOf(graph: Members): Members {
  return objectOf(
    items(graph['steps'])
      .map(members)
      .map((step) => [text(step['id']), stepOf(step)]),
  )
}

function stepOf(step: Members): Value {
  const { type, nextStepId = null, defaultNextStepId = null } = step
  const list = (name: string) => items(step[name]).map(members)
  switch (type) {
    case 'decision': {
      const branches = list('branches').map((one) => ({
        condition: one['condition'] ?? null,
        next_step: one['nextStepId'] ?? null,
      }))
      return { type, branches, default_next: defaultNextStepId }
    }
    case 'action': {
      if (list('externalCalls').length > 0) throw new Unsupported('external calls')
      const actions = list('assignments').map(({ name, value }) => ({
        action: 'set_variable',
        name: name ?? null,
        value: value ?? null,
      }))
      return { type, actions, next_step: nextStepId }
    }
    case 'terminal': {
      const { code = null, message } = step
      const output = list('output').map(({ name, value }): Value => [name ?? null, value ?? null])
      return { type, result: { code, output, ...(message === undefined ? {} : { message }) } }
    }
    case 'sub_rule': {
      const bindings = list('bindings').map(({ field, expr }): Value => [field ?? null, expr ?? null])
      const outputs = list('outputs').map(({ parentVar, childVar }): Value => [parentVar ?? null, childVar ?? null])
      return { type, ref_name: step['refName'] ?? null, bindings, outputs, next_step: nextStepId }
    }
    case 'table': {
      // A table sets the variables of its outputs.
      const set = columnsOf(step, 'output').map(({ field }): Value => [field ?? null, field ?? null])
      return { ...step, outputs: set }
    }
    default:
      throw new Unsupported('a step of another type')
  }
}

const columnsOf = (table: Members, kind: string) =>
  items(table['columns'])
    .map(members)
    .filter((column) => column['kind'] === kind)

const cellOf = (row: Members, column: Members) => text(members(row['cells'] ?? {})[text(column['id'])] ?? '').trim()

function followTable(execution: Execution, frame: Frame, table: Members): string {
  if (table['type'] !== 'table') throw new Unsupported('a step of another type')
  const rows = items(table['rows'])
    .map(members)
    .filter((row) => row['disabled'] !== true)
  const isMatch = (row: Members) =>
    columnsOf(table, 'input').every((column) => {
      const cell = cellOf(row, column)
      return cell === '' || truth(valueOf(execution, frame, conditionOf(text(column['field']), cell)))
    })
  const outputs = columnsOf(table, 'output')
  const { nextStepId, defaultNextStepId, hitPolicy } = table
  if (hitPolicy === 'collect') {
    for (const [name, value] of collected(execution, frame, table, rows.filter(isMatch)))
      frame.variables.set(name, value)
    return text(nextStepId ?? defaultNextStepId)
  }
  const first = rows.find(isMatch)
  if (hitPolicy === 'unique' && rows.filter(isMatch).length > 1) throw new Failure('unique')
  if (first === undefined) return text(defaultNextStepId ?? nextStepId)
  for (const [index, column] of outputs.entries()) {
    const cell = cellOf(first, column)
    const earlier = outputs.slice(0, index).map(({ field }) => `$${text(field)}`)
    if (earlier.some((name) => cell.includes(name))) throw new Unsupported('an output that reads one of its own row')
    if (cell !== '') frame.variables.set(text(column['field']), valueOf(execution, frame, cell))
  }
  return text(first['nextStepId'] ?? nextStepId)
}

/** "Each output is the list of its rows in order, or `aggregate` of it." */
function collected(execution: Execution, frame: Frame, table: Members, hits: readonly Members[]) {
  return columnsOf(table, 'output').map((column): readonly [string, Value] => {
    const name = text(column['field'])
    if (table['aggregate'] === 'count') return [name, hits.length]
    const cells = hits.map((row) => cellOf(row, column)).filter((cell) => cell !== '')
    const values = cells.map((cell) => valueOf(execution, frame, cell))
    return [name, aggregated(table['aggregate'], values)]
  })
}

/** "No match gives `[]`, 0, null, null, 0 for list, sum, min, max, count." */
function aggregated(aggregate: Value | undefined, values: readonly Value[]): Value {
  if (aggregate === undefined) return values
  const numbers = values.filter(isNumber)
  if (numbers.length < values.length) throw new Failure('wrong-type')
  if (aggregate === 'sum') return numbers.reduce((sum: number | bigint, one) => arithmetic('+', sum, one), 0)
  const isBefore = (sign: number) => (aggregate === 'min' ? sign < 0 : sign > 0)
  return numbers.reduce((best: Value, one) => (best === null || ordered(one, best, isBefore) ? one : best), null)
}

/** "A literal means equality; else an operator and a literal, an interval, or a whole condition after `?`." */
function conditionOf(field: string, cell: string): string {
  if (cell.startsWith('?')) return cell.slice(1)
  const [, open, low, high, close] = /^([[(])(.+?)\.\.(.+)([\])])$/.exec(cell) ?? []
  if (open !== undefined)
    return `${field} ${open === '[' ? '>=' : '>'} ${low} && ${field} ${close === ']' ? '<=' : '<'} ${high}`
  return /^(?:[=!]=|[<>]|(?:not )?in\b)/.test(cell) ? `${field} ${cell}` : `${field} == ${cell}`
}
