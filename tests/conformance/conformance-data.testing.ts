import { type Numbers, parseJson, stringifyJson, type Value } from '@engine/expression'
import type { Outcome, Setting } from './product.testing.ts'

/* The files of `conformance/`, whose forms are in its README. Browsers load this file, too: it imports nothing of Node. */

export interface ConformanceData<Case> {
  readonly cases: readonly Case[]
}

export interface ExpressionCase {
  readonly expression: string
  readonly input: Value
  readonly variables: { readonly [name: string]: Value }
  readonly field_missing: Setting['missing']
  readonly defaults?: { readonly [path: string]: Value }
  readonly value?: Value
  readonly error?: string
}

/** Inputs of a ruleset, a draft or a table. */
export interface DecidedInput {
  readonly input: Value
  readonly decision?: Value
  readonly error?: true
}
export interface RulesetCase {
  readonly ruleset: Value
  readonly inputs: readonly DecidedInput[]
}
export interface DraftCase {
  readonly draft: Value
  readonly inputs: readonly DecidedInput[]
}
export interface TableCase {
  readonly table: { readonly [member: string]: Value }
  readonly inputs: readonly DecidedInput[]
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the form of the file
export function dataOf<Data extends ConformanceData<unknown>>(text: string, numbers: Numbers = 'double'): Data {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers })
  if (parsed.kind !== 'parsed') throw new Error('a file of conformance/ is no JSON')
  return parsed.value as unknown as Data
}

export const settingOf = ({ input, variables, field_missing, defaults = {} }: ExpressionCase): Setting => ({
  input,
  variables,
  missing: field_missing,
  defaults,
})

export const outcomeOfCase = ({ value, error }: ExpressionCase) =>
  error === undefined ? stringifyJson(value ?? null) : `error ${error}`

/** Whether an outcome is the expected one. `error *`: any error. */
export const isAs = (expected: string, found: Outcome) =>
  expected === 'error *' ? found?.startsWith('error ') === true : found === expected

/** The cases that an implementation evaluates otherwise. */
export function evaluatedOtherwise(
  cases: readonly ExpressionCase[],
  evaluate: (one: ExpressionCase) => readonly Outcome[],
): readonly string[] {
  return cases.flatMap((one) => {
    const wrong = evaluate(one).find((text) => !isAs(outcomeOfCase(one), text))
    return wrong === undefined ? [] : [`${one.expression}: ${wrong}, expected ${outcomeOfCase(one)}`]
  })
}

export const decisionOfCase = ({ decision, error }: DecidedInput) => (error ? 'error' : stringifyJson(decision ?? null))

type Way = readonly [way: string, decide: (input: Value) => string | undefined]

/** The inputs that some way decides otherwise. */
export function decidedOtherwise(ways: readonly Way[] | undefined, inputs: readonly DecidedInput[]): readonly string[] {
  if (ways === undefined) return ['it is rejected']
  return inputs.flatMap((one) =>
    ways.flatMap(([way, decide]) => {
      const found = decide(one.input)
      return found === decisionOfCase(one)
        ? []
        : [`${way}: ${found}, expected ${decisionOfCase(one)}, of ${stringifyJson(one.input)}`]
    }),
  )
}
