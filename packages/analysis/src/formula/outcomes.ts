import { type EvaluationPolicy, type Expression, type Value } from '@engine/expression'
import { type Kind, kindOf, sortedText } from '../terms/term.ts'
import { canonicalText } from './canonical-text.ts'
import { evaluate, truthOf } from './evaluate.ts'
import type { Thresholds } from './monotone.ts'
import { keyOf } from './policy-key.ts'

/** The code of an error, or the kind of a value. */
export type Outcome =
  | { readonly error: string; readonly kind?: undefined }
  | { readonly kind: Kind; readonly error?: undefined }

/** The examples of the first operand by their positions; those with the same outcomes on all examples of the others are together. */
export type Partition =
  | { readonly outcome: Outcome }
  | { readonly groups: readonly { readonly positions: readonly number[]; readonly rest: Partition }[] }

/**
 * Outcomes of expressions of placeholders, kept for all encoders of an analysis: the rows of a table compute alike, and an
 * evaluation that fails is expensive.
 */
export class Outcomes {
  readonly #partitions = new Map<string, Partition>()
  readonly #truths = new Map<string, string>()
  readonly #thresholds = new Map<string, Thresholds | undefined>()

  /** How an expression ends for all examples of its placeholders. The product of their numbers, once. */
  partition(
    expression: Expression,
    policy: EvaluationPolicy,
    placeholders: readonly string[],
    examples: readonly (readonly Value[])[],
  ): Partition {
    const key = `${keyOf(policy)} ${canonicalText(expression)}\n${examples.map((values) => values.map(textOf).join()).join('\n')}`
    const known = this.#partitions.get(key) ?? partitionOf(expression, policy, placeholders, examples, [])
    this.#partitions.set(key, known)
    return known
  }

  /** The truth of an expression of placeholders. */
  truth(
    expression: Expression,
    policy: EvaluationPolicy,
    placeholders: readonly string[],
  ): (values: readonly Value[]) => string {
    const text = `${keyOf(policy)} ${canonicalText(expression)}`
    return (values) => {
      const key = `${text}\n${values.map(textOf).join()}`
      const known = this.#truths.get(key) ?? truthOf(evaluate(expression, policy, {}, held(placeholders, values)))
      this.#truths.set(key, known)
      return known
    }
  }

  /** The thresholds of a comparison, found once. */
  thresholds(expression: Expression, policy: EvaluationPolicy, find: () => Thresholds | undefined) {
    const key = `${keyOf(policy)} ${canonicalText(expression)}`
    if (!this.#thresholds.has(key)) this.#thresholds.set(key, find())
    return this.#thresholds.get(key)
  }
}

function partitionOf(
  expression: Expression,
  policy: EvaluationPolicy,
  placeholders: readonly string[],
  examples: readonly (readonly Value[])[],
  values: readonly Value[],
): Partition {
  const own = examples[values.length]
  if (own === undefined) {
    const result = evaluate(expression, policy, {}, held(placeholders, values))
    return { outcome: 'error' in result ? { error: result.error } : { kind: kindOf(result.value) } }
  }
  const groups = new Map<string, { positions: number[]; rest: Partition }>()
  for (const [position, value] of own.entries()) {
    const rest = partitionOf(expression, policy, placeholders, examples, [...values, value])
    const text = JSON.stringify(rest)
    const known = groups.get(text)
    if (known === undefined) groups.set(text, { positions: [position], rest })
    else known.positions.push(position)
  }
  return { groups: [...groups.values()] }
}

function held(placeholders: readonly string[], values: readonly Value[]): ReadonlyMap<string, Value> {
  return new Map(values.map((value, index) => [placeholders[index] ?? '', value]))
}

function textOf(value: Value): string {
  return typeof value === 'number' ? String(value) : sortedText(value)
}
