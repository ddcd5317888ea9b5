import { type Expression, walk } from '@engine/expression'

/** Operators of an expression that is written in another language, by recursion. */
const MAX_OPERATORS = 1000

/** Whether an expression has too many operators to be written in another language. Linear in its size. */
export function hasManyOperators(expression: Expression): boolean {
  let count = 0
  walk(expression, ({ kind }) => {
    if (kind === 'binary') count++
  })
  return count > MAX_OPERATORS
}
