import { type Expression, print } from '@engine/expression'

const TEXTS = new WeakMap<Expression, string>()

/** The canonical text of an expression, printed once: several keys contain it. */
export function canonicalText(expression: Expression): string {
  let text = TEXTS.get(expression)
  if (text === undefined) TEXTS.set(expression, (text = print(expression)))
  return text
}
