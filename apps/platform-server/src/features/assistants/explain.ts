import type { TracedStep } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import type { Traced } from '../../compute/tasks.ts'

/** Describe an execution, one sentence per line: models follow sentences better than nested values. */
export function sentencesOf({ code, message, output, trace, error }: Traced): readonly string[] {
  const steps = trace.steps.flatMap((step) => [...sentencesOfStep(step)])
  if (error !== undefined) return [...steps, `It failed in the step \`${error.step_id}\`: ${error.message}`]
  const withMessage = message === null || message === '' ? '' : ` with the message ${stringifyJson(message)}`
  const withOutput =
    output === null || Object.keys(output).length === 0 ? '' : ` and the output ${stringifyJson(output)}`
  return [...steps, `The result is \`${code}\`${withMessage}${withOutput}.`]
}

function sentencesOfStep({ id, type, branches, values }: TracedStep): readonly string[] {
  const tried = branches?.map(({ condition, taken, fields, error }) => {
    const verdict = error === undefined ? (taken ? 'is true' : 'is false') : `fails: ${error}`
    const known = Object.entries(fields).map(([name, value]) => `${name} = ${stringifyJson(value)}`)
    return `Step \`${id}\`: \`${condition}\` ${verdict}${known.length === 0 ? '' : ` (${known.join(', ')})`}.`
  })
  if (tried !== undefined && tried.length > 0) return tried
  const set = Object.entries(values).map(([name, value]: [string, Value]) => `$${name} = ${stringifyJson(value)}`)
  return type === 'action' && set.length > 0 ? [`Step \`${id}\` leaves ${set.join(', ')}.`] : [`Step \`${id}\`.`]
}
