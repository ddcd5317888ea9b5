import { type Expression, FUNCTIONS, walk } from '@engine/expression'
import { parseText } from '../expression-text.ts'
import type { ActionStep, DraftStep, ExpressionText, SubRuleStep } from '../draft/model.ts'
import { isReading, readingOf } from './references.ts'
import { UNCHANGED, withTexts } from './step-texts.ts'

/** One access of a step to a variable. */
export interface VariableEvent {
  /** `kept`: the previous value stays when a sub-rule returns none; a missing one becomes null. */
  readonly kind: 'read' | 'kept' | 'set'
  readonly name: string
  /** For `set`: it happens on every exit of the step. */
  readonly isCertain?: boolean
}

/** The variables and fields that a step reads and sets. */
export interface StepVariables {
  /** In the order of execution; when unknown, reads come first. */
  readonly events: readonly VariableEvent[]
  /** Input fields by their first name. */
  readonly fields: ReadonlySet<string>
  /** The whole input is read. */
  readonly readsInput: boolean
  /** An invalid expression: the step may read anything. */
  readonly unreadable: string | undefined
  /** The step distinguishes a missing variable from null. */
  readonly asksPresence: boolean
}

/** The name of a variable written with or without `$`. */
export const variableName = (written: string) => (written.startsWith('$') ? written.slice(1) : written)

/** Linear in the size of the step. */
export function stepVariables(step: DraftStep): StepVariables {
  const survey = new Survey()
  if (step.type === 'action') surveyAction(survey, step)
  else if (step.type === 'sub_rule') surveyUse(survey, step)
  else surveyTexts(survey, step)
  return survey
}

class Survey implements StepVariables {
  readonly events: VariableEvent[] = []
  readonly fields = new Set<string>()
  readsInput = false
  asksPresence = false
  unreadable: string | undefined

  expression(text: ExpressionText | undefined): void {
    if (text === undefined || text.trim() === '') return
    const parsed = parseText(text)
    if (parsed.kind === 'failed') this.unreadable ??= text
    else this.#reads(parsed.expression)
  }

  path(text: string): void {
    const reading = readingOf(text)
    if (reading !== undefined) this.#reads(reading)
  }

  set(written: string | undefined, isCertain: boolean): void {
    if (written !== undefined && written !== '')
      this.events.push({ kind: 'set', name: variableName(written), isCertain })
  }

  #reads(expression: Expression): void {
    walk(expression, (node) => {
      if (node.kind === 'call' && FUNCTIONS.get(node.name)?.argument === 'path')
        this.asksPresence ||= node.args.some(({ kind }) => kind === 'variable')
      if (!isReading(node)) return
      const [first] = node.path
      if (node.kind === 'variable') this.events.push({ kind: 'read', name: node.name })
      else if (first?.kind === 'name') this.fields.add(first.name)
      else this.readsInput = true
    })
  }
}

function surveyAction(survey: Survey, { assignments, externalCalls = [], logging }: ActionStep): void {
  for (const { name, value } of assignments) {
    survey.expression(value)
    survey.set(name, true)
  }
  for (const { params = {}, resultVariable } of externalCalls) {
    for (const text of Object.values(params)) survey.expression(text)
    survey.set(resultVariable, true)
  }
  survey.expression(logging?.message)
}

function surveyUse(survey: Survey, { bindings, outputs }: SubRuleStep): void {
  for (const { expr } of bindings) survey.expression(expr)
  for (const { parentVar, childVar } of outputs) {
    const written = parentVar ?? childVar
    if (written === undefined) continue
    survey.events.push({ kind: 'kept', name: variableName(written) })
    survey.set(written, true)
  }
}

/** Rows set the outputs for which they have a cell; only a collecting table sets its outputs regardless of matches. */
function surveyTexts(survey: Survey, step: DraftStep): void {
  const isCertain = step.type === 'table' && step.hitPolicy === 'collect'
  const names: string[] = []
  withTexts(step, {
    ...UNCHANGED,
    expression: (text) => {
      survey.expression(text)
      return text
    },
    path: (text) => {
      survey.path(text)
      return text
    },
    variable: (name) => {
      names.push(name)
      return name
    },
  })
  for (const name of names) survey.set(name, isCertain)
}
