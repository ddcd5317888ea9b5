import { quote, quoteCode } from './quote.ts'
import type { Expression } from './ast.ts'
import type { Span } from './source.ts'
import { printPath } from './printer.ts'
import { EvaluationError, LIMITS } from './runtime.ts'

/**
 * Every message of a failed evaluation, one function each; those of the built-ins are in `functions/failures.ts`. The
 * interpreter and generated code throw through these with the same node, so their errors are identical.
 */
export const failures = {
  nullOperand: (at: Span, operator: string, operand: Expression): EvaluationError =>
    new EvaluationError('null-operand', `${named(operand)} is missing or null: ${quote(operator)} needs a value`, at),
  operandTypes: (at: Span, operator: string, left: string, right: string): EvaluationError =>
    new EvaluationError('wrong-type', `${quote(operator)} is not defined for ${left} and ${right}`, at),
  operandType: (at: Span, operator: string, found: string): EvaluationError =>
    new EvaluationError('wrong-type', `${quote(operator)} needs a number, found ${found}`, at),
  divisionByZero: (at: Span): EvaluationError => new EvaluationError('division-by-zero', 'division by zero', at),
  notFinite: (at: Span): EvaluationError =>
    new EvaluationError('not-finite', 'the result is beyond the largest number, about 1.8e308', at),
  missing: (node: Expression): EvaluationError =>
    new EvaluationError('missing-field', `${named(node)} is missing`, node.span),
  valueTooLarge: (at: Span, kind: keyof typeof MAX): EvaluationError =>
    new EvaluationError('value-too-large', MAX[kind], at),
  nestedTooDeeply: (at: Span, limit: number): EvaluationError =>
    new EvaluationError('nested-too-deeply', `a value is nested more than ${limit} levels deep`, at),
  unknownFunction: (at: Span, name: string): EvaluationError =>
    new EvaluationError('unknown-function', `there is no function ${quote(name)}`, at),
  wrongArity: (at: Span, name: string, expected: string): EvaluationError =>
    new EvaluationError('wrong-arity', `${quote(name)} takes ${expected}`, at),
  misplacedFunction: (at: Span, name: string, parameter: string, isFunction: boolean): EvaluationError =>
    new EvaluationError(
      'misplaced-lambda',
      isFunction
        ? `${quote(name)} does not take a function as ${quote(parameter)}`
        : `${quote(name)} takes a function such as \`x => …\` as ${quote(parameter)}`,
      at,
    ),
} as const

const MAX = {
  text: `a text may have at most ${LIMITS.value} characters`,
  list: `a list may have at most ${LIMITS.value} items`,
  object: `an object may have at most ${LIMITS.members} members`,
} as const

/** A path by its text, anything else by its kind: the subject of a message about a missing value. */
export function named(expression: Expression): string {
  switch (expression.kind) {
    case 'field':
    case 'variable':
    case 'local':
      return quoteCode(printPath(expression))
    default:
      return 'a value'
  }
}
