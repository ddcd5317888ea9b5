export { quote, quoteCode } from './quote.ts'
export * from './source.ts'
export type * from './ast.ts'
export * from './types.ts'
export {
  type Decimal,
  DecimalError,
  decimalOf,
  isDecimal,
  negate as negateNumber,
  numberOfText,
  type NumberValue,
} from './decimal/decimal.ts'
export { type DigitLimits, exceededLimit, MAX_DIGITS } from './decimal/digits.ts'
export * as decimalArithmetic from './decimal/arithmetic.ts'
export { asDoubles } from './as-doubles.ts'
export { fromCloneable, toCloneable } from './structured-clone.ts'
export { defined } from './defined.ts'
export { tableKeys } from './table-keys.ts'
export { round as roundNumber } from './decimal/rounding.ts'
export { ORDERS, orderOf } from './operators.ts'
export { isQuotient } from './decimal-operators.ts'
export { isTrue } from './truth.ts'
export {
  type Value,
  type ObjectValue,
  type Serializable,
  isList,
  isNumber,
  isObject,
  negated,
  typeName,
} from './value.ts'
export * from './runtime.ts'
export { Budget, BudgetError, CountedBudget, type BudgetLimits, type Clocks, MAX_TURN } from './budget.ts'
export { sizeOf } from './size.ts'
export { measureJson } from './json/size.ts'
export { type Mask, type Masked, masked, maskAt, maskNames, maskOf } from './json/mask.ts'
export {
  isBinaryOf,
  isOperatorOf,
  mirrored,
  type OperatorDefinition,
  type OperatorKind,
  type OperatorOf,
  OPERATORS,
  operandsOf,
} from './operator-table.ts'
export { type Token, type TokenKind, KEYWORDS } from './token.ts'
export { type Tokenized, tokenize } from './lexer.ts'
export { parseAs } from './grammar.ts'
export { type Parsed, parse, parsePath } from './parser.ts'
export { isReference, type Reference } from './path.ts'
export { print, printPath } from './printer.ts'
export { children, rewrite, walk } from './visitor.ts'
export * from './json/json.ts'
export { type FormProblem, type FromJsonForm, fromJsonForm, toJsonForm } from './json-form/json-form.ts'
export { nearest } from './suggest/nearest.ts'
export { check, type CheckOptions, inferType } from './checker.ts'
export { type Read, read, readTree } from './read.ts'
export { addFunctions, type FunctionGroup, FUNCTIONS, type GroupName } from './functions/index.ts'
export type { FunctionDefinition, Parameter } from './function-definition.ts'
export { constantOf } from './constant.ts'
export { canFail, fold, foldingBudget } from './fold.ts'
export { type Environment, interpret } from './interpreter.ts'
export { Constants, freeze } from './constants.ts'
export type { Coefficient, EmitScope } from './emit/emission.ts'
export { emitScaled, emitTruth, emitValue } from './emit/emit.ts'
export { isChain, scaledNumber, scaleOf } from './emit/scaled.ts'
export { compile, makeFunction, type CompiledExpression, type CompileOptions, type MakeFunction } from './compiler.ts'
