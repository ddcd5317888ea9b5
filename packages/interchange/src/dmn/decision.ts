import type { DraftStep } from '@engine/authoring'
import type { Where } from '../losses.ts'
import { lostExpression } from '../placeholder.ts'
import type { XmlElement } from '../xml/tree.ts'
import { LOGIC, textOf } from './definitions.ts'
import { carriedLogic, carriedValue, literalList } from './expression.ts'
import type { Feel } from '../feel/ast.ts'
import { isOtherShape } from '../feel/shape.ts'
import { shapeOfFeel } from '../feel/expansion.ts'
import { constantText } from '../feel/constant/constant-text.ts'
import { NotConstant } from '../feel/constant/value.ts'
import { entriesOf } from './constant-model.ts'
import { dmnLosses } from './losses.ts'
import { planTable, rowOf } from './policy.ts'
import { type DecisionContext, readTable, type ReadTable } from './table.ts'

/** The steps of a decision in order; each leads to the next one, and the last to `next`. */
export interface BuiltDecision {
  readonly steps: readonly DraftStep[]
  /** Names of the entries when its result is a context; undefined: a single value. */
  readonly entries: readonly string[] | undefined
  /** Origin of a row of a step. */
  rowPlace(stepId: string, row: number): Where | undefined
}

/** Builds the steps of a decision: its result is in the decision's variable when `next` is reached. */
export function buildDecision(context: DecisionContext, next: string): BuiltDecision {
  const constant = constantOf(context, next)
  if (constant !== undefined) return constant
  const built = buildComputed(context, next)
  const { decision, report, boxed } = context
  for (const type of boxed.takeUnchecked()) report.warn(decision.element, [decision.id], dmnLosses.allowedResult(type))
  return built
}

function buildComputed(context: DecisionContext, next: string): BuiltDecision {
  const { decision, report } = context
  const logic = decision.element.children.find((child) => LOGIC.has(child.local) && child.uri === decision.element.uri)
  if (logic?.local === 'decisionTable') return buildTable(context, logic, next)
  if (logic?.local === 'literalExpression') return buildExpression(context, logic, next)
  if (logic === undefined) report.error(decision.element, [decision.id], dmnLosses.noLogic())
  else return buildBoxed(context, logic, next)
  return assigned(context, lostExpression('no logic'), undefined, next)
}

/** A step for a decision whose value is known at import. */
function constantOf(context: DecisionContext, next: string): BuiltDecision | undefined {
  try {
    const value = context.constants.valueOf(context.decision)
    return assigned(context, constantText(value), entriesOf(value), next)
  } catch (error) {
    if (error instanceof NotConstant) return undefined
    throw error
  }
}

function buildBoxed(context: DecisionContext, element: XmlElement, next: string): BuiltDecision {
  const { decision, scope, required, report, boxed } = context
  const { text, feel } = carriedLogic({ element, path: [decision.id], scope, report, required }, boxed)
  reportType(context, element, feel)
  reportAllowed(context, element)
  return assigned(context, text, namesOf(feel), next)
}

/** The names of the entries of a context. */
const namesOf = (feel: Feel | undefined) => (feel?.kind === 'context' ? feel.entries.map(([key]) => key) : undefined)

function buildExpression(context: DecisionContext, element: XmlElement, next: string): BuiltDecision {
  const { decision, scope, required, report } = context
  if (textOf(element) === '') report.error(element, [decision.id], dmnLosses.noLogic())
  const { text, feel } = carriedValue({ element, path: [decision.id], scope, report, required })
  reportType(context, element, feel)
  reportAllowed(context, element)
  return assigned(context, text, namesOf(feel), next)
}

/**
 * FEEL converts a list with one item to that item if a single value is declared, and an item to a list; any other
 * result that is not of the declared type is null.
 */
function reportType({ decision, types, scope, report }: DecisionContext, element: XmlElement, feel: Feel | undefined) {
  const found = feel && shapeOfFeel(feel, scope.shapeOf)
  const declared = types.shapeOf(decision.type)
  if (!isOtherShape(found, declared)) return
  const type = decision.type ?? ''
  if ((found?.kind === 'list') !== (declared?.kind === 'list'))
    report.error(element, [decision.id], dmnLosses.resultType(type))
  else report.warn(element, [decision.id], dmnLosses.otherType(type))
}

