import type { Aggregate, Column, HitPolicy, Row } from '@engine/authoring'
import type { LossText } from '../losses.ts'
import { dmnLosses } from './losses.ts'
import type { OutputClause, ReadTable, Rule } from './table.ts'
import { aggregateResult, equalResult, listResult } from './result.ts'
import { columnType } from './types.ts'

/** A DMN table converted to one of ours. */
export interface PlannedTable {
  readonly hitPolicy: HitPolicy
  readonly aggregate?: Aggregate
  /** Whether the result is a list, with contexts as items for several outputs. */
  readonly isList: boolean
  readonly rules: readonly Rule[]
  /** Output columns with the cells of each rule, in column order. */
  readonly columns: readonly Column[]
  cellsOf(rule: Rule): readonly string[]
  /** The value of the decision's variable after a match; undefined: the table sets it directly. */
  readonly result: string | undefined
  /** The same when no rule matches, if the table defines it; undefined: the variable is not set. */
  readonly unmatched: string | undefined
}

/** `warning`: the table may decide differently for some inputs. */
export type Plan = { readonly plan: PlannedTable; readonly warning?: LossText } | { readonly loss: LossText }

interface Planning {
  readonly table: ReadTable
  /** The variable of the decision. */
  readonly variable: string
  /** The name of the decision in messages. */
  readonly name: string
}

/** Hit policies by their DMN names, with the aggregations of `COLLECT`. */
const POLICIES: { readonly [name: string]: (planning: Planning) => Plan } = {
  UNIQUE: (planning) => single('unique', planning, planning.table.rules),
  FIRST: (planning) => single('first', planning, planning.table.rules),
  PRIORITY: (planning) => withPriorities(planning, (rules) => single('first', planning, rules)),
  ANY: anyOf,
  'RULE ORDER': (planning) => list(planning, planning.table.rules),
  'OUTPUT ORDER': (planning) => withPriorities(planning, (rules) => list(planning, rules)),
  COLLECT: (planning) => list(planning, planning.table.rules),
  'COLLECT SUM': (planning) => aggregated(planning, 'sum'),
  'COLLECT MIN': (planning) => aggregated(planning, 'min'),
  'COLLECT MAX': (planning) => aggregated(planning, 'max'),
  'COLLECT COUNT': (planning) => aggregated(planning, 'count'),
}

/** Plans the table, or explains why it cannot be converted. Costs n log n for n rules. */
export function planTable(planning: Planning): Plan {
  const { attributes } = planning.table.element
  const policy = attributes.get('hitPolicy') ?? 'UNIQUE'
  const aggregation = attributes.get('aggregation')
  const name = aggregation === undefined || policy !== 'COLLECT' ? policy : `${policy} ${aggregation}`
  const plan = Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined
  return plan === undefined ? { loss: dmnLosses.hitPolicy(name) } : plan(planning)
}

/** Single hit: each output has a column, and several together form a context. */
function single(hitPolicy: 'first' | 'unique', { table, variable }: Planning, rules: readonly Rule[]): Plan {
  const { outputs } = table
  const isContext = outputs.length !== 1
  const variables = outputs.map((_, index) => (isContext ? `${variable}_${index + 1}` : variable))
  const columns = outputs.map((output, index) => column(index, variables[index] ?? variable, output.type))
  const result = isContext
    ? contextOf(
        outputs,
        variables.map((name) => `$${name}`),
      )
    : undefined
  return { plan: { hitPolicy, isList: false, rules, columns, cellsOf: textsOf, result, unmatched: defaultOf(outputs) } }
}

/** The result without a match; undefined when the outputs have no defaults. */
function defaultOf(outputs: readonly OutputClause[]): string | undefined {
  if (outputs.every(({ byDefault }) => byDefault === undefined)) return undefined
  return contextOf(
    outputs,
    outputs.map(({ byDefault }) => byDefault?.text ?? 'null'),
  )
}

/** Multiple hits: a list of their outputs, or of contexts for several outputs. */
function list({ table, variable }: Planning, rules: readonly Rule[]): Plan {
  const byDefault = defaultOf(table.outputs)
  const result = byDefault === undefined ? undefined : listResult(variable, byDefault)
  const plan = { ...collected(table, variable, rules, result), isList: true }
  return byDefault === undefined ? { plan } : { plan, warning: dmnLosses.defaultOfList() }
}

