import {
  type Budget,
  defined,
  EvaluationError,
  freeze,
  LIMITS,
  measureJson,
  NO_SPAN,
  stringifyJson,
  type Value,
} from '@engine/expression/core'
import type { Message, TerminalStep } from '../model.ts'
import type { Decision } from '../program.ts'
import type { Execution } from './execution.ts'

/** The decision of a terminal without expressions: one frozen object for all executions. Otherwise undefined. */
export function constantDecision(step: TerminalStep): Decision | undefined {
  const { code, message, output } = step
  if (message.kind !== 'text' || output.length > 0) return undefined
  return Object.freeze({
    code,
    message: message.text,
    output: freeze(Object.fromEntries(step.fields)) as Decision['output'],
  })
}

/** The decision of a terminal from the values of its message's and output's expressions. */
export function decision(
  execution: Execution,
  step: TerminalStep,
  messageValues: readonly Value[],
  outputValues: readonly Value[],
): Decision {
  const evaluated = step.output.map(([name], index) => [name, defined(outputValues[index])] as const)
  const output = Object.fromEntries([...step.fields, ...evaluated])
  if (outputValues.some(isLarge)) given(execution.budget, output)
  return { code: step.code, message: messageText(execution, step.message, messageValues), output }
}

/** The output of a terminal with null for the evaluated members. */
export function outputShape(step: TerminalStep): Decision['output'] {
  return Object.fromEntries([...step.fields, ...step.output.map(([name]) => [name, null] as const)])
}

/** A message with its placeholders filled: strings unchanged, everything else as JSON. */
export function messageText(execution: Execution, message: Message, values: readonly Value[]): string {
  if (message.kind === 'text') return message.text
  let next = 0
  let length = 0
  const parts = message.parts.map((part) => {
    const text = typeof part === 'string' ? part : placed(execution, defined(values[next++]))
    length += text.length
    if (length > LIMITS.value) throw tooLong()
    return text
  })
  execution.budget.create(2 * length)
  return parts.join('')
}

function placed({ budget }: Execution, value: Value): string {
  if (typeof value === 'string') return value
  const size = measureJson(budget, value, LIMITS.value)
  if (size === undefined)
    throw new EvaluationError('nested-too-deeply', 'a value is nested too deeply to be put into a message', NO_SPAN)
  if (size > LIMITS.value) throw tooLong()
  return stringifyJson(value)
}

function tooLong(): EvaluationError {
  return new EvaluationError('value-too-large', `a message may have at most ${LIMITS.value} characters`, NO_SPAN)
}

/** Maximum length of the JSON text of an output or of a capability's payload. */
const MAX_GIVEN_LENGTH = 16 * 1024 * 1024
/** Texts up to this length need no measuring: even a thousand of them are not a large output. */
const MAX_UNMEASURED_LENGTH = 4096

/** Whether a value has to be measured before it is returned. */
export function isLarge(value: Value): boolean {
  if (typeof value === 'string') return value.length > MAX_UNMEASURED_LENGTH
  return typeof value === 'object' && value !== null
}

/**
 * Checks a value that is going to be serialized as JSON: one list can occur in it many times. Throws when the text
 * would be too long; the JSON writer rejects values nested too deeply.
 */
export function given(budget: Budget, value: Value): void {
  const size = measureJson(budget, value, MAX_GIVEN_LENGTH) ?? 0
  if (size > MAX_GIVEN_LENGTH)
    throw new EvaluationError(
      'value-too-large',
      `an output, or the payload of an external call, may have at most ${MAX_GIVEN_LENGTH} characters as JSON`,
      NO_SPAN,
    )
}
