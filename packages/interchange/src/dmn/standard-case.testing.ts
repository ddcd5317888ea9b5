import type { Value } from '@engine/expression'
import { dmnText, type WrittenTable } from './model.testing.ts'

/** A model, inputs, and the outputs that the standard gives for them. */
export interface StandardCase {
  readonly title: string
  readonly document: string
  readonly results: readonly (readonly [input: Value, output: Value])[]
}

/** The case of one table, whose decision is `Result`. */
export const one = (
  title: string,
  inputs: readonly (readonly [string, string?])[],
  table: WrittenTable,
  results: StandardCase['results'],
): StandardCase => ({
  title,
  document: dmnText([{ name: 'Result', table, requires: inputs.map(([name]) => name) }], inputs),
  results,
})