function collected(
  { outputs }: ReadTable,
  variable: string,
  rules: readonly Rule[],
  result: string | undefined,
): PlannedTable {
  const columns = [column(0, variable, outputs.length === 1 ? outputs[0]?.type : undefined)]
  const cellsOf = (rule: Rule) => [contextOf(outputs, textsOf(rule))]
  return { hitPolicy: 'collect', isList: false, rules, columns, cellsOf, result, unmatched: undefined }
}

/**
 * All matching rules must have the same output: otherwise it fails, since DMN defines this as an error of the table.
 */
function anyOf({ table, variable, name }: Planning): Plan {
  const { outputs, rules } = table
  const result = equalResult(variable, name, defaultOf(outputs) ?? 'null')
  return { plan: collected(table, variable, rules, result) }
}

/** The value of an empty list in DMN: its sum, minimum and maximum are null. */
const OF_NONE: { readonly [Name in Aggregate]: string } = { sum: 'null', min: 'null', max: 'null', count: '0' }
/** Results of our own aggregates when no row matches. */
const OWN_OF_NONE: { readonly [Name in Aggregate]: string } = { sum: '0', min: 'null', max: 'null', count: '0' }

function aggregated({ table, variable }: Planning, aggregate: Aggregate): Plan {
  const { outputs, rules } = table
  const [output] = outputs
  if (output === undefined || outputs.length > 1) return { loss: dmnLosses.aggregation('there are several outputs') }
  const isNumeric = output.type === 'number' || rules.every((rule) => /^-?[\d.]/.test(rule.outputs[0]?.text ?? ''))
  if (aggregate !== 'count' && !isNumeric)
    return { loss: dmnLosses.aggregation('its outputs are not known to be numbers') }
  const none = output.byDefault?.text ?? OF_NONE[aggregate]
  const plan = collected(table, variable, rules, undefined)
  if (none === OWN_OF_NONE[aggregate]) return { plan: { ...plan, aggregate } }
  return { plan: { ...plan, result: aggregateResult(variable, aggregate, none) } }
}

/** The rules sorted by output priority, which is known statically. */
function withPriorities({ table }: Planning, plan: (rules: readonly Rule[]) => Plan): Plan {
  const { outputs, rules } = table
  const ranked = outputs.flatMap(({ values }, index) => (values === undefined ? [] : [{ values, index }]))
  const ranks = rules.map((rule) => ranked.map(({ values, index }) => values.indexOf(rule.outputs[index]?.text ?? '')))
  if (ranked.length === 0 || ranks.some((rank) => rank.includes(-1))) return { loss: dmnLosses.noPriorities() }
  const order = rules.map((rule, index) => ({ rule, rank: ranks[index] ?? [] }))
  return plan(order.toSorted((left, right) => compared(left.rank, right.rank)).map(({ rule }) => rule))
}

function compared(left: readonly number[], right: readonly number[]): number {
  for (const [index, rank] of left.entries()) if (rank !== right[index]) return rank - (right[index] ?? 0)
  return 0
}

const textsOf = ({ outputs }: Rule) => outputs.map(({ text }) => text)

function column(index: number, variable: string, type: string | undefined): Column {
  return { id: `o${index + 1}`, kind: 'output', field: variable, ...columnType(type) }
}

/** The value of a rule: its single output, or a context of all. */
function contextOf(outputs: readonly OutputClause[], texts: readonly string[]): string {
  if (outputs.length === 1) return texts[0] ?? 'null'
  return `{${outputs.map(({ name }, index) => `${JSON.stringify(name)}: ${texts[index] ?? 'null'}`).join(', ')}}`
}

/** The cells of a row. */
export function rowOf(rule: Rule, plan: PlannedTable, inputs: readonly { readonly id: string }[]): Row {
  const cells: [string, string][] = []
  for (const [index, { text }] of rule.inputs.entries()) if (text !== '') cells.push([inputs[index]?.id ?? '', text])
  for (const [index, text] of plan.cellsOf(rule).entries()) cells.push([plan.columns[index]?.id ?? '', text])
  return { ...rule.row, cells: Object.fromEntries(cells) }
}
