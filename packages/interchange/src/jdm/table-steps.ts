import { quote } from '@engine/expression'
import type { Assignment, Column, Row } from '@engine/authoring'
import { TooLarge } from '../size-error.ts'
import { at, type Fields, member, type Place } from '@engine/ruleset'
import { plainName } from './plain-name.ts'
import { lostExpression, lostTest } from '../placeholder.ts'
import { translated } from './conversion.ts'
import { objectsIn, optionalText, textIn } from './document.ts'
import { type Environment, NOTHING, PRESENT, valueAt, wholeOf, withValue } from './environment.ts'
import { contextOf, lostNode, type NodeAt, type NodeSteps, type OpenStep, stepIdOf } from './node-at.ts'
import { cellText, conditionText, refuseParentheses } from './zen/cell.ts'
import type { Names } from './zen/names.ts'
import { parseZen, parseZenTest } from './zen/parser.ts'
import { atom, memberOf, type Text } from './zen/text.ts'
import { valueText } from './zen/value.ts'

/** A column of a table in a document. */
export interface TableColumn {
  readonly id: string
  readonly place: Place
  readonly field: string
}

/** Rules of one table. */
const MAX_RULES = 100_000

/** A decision table; columns whose field is not a path are computed by a preceding action. Throws `TooLarge`. */
export function tableSteps(from: NodeAt, behind: Environment): NodeSteps {
  const { conversion, node } = from
  const policy = member(node.content, 'hitPolicy') ?? 'first'
  if (policy !== 'first' && policy !== 'collect')
    return lostNode(from, typeof policy === 'string' ? `the hit policy ${quote(policy)}` : 'such a hit policy')
  const inputs = columnsOf(from, 'inputs')
  const outputs = columnsOf(from, 'outputs')
  const prepared: Assignment[] = []
  const fields = inputs.map((column) => fieldOf(from, column, prepared))
  const content = at(node.place, 'content')
  const rules = objectsIn(node.content, 'rules', content, conversion.losses)
  if (rules.length > MAX_RULES) throw new TooLarge(`a table may have at most ${MAX_RULES} rules`)
  const rows = rules.map(({ fields: rule, place }, index) => ({
    id: `r${index + 1}`,
    note: optionalText(rule, '_description', place, conversion.losses),
    place,
    inputs: inputs.map((column, number) => inputCell(from, column, fields[number], rule, place)),
    outputs: outputs.map((column) => outputCell(from, column, rule, place)),
  }))
  const columns = fields.map((field, index): Column => ({
    id: `i${index + 1}`,
    kind: 'input',
    field: field?.text ?? '$',
  }))
  const made = policy === 'first' ? firstTable(from, outputs, rows, behind) : collectTable(from, outputs, rows)
  const table: OpenStep = {
    id: stepIdOf(conversion, node),
    name: node.name,
    type: 'table',
    hitPolicy: policy,
    columns: [...columns, ...made.columns],
    rows: made.rows,
  }
  const before: readonly OpenStep[] =
    prepared.length === 0
      ? []
      : [
          {
            id: conversion.freshId(`${plainName(node.name, 'node')}_inputs`),
            name: `Inputs of ${node.name}`,
            type: 'action',
            assignments: prepared,
          },
        ]
  return { steps: [...before, table], output: made.output }
}

/** The input or output columns of a table. */
export function columnsOf({ conversion, node }: NodeAt, key: 'inputs' | 'outputs'): readonly TableColumn[] {
  return objectsIn(node.content, key, at(node.place, 'content'), conversion.losses).flatMap(({ fields, place }) => {
    const id = textIn(fields, 'id', place, conversion.losses)
    if (id === undefined) return []
    const field = optionalText(fields, 'field', place, conversion.losses)
    // The field of an input is an expression; that of an output is a path of names, in which blanks are significant.
    return [{ id, place, field: key === 'inputs' ? field.trim() : field }]
  })
}

