import type { Call, Expression } from '../ast.ts'
import { named } from '../failures.ts'
import { quote } from '../quote.ts'
import { EvaluationError } from '../runtime.ts'

/** Every message of a failed built-in. The position is the argument's, if there is one, else the call's. */
export const failures = {
  nullArgument: (node: Call, index: number, expected: string) =>
    failed(
      node,
      index,
      'null-argument',
      `${subject(node, index)} is missing or null: ${quote(node.name)} needs ${expected}`,
    ),
  argumentType: (node: Call, index: number, expected: string, found: string) =>
    failed(node, index, 'wrong-type', `${quote(node.name)} needs ${expected}, found ${found}`),
  itemType: (node: Call, index: number, item: number, expected: string, found: string) =>
    failed(node, index, 'wrong-type', `${quote(node.name)} needs ${expected}, found ${found} at index ${item}`),
  badArgument: (node: Call, index: number, reason: string) =>
    failed(node, index, 'bad-argument', `${quote(node.name)}: ${reason}`),
  notFinite: (node: Call) =>
    new EvaluationError('not-finite', `the result of ${quote(node.name)} is not a finite number`, node.span),
  nestedTooDeeply: (node: Call, limit: number) =>
    new EvaluationError('nested-too-deeply', `a value is nested more than ${limit} levels deep`, node.span),
} as const

function failed(node: Call, index: number, code: string, message: string): EvaluationError {
  return new EvaluationError(code, message, (node.args[index] ?? node).span)
}

function subject(node: Call, index: number): string {
  const argument: Expression = node.args[index] ?? node
  const name = named(argument)
  return name === 'a value' ? `argument ${index + 1}` : name
}
