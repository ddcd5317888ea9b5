import type { Value } from '@engine/expression'

/** A value of an answer whose type the interface leaves open: `parseJson` has read it. */
export const answerValue = (value: unknown): Value => value as Value
