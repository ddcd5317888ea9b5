import { call } from './functions.ts'
import { hasGaps, lookUp, type Path, read, type Scope } from './path.ts'
import { ALL, type Expression } from './syntax.ts'
import {
  arithmetic,
  equal,
  Failure,
  integer,
  isList,
  isNumber,
  objectOf,
  ordered,
  truth,
  Unsupported,
  type Value,
  within,
} from './value.ts'

/** The value of an expression. Throws `Failure`, and `Unsupported` where the documents do not tell. */
export function evaluate(expression: Expression, scope: Scope): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'path':
      return valueOfPath(expression, scope)
    case 'member': {
      const value = read([evaluate(expression.of, scope)], expression.parts)
      if (value === undefined && scope.missing === 'strict') throw new Failure('missing-field')
      return value ?? null
    }
    case 'list':
      return expression.items.map((item) => evaluate(item, scope))
    case 'object':
      return objectOf(expression.members.map(([key, member]) => [key, evaluate(member, scope)] as const))
    case 'unary':
      return unary(expression.operator, evaluate(expression.operand, scope))
    case 'binary':
      return binary(expression, scope)
    case 'if':
      return evaluate(truth(evaluate(expression.test, scope)) ? expression.consequent : expression.otherwise, scope)
    case 'call':
      return call(expression, scope, evaluate)
    case 'lambda':
      throw new Unsupported('a lambda is no value')
  }
}

function valueOfPath(path: Path, scope: Scope): Value {
  const value = lookUp(path, scope)
  const isPartly = path.parts.includes(ALL) && isList(value ?? null) && hasGaps(path, scope)
  if (value !== undefined && !isPartly) return value
  if (scope.missing === 'strict') throw new Failure('missing-field')
  if (scope.missing === 'lenient') return value ?? null
  if (isPartly || path.parts.includes(ALL)) throw new Unsupported('defaults of wildcards')
  return scope.defaults[textOf(path)] ?? null
}

/** A path as `config.defaults` has it: names joined by dots. */
function textOf({ root, parts }: Path): string {
  if (
    parts.some((part) => typeof part !== 'string' || !/^[A-Za-z_]\w*$/.test(part)) ||
    (root !== undefined && root !== '')
  )
    throw new Unsupported('the text of such a path')
  return parts.join('.')
}

function unary(operator: string, value: Value): Value {
  if (operator === '!') return !truth(value)
  if (value === null) throw new Failure('null-operand')
  if (!isNumber(value)) throw new Failure('wrong-type')
  return typeof value === 'bigint' ? integer(-value) : -value
}

function binary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>, scope: Scope): Value {
  const one = evaluate(left, scope)
  if (operator === '&&') return truth(one) && truth(evaluate(right, scope))
  if (operator === '||') return truth(one) || truth(evaluate(right, scope))
  const other = evaluate(right, scope)
  switch (operator) {
    case '==':
      return equal(one, other)
    case '!=':
      return !equal(one, other)
    case '<':
      return ordered(one, other, (sign) => sign < 0)
    case '<=':
      return ordered(one, other, (sign) => sign <= 0)
    case '>':
      return ordered(one, other, (sign) => sign > 0)
    case '>=':
      return ordered(one, other, (sign) => sign >= 0)
    case 'in':
      return within(one, other)
    case 'not in':
      return !within(one, other)
    case 'contains':
      return within(other, one)
    default:
      return computed(operator, one, other)
  }
}

function computed(operator: string, left: Value, right: Value): Value {
  if (left === null || right === null) throw new Failure('null-operand')
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') return left + right
  if (!isNumber(left) || !isNumber(right)) throw new Failure('wrong-type')
  return arithmetic(operator, left, right)
}