/** The path of an input column; undefined when its cells are whole conditions. */
function fieldOf(from: NodeAt, { field, place }: TableColumn, prepared: Assignment[]): Text | undefined {
  if (field === '') return undefined
  const text = translated(
    contextOf(from, () => undefined),
    at(place, 'field'),
    (around) => valueText(parseZen(field), around),
  )
  if (
    text !== undefined &&
    /^(?:\$?[A-Za-z_]\w*|\$)(?:\.[A-Za-z_]\w*|\[\d+\]|\["[^"\\]*"\])*$/.test(text.text) &&
    text.type !== 'null' &&
    text.type !== 'boolean'
  )
    return text
  const name = from.freshVariable(plainName(field, 'input'))
  prepared.push({ name, value: text?.text ?? lostExpression(field) })
  return atom(`$${name}`, text?.type ?? 'unknown')
}

function inputCell(from: NodeAt, column: TableColumn, field: Text | undefined, rule: Fields, place: Place): string {
  const text = optionalText(rule, column.id, place, from.conversion.losses)
  if (text.trim() === '') return ''
  const self: Names['self'] = (path) => (field === undefined ? undefined : path.reduce(memberOf, field))
  const cell = translated(contextOf(from, self), at(place, column.id), (around) => {
    if (field !== undefined) refuseParentheses(text)
    const tests = parseZenTest(text, field !== undefined)
    return field === undefined ? conditionText(tests, around) : cellText(tests, around)
  })
  return cell ?? lostTest(text)
}

/** Undefined for an empty cell. */
function outputCell(from: NodeAt, column: TableColumn, rule: Fields, place: Place): Text | undefined {
  const text = optionalText(rule, column.id, place, from.conversion.losses)
  if (text.trim() === '') return undefined
  const cell = at(place, column.id)
  const value = translated(
    contextOf(from, () => undefined),
    cell,
    (around) => valueText(parseZen(text), { ...around, note: (difference) => from.conversion.note(difference, cell) }),
  )
  return value ?? atom(lostExpression(text))
}

interface RuleRow {
  readonly id: string
  readonly note: string
  readonly place: Place
  readonly inputs: readonly string[]
  readonly outputs: readonly (Text | undefined)[]
}

interface MadeTable {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly output: Environment
}

/**
 * A row sets the variables of its cells. Where a cell is empty and the node passes its input on, the variable gets the
 * input's value; a last row does so when no other matches.
 */
function firstTable(
  from: NodeAt,
  outputs: readonly TableColumn[],
  rules: readonly RuleRow[],
  behind: Environment,
): MadeTable {
  const { conversion } = from
  const isTotal = rules.some(({ inputs }) => inputs.every((cell) => cell === ''))
  let output: Environment = isTotal ? NOTHING : { ...NOTHING, mayBeNull: true }
  const used = outputs.flatMap((column, index) => {
    const { field, place } = column
    if (field === '') {
      conversion.lose(at(place, 'field'), 'missing-field', 'the column has no field')
      return []
    }
    const name = from.freshVariable(plainName(field, 'output'))
    const shown = valueAt(behind, field.split('.'))
    const values = rules.map((rule) => rule.outputs[index])
    const isNullable = values.some((value) => value !== undefined && !PRESENT.has(value.type))
    // Unless a row sets the variable to null, it indicates whether the object of a dotted field exists.
    const fill = shown.type === 'null' || (isNullable && field.includes('.')) ? undefined : shown
    const isSet = fill !== undefined || (isTotal && values.every((value) => value !== undefined))
    const text = atom(`$${name}`, typeOf(isSet && fill === undefined ? values : [...values, fill]))
    const settled = fill !== undefined && !JOINED.has(typeOf(values))
    const computed = {
      text,
      ...(!isSet && { maybe: true as const }),
      ...(fill !== undefined && { filled: true as const }),
      ...(settled && { settled: true as const }),
    }
    output = withValue(output, field.split('.'), computed, () => conversion.note('join', place))
    return [{ id: `o${index + 1}`, name, index, fill }]
  })
  const columns = used.map(({ id, name }): Column => ({ id, kind: 'output', field: name }))
  const rows = rules.map((rule) =>
    rowOf(
      rule,
      used.map(({ id, index, fill }): readonly [string, string] => [id, (rule.outputs[index] ?? fill)?.text ?? '']),
    ),
  )
  const fills = used.flatMap(({ id, fill }): [string, string][] => (fill === undefined ? [] : [[id, fill.text]]))
  if (fills.length === 0 || isTotal) return { columns, rows, output }
  return { columns, rows: [...rows, { id: 'otherwise', cells: Object.fromEntries(fills) }], output }
}

/** Types that may be objects, which are merged with the value behind them. */
const JOINED: ReadonlySet<Text['type']> = new Set(['unknown', 'object'])

/** The common type of the values of a variable; undefined values: it may be absent. */
function typeOf(values: readonly (Text | undefined)[]): Text['type'] {
  const types = new Set(values.map((value) => value?.type ?? 'null'))
  const [only = 'null'] = types
  if (types.size < 2) return only
  return [...types].some((type) => type === 'unknown' || type === 'object' || type === 'list') ? 'unknown' : 'scalar'
}

function rowOf({ id, note, inputs }: RuleRow, outputs: readonly (readonly [string, string])[]): Row {
  const cells = [...inputs.map((cell, index) => [`i${index + 1}`, cell] as const), ...outputs].filter(
    ([, cell]) => cell !== '',
  )
  return { id, cells: Object.fromEntries(cells), ...(note !== '' && { note }) }
}

/** Each matching row contributes an object to the list that the table returns. */
function collectTable(from: NodeAt, outputs: readonly TableColumn[], rules: readonly RuleRow[]): MadeTable {
  const name = from.freshVariable(plainName(from.node.name, 'rows'))
  const rows = rules.map((rule) => {
    let object: Environment = NOTHING
    for (const [index, { field, place }] of outputs.entries()) {
      const value = rule.outputs[index]
      if (value !== undefined && field !== '')
        object = withValue(object, field.split('.'), { text: value }, () => from.conversion.note('join', place))
    }
    return rowOf(rule, [['o1', wholeOf(object).text]])
  })
  const output: Environment = { ...NOTHING, list: atom(`$${name}`, 'list') }
  return { columns: [{ id: 'o1', kind: 'output', field: name }], rows, output }
}
