import type { Assignment, Column, Row } from '@engine/authoring'
import type { FeelScope } from '../feel/scope.ts'
import { isDuration } from '../feel/ast.ts'
import { TooLarge } from '../size-error.ts'
import type { XmlElement } from '../xml/tree.ts'
import { childOf, childrenOf, type Decision, type DmnReport, textOf } from './definitions.ts'
import type { BoxedLogic } from './boxed-logic.ts'
import type { ConstantModel } from './constant-model.ts'
import { type Carried, carriedTest, carriedValue, literalList } from './expression.ts'
import { dmnLosses } from './losses.ts'
import { columnType, type Types } from './types.ts'

/** Entries of the rules of one document. */
const MAX_ENTRIES = 2_000_000
const MAX_RULES = 100_000

/** An output of a table. */
export interface OutputClause {
  readonly element: XmlElement
  readonly name: string
  readonly type: string | undefined
  /** The values in priority order, in our syntax. */
  readonly values: readonly string[] | undefined
  /** The value when no rule matches. */
  readonly byDefault: Carried | undefined
}

export interface InputClause {
  readonly column: Column & { readonly field: string }
  /** A computation needed before the table, when the expression is not a path. */
  readonly assignment: Assignment | undefined
}

/** A rule with its entries in our syntax. */
export interface Rule {
  readonly element: XmlElement
  /** Its position in the table, from 0. */
  readonly index: number
  readonly row: Omit<Row, 'cells'>
  readonly inputs: readonly Carried[]
  readonly outputs: readonly Carried[]
}

/** A parsed table, before its hit policy is applied. */
export interface ReadTable {
  readonly element: XmlElement
  readonly inputs: readonly InputClause[]
  readonly outputs: readonly OutputClause[]
  readonly rules: readonly Rule[]
}

/** The context of reading the parts of one decision. */
export interface DecisionContext {
  readonly decision: Decision
  readonly scope: FeelScope
  /** Names of the outputs of required decisions. */
  readonly required: ReadonlySet<string>
  readonly types: Types
  readonly report: DmnReport
  readonly constants: ConstantModel
  readonly boxed: BoxedLogic
  /** A variable name that no other decision uses. */
  variable(wanted: string): string
}

/** Reads a decision table. Linear in its size. Throws `TooLarge`. */
export function readTable(context: DecisionContext, element: XmlElement): ReadTable {
  const inputs = childrenOf(element, 'input').map((input, index) => inputOf(context, input, index))
  const outputs = childrenOf(element, 'output').map((output, index) => outputOf(context, output, index))
  const rules = childrenOf(element, 'rule')
  if (rules.length > MAX_RULES) throw new TooLarge(`a table may have at most ${MAX_RULES} rules`)
  if (rules.length * (inputs.length + outputs.length) > MAX_ENTRIES)
    throw new TooLarge(`a table may have at most ${MAX_ENTRIES} entries`)
  if (outputs.length > 1)
    for (const [index, output] of outputs.entries())
      if (isUnnamed(output.element))
        context.report.error(output.element, [context.decision.id, 'output', index], dmnLosses.unnamedOutput())
  const ids = new Set<string>()
  return {
    element,
    inputs,
    outputs,
    rules: rules.map((rule, index) => ruleOf(context, rule, index, { inputs, outputs, ids })),
  }
}

const isUnnamed = ({ attributes }: XmlElement) => (attributes.get('name') ?? '').trim() === ''

function inputOf(context: DecisionContext, element: XmlElement, index: number): InputClause {
  const { decision, scope, required, types, report } = context
  const expression = childOf(element, 'inputExpression')
  const path = [decision.id, 'input', index]
  if (childOf(element, 'inputValues') !== undefined) report.warn(element, path, dmnLosses.allowedValues())
  const type = types.typeOf(expression?.attributes.get('typeRef'))
  const base = { id: `i${index + 1}`, kind: 'input', ...columnType(type) } as const
  if (expression === undefined || textOf(expression) === '') {
    report.error(element, path, dmnLosses.orphanColumn())
    return { column: { ...base, field: 'input' }, assignment: undefined }
  }
  const { text, feel } = carriedValue({ element: expression, path, scope, report, required })
  const declared = feel?.kind === 'path' ? scope.named(feel.name)?.typeOf(feel.members) : undefined
  if (isDuration(type ?? declared)) report.error(element, path, dmnLosses.duration())
  if (feel?.kind === 'path') return { column: { ...base, field: text }, assignment: undefined }
  const name = context.variable(`${decision.variable}_input_${index + 1}`)
  return { column: { ...base, field: `$${name}` }, assignment: { name, value: text } }
}

function outputOf(
  { decision, scope, required, types, report }: DecisionContext,
  element: XmlElement,
  index: number,
): OutputClause {
  const path = [decision.id, 'output', index]
  const entry = childOf(element, 'defaultOutputEntry')
  const values = childOf(element, 'outputValues')
  return {
    element,
    name: isUnnamed(element) ? decision.name : (element.attributes.get('name') ?? ''),
    type: types.typeOf(element.attributes.get('typeRef')),
    values: values === undefined ? undefined : literalList(textOf(values), scope),
    byDefault: entry === undefined ? undefined : carriedValue({ element: entry, path, scope, report, required }),
  }
}

interface RuleContext {
  readonly inputs: readonly InputClause[]
  readonly outputs: readonly OutputClause[]
  /** Ids of the previous rules. */
  readonly ids: Set<string>
}

function ruleOf(
  { decision, scope, required, report }: DecisionContext,
  element: XmlElement,
  index: number,
  { inputs, outputs, ids }: RuleContext,
): Rule {
  const path = [decision.id, 'rule', index]
  const tests = childrenOf(element, 'inputEntry')
  const values = childrenOf(element, 'outputEntry')
  for (const [kind, clauses, entries] of [['input', inputs, tests] as const, ['output', outputs, values] as const])
    if (clauses.length !== entries.length)
      report.error(element, path, dmnLosses.entries(kind, clauses.length, entries.length))
  const note = noteOf(element)
  return {
    element,
    index,
    row: { id: ruleId(element, index, ids), ...(note !== '' && { note }) },
    inputs: inputs.map(({ column }, at) => {
      const entry = tests[at]
      if (entry === undefined) return NOTHING
      return carriedTest({ element: entry, path: [...path, 'inputEntry', at], scope, report, required }, column.field)
    }),
    outputs: outputs.map((_, at) => {
      const entry = values[at]
      if (entry === undefined || textOf(entry) === '') return NULL
      return carriedValue({ element: entry, path: [...path, 'outputEntry', at], scope, report, required })
    }),
  }
}

const NOTHING: Carried = { text: '' }
const NULL: Carried = { text: 'null' }

function ruleId(element: XmlElement, index: number, ids: Set<string>): string {
  const given = element.attributes.get('id') ?? `r${index + 1}`
  const id = ids.has(given) ? `${given}~${index + 1}` : given
  ids.add(id)
  return id
}

function noteOf(element: XmlElement): string {
  const description = childOf(element, 'description')?.text.trim() ?? ''
  const annotations = childrenOf(element, 'annotationEntry').map(textOf)
  return [description, ...annotations].filter((text) => text !== '').join('\n')
}