/**
 * DMN replaces a result that its type does not allow by null; engines differ here. @param values the results of a table
 * with one output, in our syntax: if all are allowed literals, no check is needed
 */
function reportAllowed(
  { decision, types, scope, report }: DecisionContext,
  element: XmlElement,
  values?: readonly string[],
): void {
  const restrictions = types.restrictionsOf(decision.type)
  const isAllowed = restrictions.every((text) => {
    const literals = literalList(text, scope)
    return values?.every((value) => value === 'null' || literals?.includes(value) === true)
  })
  if (!isAllowed) report.warn(element, [decision.id], dmnLosses.allowedResult(decision.type ?? ''))
}

function assigned(
  { decision }: DecisionContext,
  value: string,
  entries: readonly string[] | undefined,
  nextStepId: string,
): BuiltDecision {
  return { steps: [assignment(decision.id, decision, value, nextStepId)], entries, rowPlace: () => undefined }
}

function assignment(
  id: string,
  { name, variable }: { readonly name: string; readonly variable: string },
  value: string,
  nextStepId: string,
): DraftStep {
  return { id, name, type: 'action', assignments: [{ name: variable, value }], nextStepId }
}

function buildTable(context: DecisionContext, element: XmlElement, next: string): BuiltDecision {
  const { decision, report } = context
  const table = readTable(context, element)
  const planned = planTable({ table, variable: decision.variable, name: decision.name })
  if ('loss' in planned) {
    report.error(element, [decision.id], planned.loss)
    return assigned(context, lostExpression('decision table'), undefined, next)
  }
  const { plan, warning } = planned
  if (warning !== undefined) report.warn(element, [decision.id], warning)
  const { hitPolicy, aggregate, columns, rules, result, unmatched } = plan
  const declared = context.types.shapeOf(decision.type)
  if (declared !== undefined && plan.isList !== (declared.kind === 'list'))
    report.warn(element, [decision.id], dmnLosses.otherType(decision.type ?? ''))
  reportAllowed(context, element, aggregate === undefined ? valuesIn(table) : undefined)
  const inputs = table.inputs.map(({ column }) => column)
  const ids = { table: decision.id, result: `${decision.id}~result`, unmatched: `${decision.id}~no-match` }
  const step: DraftStep = {
    id: ids.table,
    name: decision.name,
    type: 'table',
    hitPolicy,
    ...(aggregate !== undefined && { aggregate }),
    columns: [...inputs, ...columns],
    rows: rules.map((rule) => rowOf(rule, plan, inputs)),
    nextStepId: result === undefined ? next : ids.result,
    ...(hitPolicy !== 'collect' && { defaultNextStepId: unmatched === undefined ? next : ids.unmatched }),
  }
  const steps = [
    ...computedInputs(table, decision),
    step,
    ...(result === undefined ? [] : [assignment(ids.result, decision, result, next)]),
    ...(unmatched === undefined ? [] : [assignment(ids.unmatched, decision, unmatched, next)]),
  ]
  const isContext = table.outputs.length > 1 && !plan.isList
  return {
    steps,
    entries: isContext ? table.outputs.map(({ name }) => name) : undefined,
    rowPlace: (id, row) => {
      const rule = id === ids.table ? rules[row] : undefined
      return rule && report.where(rule.element, decision.id, 'rule', rule.index)
    },
  }
}

/**
 * The results of a table with one output, including the default; undefined for several outputs, whose results are
 * contexts.
 */
function valuesIn({ outputs, rules }: ReadTable): readonly string[] | undefined {
  const [only] = outputs
  if (only === undefined || outputs.length > 1) return undefined
  return [...(only.byDefault === undefined ? [] : [only.byDefault]), ...rules.flatMap((rule) => rule.outputs)].map(
    ({ text }) => text,
  )
}

/** A step that computes the inputs whose expressions are not paths. */
function computedInputs(
  { inputs }: ReadTable,
  decision: { readonly id: string; readonly name: string },
): readonly DraftStep[] {
  const assignments = inputs.flatMap(({ assignment: one }) => (one === undefined ? [] : [one]))
  if (assignments.length === 0) return []
  return [{ id: `${decision.id}~input`, name: decision.name, type: 'action', assignments, nextStepId: decision.id }]
}
