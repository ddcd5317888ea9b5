/**
 * A JSON value. Integers beyond ±2^53 are `bigint` and only they are: whatever makes a number normalises it, so that
 * a `bigint` never holds what a safe integer can hold.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Value[]
  | { readonly [key: string]: Value }
