import { type Value } from '@engine/expression'
import { parseText } from '../expression-text.ts'
import type { Place } from '@engine/ruleset'
import type { ActionStep, Assignment, DecisionStep, DraftStep, SubRuleStep, TerminalStep } from '../draft/model.ts'
import { messages } from '../problem.ts'
import { convertTable } from '../table/convert.ts'
import { convertCall } from './call.ts'
import { type Scope } from '../engine/scope.ts'
import { below } from '../place.ts'
import { type EngineSteps, head } from '../engine/step.ts'

/** The engine steps of one draft step; the first keeps its id. */
export function convertStep(scope: Scope, place: Place, step: DraftStep): EngineSteps {
  scope.note(below(scope.engine, step.id), place)
  switch (step.type) {
    case 'decision':
      return [[step.id, decision(scope, place, step)]]
    case 'action':
      return [[step.id, action(scope, place, step)]]
    case 'terminal':
      return [[step.id, terminal(scope, place, step)]]
    case 'sub_rule':
      return [[step.id, subRule(scope, place, step)]]
    case 'table':
      return convertTable(scope, place, step)
  }
}

/** `next_step`, recorded; null after a problem, which the draft step has. */
function next(scope: Scope, engine: Place, place: Place, id: string | undefined): { readonly next_step: string } {
  scope.note(below(engine, 'next_step'), below(place, 'nextStepId'))
  return { next_step: scope.target(below(place, 'nextStepId'), id) ?? '' }
}

function decision(scope: Scope, place: Place, step: DecisionStep) {
  const engine = below(scope.engine, step.id)
  const branches = step.branches.map((branch, index): Value => {
    const from = below(place, 'branches', index)
    const to = below(engine, 'branches', index)
    scope.note(to, from)
    scope.note(below(to, 'condition'), below(from, 'condition'))
    const condition = scope.expression(below(from, 'condition'), branch.condition)
    return { condition, ...next(scope, to, from, branch.nextStepId) }
  })
  return { ...head(step, 'decision'), branches, ...otherwise(scope, engine, place, step.defaultNextStepId) }
}

/** `default_next`, if there is one. */
function otherwise(scope: Scope, engine: Place, place: Place, id: string | undefined) {
  if (id === undefined) return {}
  const target = below(place, 'defaultNextStepId')
  scope.note(below(engine, 'default_next'), target)
  return { default_next: scope.target(target, id) ?? '' }
}

function action(scope: Scope, place: Place, step: ActionStep) {
  const engine = below(scope.engine, step.id)
  const assignments = step.assignments.map((assignment, index) =>
    setVariable(scope, below(place, 'assignments', index), below(engine, 'actions', index), assignment),
  )
  const calls = (step.externalCalls ?? []).map((call, index) =>
    convertCall(
      scope,
      below(place, 'externalCalls', index),
      below(engine, 'actions', assignments.length + index),
      call,
    ),
  )
  const actions = [...assignments, ...calls, ...log(scope, place, engine, assignments.length + calls.length, step)]
  return { ...head(step, 'action'), actions, ...next(scope, engine, place, step.nextStepId) }
}

function setVariable(scope: Scope, place: Place, engine: Place, { name, value }: Assignment): Value {
  scope.note(engine, place)
  scope.note(below(engine, 'value'), below(place, 'value'))
  return {
    action: 'set_variable',
    name: named(scope, place, name),
    value: scope.expression(below(place, 'value'), value),
  }
}

function named(scope: Scope, place: Place, name: string | undefined): string {
  if (name !== undefined && name !== '') return name
  scope.report.error(below(place, 'name'), messages.emptyName('the name'))
  return '_'
}

function log(scope: Scope, place: Place, engine: Place, index: number, { logging }: ActionStep): readonly Value[] {
  if (logging?.message === undefined) return []
  const from = below(place, 'logging')
  scope.note(below(engine, 'actions', index), from)
  scope.note(below(engine, 'actions', index, 'level'), below(from, 'level'))
  const text = scope.expression(below(from, 'message'), logging.message)
  const message = constantText(text)
  if (message === undefined && text !== 'null') scope.report.error(below(from, 'message'), messages.computedLog())
  return [{ action: 'log', message: message ?? '', ...(logging.level === undefined ? {} : { level: logging.level }) }]
}

/** The value of an expression that is a string literal. */
export function constantText(text: string): string | undefined {
  const parsed = parseText(text)
  if (parsed.kind !== 'parsed' || parsed.expression.kind !== 'literal') return undefined
  const { value } = parsed.expression
  return typeof value === 'string' ? value : undefined
}

function terminal(scope: Scope, place: Place, step: TerminalStep) {
  const engine = below(scope.engine, step.id, 'result')
  scope.note(engine, place)
  if (step.code === undefined) scope.report.error(below(place, 'code'), messages.emptyName('the code'))
  const output = (step.output ?? []).map(({ name, value }, index): Value => {
    const from = below(place, 'output', index)
    scope.note(below(engine, 'output', index), from)
    scope.note(below(engine, 'output', index, 1), below(from, 'value'))
    return [named(scope, from, name), scope.expression(below(from, 'value'), value)]
  })
  const message = messageOf(scope, below(place, 'message'), step.message)
  scope.note(below(engine, 'message'), below(place, 'message'))
  return { ...head(step, 'terminal'), result: { code: step.code ?? '', message, ...(output.length > 0 && { output }) } }
}

/** The message in engine format: plain, or a template when any message of the ruleset is computed. */
function messageOf(scope: Scope, place: Place, given: string | undefined): string {
  if (given === undefined) return ''
  const text = scope.expression(place, given)
  const constant = constantText(text)
  if (!scope.shared.templates) return constant ?? ''
  // The blank separates an object literal from the preceding brace.
  return constant === undefined ? `{ ${text}}` : constant.replace(/[{}]/g, '$&$&')
}

function subRule(scope: Scope, place: Place, step: SubRuleStep) {
  const engine = below(scope.engine, step.id)
  if (step.refName === undefined)
    scope.report.error(below(place, 'refName'), messages.emptyName('the name of a sub-rule'))
  scope.note(below(engine, 'ref_name'), below(place, 'refName'))
  const bindings = step.bindings.map(({ field, expr }, index): Value => {
    const from = below(place, 'bindings', index)
    scope.note(below(engine, 'bindings', index), from)
    if (field === undefined || field === '') scope.report.error(below(from, 'field'), messages.emptyName('the field'))
    return [field ?? '', scope.expression(below(from, 'expr'), expr)]
  })
  const outputs = step.outputs.map(({ parentVar, childVar }, index): Value => {
    scope.note(below(engine, 'outputs', index), below(place, 'outputs', index))
    return [parentVar ?? childVar ?? '', childVar ?? parentVar ?? '']
  })
  const ref_name = step.refName ?? ''
  return { ...head(step, 'sub_rule'), ref_name, bindings, outputs, ...next(scope, engine, place, step.nextStepId) }
}
