import type { Value } from '@engine/expression'

/** A value that `parseJson` has parsed, in a response whose type the API leaves open. */
export const answerValue = (value: unknown): Value => value as Value
