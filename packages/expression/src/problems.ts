import { quote } from './quote.ts'
import type { Fix, Problem, Span } from './source.ts'

/**
 * Every message of this package, one function each. Lower-case, no final period, user text in backticks; the correction
 * goes into `suggestion`. Codes are stable: documents and tests match on them.
 */
export const problems = {
  // Syntax: lexer.ts

  textTooLong: (at: Span, limit: number): Problem =>
    problem('text-too-long', at, `the expression is longer than ${limit} characters`),

  unexpectedCharacter: (at: Span, found: string, suggestion?: string, fix?: Fix): Problem =>
    problem('unexpected-character', at, `unexpected character ${quote(found)}`, suggestion, fix),

  /** An operator of another language. `replacement`: the text that can replace it, if any. */
  wrongOperator: (at: Span, found: string, suggestion: string, replacement: string | undefined): Problem =>
    problem(
      'wrong-operator',
      at,
      `${quote(found)} is not an operator of this language`,
      suggestion,
      replacing(at, replacement),
    ),

  comment: (at: Span): Problem => problem('comment', at, 'comments are not part of an expression'),

  unterminatedString: (at: Span, mark: string): Problem =>
    problem('unterminated-string', at, `this text has no closing ${quote(mark)}`, mark),

  lineBreakInString: (at: Span, escape: '\\n' | '\\r'): Problem =>
    problem('line-break-in-string', at, 'a line break inside quotes is written `\\n`', '\\n', replacing(at, escape)),

  unknownEscape: (at: Span, found: string): Problem =>
    problem(
      'unknown-escape',
      at,
      `${quote(found)} is not an escape; known are \\n \\t \\r \\b \\f \\/ \\\\ \\" \\' and \\u with four hex digits`,
      `\\${found}`,
      replacing(at, `\\${found}`),
    ),

  malformedNumber: (at: Span, found: string, suggestion?: string): Problem =>
    problem('malformed-number', at, `${quote(found)} is not a number`, suggestion, replacing(at, suggestion)),

  numberOutOfRange: (at: Span, found: string): Problem =>
    problem('number-out-of-range', at, `${quote(found)} is beyond the largest number, about 1.8e308`),

  tooManyDigits: (at: Span, found: string, most: number, rounded: string): Problem =>
    problem(
      'too-many-digits',
      at,
      `${quote(found)} has more than ${most} digits: write ${quote(rounded)}`,
      rounded,
      replacing(at, rounded),
    ),

  // Syntax: parser.ts

  empty: (at: Span): Problem => problem('empty-expression', at, 'the expression is empty'),

  unexpectedToken: (at: Span, found: string, expected: string, suggestion?: string, fix?: Fix): Problem =>
    problem('unexpected-token', at, `expected ${expected}, found ${found}`, suggestion, fix),

  chainedComparison: (at: Span, suggestion: string): Problem =>
    problem('chained-comparison', at, 'comparisons cannot be chained; compare twice and join with `&&`', suggestion),

  chainedMembership: (at: Span, suggestion: string): Problem =>
    problem('chained-membership', at, 'membership tests cannot be chained; use parentheses', suggestion),

  badIndex: (at: Span, found: string, suggestion?: string, fix?: Fix): Problem =>
    problem('bad-index', at, `expected a whole number or a quoted name in a path, found ${found}`, suggestion, fix),

  notCallable: (at: Span, found: string, suggestion: string): Problem =>
    problem('not-callable', at, `${quote(found)} is not a function; functions have plain names`, suggestion),

  notPath: (at: Span, what: string, found: string): Problem =>
    problem('not-a-path', at, `${what} takes a path such as \`customer.name\`, found ${found}`),

  duplicateKey: (at: Span, key: string): Problem =>
    problem('duplicate-key', at, `the key ${quote(key)} occurs twice in this object`),

  misplacedLambda: (at: Span): Problem =>
    problem(
      'misplaced-lambda',
      at,
      'a function such as `x => …` can only be a call argument',
      '>=',
      replacing(at, '>='),
    ),

  lambdaParameters: (at: Span, message: string): Problem => problem('lambda-parameters', at, message),

  nestedTooDeeply: (at: Span, limit: number): Problem =>
    problem('nested-too-deeply', at, `the expression is nested more than ${limit} levels deep`),

  chainTooLong: (at: Span, limit: number): Problem =>
    problem(
      'chain-too-long',
      at,
      `more than ${limit} operators in one chain; use a list with \`in\`, \`any\` or \`sum\``,
    ),

  pathTooLong: (at: Span, limit: number): Problem => problem('path-too-long', at, `a path has at most ${limit} parts`),

  // Meaning: checker.ts

  /** `fits`: the suggested function accepts the given arguments. */
  unknownFunction: (at: Span, name: string, suggestion: string | undefined, fits: boolean): Problem =>
    problem(
      'unknown-function',
      at,
      `there is no function ${quote(name)}`,
      suggestion,
      fits ? replacing(at, suggestion) : undefined,
    ),

  functionOfNumbers: (at: Span, name: string, numbers: string): Problem =>
    problem('unknown-function', at, `${quote(name)} needs \`"numbers": "${numbers}"\` in \`config\``),

  functionOfGroup: (at: Span, name: string, group: string): Problem =>
    problem(
      'unknown-function',
      at,
      `${quote(name)} is one of the functions ${quote(group)}, which are not loaded here`,
    ),

  wrongArity: (at: Span, name: string, expected: string, found: number): Problem =>
    problem('wrong-arity', at, `${quote(name)} takes ${expected}, found ${found}`),

  functionArgument: (at: Span, name: string, parameter: string, wanted: boolean): Problem =>
    problem(
      'misplaced-lambda',
      at,
      wanted
        ? `${quote(name)} takes a function such as \`x => …\` as ${quote(parameter)}`
        : `${quote(name)} does not take a function as ${quote(parameter)}`,
    ),

  argumentType: (at: Span, name: string, parameter: string, expected: string, found: string): Problem =>
    problem('wrong-type', at, `${quote(name)} needs ${expected} as ${quote(parameter)}, found ${found}`),

  /** For a list with elements. */
  elementType: (at: Span, name: string, expected: string, found: string): Problem =>
    problem('wrong-element-type', at, `${quote(name)} needs a list of ${expected}, found a list of ${found}`),

  lambdaResult: (at: Span, name: string, parameter: string, expected: string, found: string): Problem =>
    problem(
      'wrong-element-type',
      at,
      `the function ${quote(parameter)} of ${quote(name)} must return ${expected}, found ${found}`,
    ),

  unlikeArguments: (at: Span, name: string, found: readonly string[]): Problem =>
    problem('wrong-type', at, `${quote(name)} needs only numbers or only strings, found ${found.join(' and ')}`),

  badArgument: (at: Span, name: string, parameter: string, fault: string): Problem =>
    problem('bad-argument', at, `${quote(parameter)} of ${quote(name)}: ${fault}`),

  operandType: (at: Span, operator: string, found: string): Problem =>
    problem('wrong-type', at, `${quote(operator)} needs a number, found ${found}`),

  operandTypes: (at: Span, operator: string, left: string, right: string): Problem =>
    problem('wrong-type', at, `${quote(operator)} is not defined for ${left} and ${right}`),

  divisionByZero: (at: Span): Problem => problem('division-by-zero', at, 'division by zero'),

  listTooLong: (at: Span, limit: number): Problem => problem('list-too-long', at, `a list has at most ${limit} items`),
}

/** The fix that replaces the marked text. */
export function replacing(span: Span, text: string | undefined): Fix | undefined {
  return text === undefined ? undefined : { span, text }
}

function problem(code: string, at: Span, message: string, suggestion?: string, fix?: Fix): Problem {
  return {
    code,
    message,
    at,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(fix === undefined ? {} : { fix }),
  }
}
