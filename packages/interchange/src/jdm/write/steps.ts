import type { ActionStep, DecisionStep, TerminalStep } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { at } from '@engine/ruleset'
import {
  expressionOf,
  itemAt,
  type StepAt,
  scopeOf,
  type Writing,
  type WrittenExit,
  type WrittenStep,
  written,
} from './context.ts'
import { ExpressionNodes } from './expression-nodes.ts'
import { zenCondition, zenMessage, zenValue } from './expression.ts'
import { jdmLosses } from './losses.ts'
import { isZenName, literal } from './zen-text.ts'

/** An action: nodes that set its variables. */
export function writeAction(writing: Writing, from: StepAt<ActionStep>): WrittenStep {
  const { step, place } = from
  if ((step.externalCalls ?? []).length > 0) writing.losses.error(at(place, 'externalCalls'), jdmLosses.calls())
  if (step.logging !== undefined) writing.losses.warn(at(place, 'logging'), jdmLosses.logging())
  const nodes = new ExpressionNodes(writing, from)
  for (const [index, { name = '', value = '' }] of step.assignments.entries())
    nodes.set(name.replace(/^\$/, ''), value, at(itemAt(place, 'assignments', index), 'value'), (scope) =>
      zenValue(value, scope),
    )
  const { first, exit, known } = nodes.end()
  return { first, exits: [{ exit, place: at(place, 'nextStepId'), target: step.nextStepId, known }] }
}

/** A decision: a switch whose statements are its branches, the default last. */
export function writeDecision(writing: Writing, from: StepAt<DecisionStep>): WrittenStep {
  const { step, place, known } = from
  const scope = scopeOf(writing, from)
  const exits: WrittenExit[] = []
  const first = writing.document.node(step.id, 'switchNode', step.name ?? step.id, () => ({
    hitPolicy: 'first',
    statements,
  }))
  const statements = step.branches.map(({ condition = '', nextStepId }, index): Value => {
    const own = itemAt(place, 'branches', index)
    const text = written(writing, at(own, 'condition'), condition, () => zenCondition(condition, scope))
    const id = `${first}_${index + 1}`
    exits.push({ exit: { node: first, statement: id }, place: at(own, 'nextStepId'), target: nextStepId, known })
    return { id, condition: text.text, isDefault: false }
  })
  if (step.defaultNextStepId !== undefined) {
    const id = `${first}_default`
    statements.push({ id, condition: '', isDefault: true })
    const target = step.defaultNextStepId
    exits.push({ exit: { node: first, statement: id }, place: at(place, 'defaultNextStepId'), target, known })
  }
  return { first, exits }
}

/** A terminal: a node that builds the result, `code`, `message` and `output`. */
export function writeTerminal(writing: Writing, from: StepAt<TerminalStep>, end: () => string): WrittenStep {
  const { step, place } = from
  const scope = scopeOf(writing, from)
  const entries: (readonly [string, string])[] = []
  const code = written(writing, at(place, 'code'), step.code ?? '', () => literal(step.code ?? ''))
  entries.push(['code', code.text])
  const { message } = step
  if (message !== undefined) {
    const text = written(writing, at(place, 'message'), message, () => zenMessage(message, scope))
    entries.push(['message', text.text])
  }
  for (const [index, { name = '', value = '' }] of (step.output ?? []).entries()) {
    const own = itemAt(place, 'output', index)
    if (!isZenName(name)) writing.losses.error(at(own, 'name'), jdmLosses.outputName(name))
    const text = written(writing, at(own, 'value'), value, () => zenValue(value, scope))
    entries.push([`output.${name}`, text.text])
  }
  const first = writing.document.node(step.id, 'expressionNode', step.name ?? step.id, () => ({
    passThrough: false,
    expressions: entries.map(([key, value], index) => expressionOf(`${first}_${index + 1}`, key, value)),
  }))
  writing.document.edge({ node: first }, end)
  return { first, exits: [] }
}
