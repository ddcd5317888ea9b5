import { EvaluationError, freeze, LIMITS, NO_SPAN, stringifyJson, type Value } from '@engine/expression'
import type { Message, TerminalStep } from '../model.ts'
import type { Decision } from '../program.ts'
import type { Execution } from './execution.ts'

/** The decision of a terminal in which nothing is evaluated: one frozen object for all executions. Undefined otherwise. */
export function constantDecision(step: TerminalStep): Decision | undefined {
  const { code, message, output } = step
  if (message.kind !== 'text' || output.length > 0) return undefined
  return Object.freeze({
    code,
    message: message.text,
    output: freeze(Object.fromEntries(step.fields)) as Decision['output'],
  })
}

/** The decision of a terminal, given the values of its message's and output's expressions. */
export function decision(
  execution: Execution,
  step: TerminalStep,
  messageValues: readonly Value[],
  outputValues: readonly Value[],
): Decision {
  const evaluated = step.output.map(([name], index) => [name, outputValues[index] as Value] as const)
  const output = Object.fromEntries([...step.fields, ...evaluated])
  return { code: step.code, message: messageText(execution, step.message, messageValues), output }
}

/** The output of a terminal with null in the place of what is evaluated. */
export function outputShape(step: TerminalStep): Decision['output'] {
  return Object.fromEntries([...step.fields, ...step.output.map(([name]) => [name, null] as const)])
}

/** A message with the values of its placeholders put in: strings as they are, everything else as JSON. */
export function messageText(execution: Execution, message: Message, values: readonly Value[]): string {
  if (message.kind === 'text') return message.text
  let next = 0
  let length = 0
  const parts = message.parts.map((part) => {
    const text = typeof part === 'string' ? part : placed(values[next++] as Value)
    length += text.length
    if (length > LIMITS.value)
      throw new EvaluationError('value-too-large', `a message may have at most ${LIMITS.value} characters`, NO_SPAN)
    return text
  })
  execution.allocated += length
  return parts.join('')
}

function placed(value: Value): string {
  if (typeof value === 'string') return value
  try {
    return stringifyJson(value)
  } catch {
    throw new EvaluationError('nested-too-deeply', 'a value is nested too deeply to be put into a message', NO_SPAN)
  }
}
