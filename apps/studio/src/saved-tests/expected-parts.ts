import type { Expectation } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import { pretty } from '../ui/json-text.ts'
import type { Outcome } from './expectation.ts'

/** A part of a result that a test expects. */
interface ExpectedPart {
  readonly part: 'code' | 'message' | 'output'
  /** The field, if the part belongs to the output. */
  readonly field?: string
  readonly expected: Value | undefined
  readonly got: Value | undefined
  readonly isSame: boolean
}

/**
 * The expected parts of a test with the actual values. Outputs are compared field by field; additional fields are
 * included if the test allows none. Linear in the fields.
 */
export function expectedParts(expect: Expectation, outcome: Outcome): readonly ExpectedPart[] {
  const { code, message, output, exact = false } = expect
  const whole = (part: 'code' | 'message', expected: Value | undefined, got: Value | null) =>
    expected === undefined ? [] : [partOf({ part, expected, got: got ?? undefined })]
  return [
    ...whole('code', code, outcome.code),
    ...whole('message', message, outcome.message),
    ...(output === undefined ? [] : outputParts(output, outcome.output ?? undefined, exact)),
  ]
}

function outputParts(output: Value, got: Value | undefined, exact: boolean): readonly ExpectedPart[] {
  if (!isObject(output) || (got !== undefined && !isObject(got)))
    return [partOf({ part: 'output', expected: output, got })]
  const known = got ?? {}
  const further = exact ? Object.keys(known).filter((name) => !Object.hasOwn(output, name)) : []
  return [...Object.keys(output), ...further].map((field) =>
    partOf({
      part: 'output',
      field,
      expected: Object.hasOwn(output, field) ? output[field] : undefined,
      got: Object.hasOwn(known, field) ? known[field] : undefined,
    }),
  )
}

const partOf = (one: Omit<ExpectedPart, 'isSame'>): ExpectedPart => ({
  ...one,
  isSame: (one.expected === undefined) === (one.got === undefined) && pretty(one.expected) === pretty(one.got),
})
