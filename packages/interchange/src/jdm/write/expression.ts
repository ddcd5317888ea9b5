import {
  type Binary,
  type Call,
  type Expression,
  parse,
  printPath,
  quote,
  type Segment,
  type Value,
} from '@engine/expression'
import { hasManyOperators } from '../../operator-count.ts'
import { asText, CLOSURES, guarded, OWN_FUNCTIONS } from './functions.ts'
import type { ZenScope } from './zen-scope.ts'
import {
  allOf,
  atom,
  call,
  choice,
  comparison,
  constant,
  FALSE,
  infix,
  isNullable,
  isScalar,
  itemOf,
  list,
  literal,
  memberOf,
  negative,
  not,
  NoZen,
  NULL,
  object,
  oneOf,
  type ZenText,
} from './zen-text.ts'

/*
 * Here null makes a comparison false; in ZEN it fails, and with it the whole condition. In a switch or a cell, where a
 * failing condition counts as false, a comparison is written alone (`mayFail`); elsewhere it follows a test for null.
 * Where our expression fails, the written one may have a value.
 */

/** The value of an expression in ZEN. Throws `NoZen`. Costs its size, up to doubled for each level of `||`. */
export function zenValue(text: string, scope: ZenScope): ZenText {
  return valueOf(parsed(text), scope)
}

/** A condition of a switch or a cell, where failing counts as false. Throws `NoZen`. */
export function zenCondition(text: string, scope: ZenScope): ZenText {
  return truthOf(parsed(text), scope, true)
}

/** A value converted to text. */
export function zenMessage(text: string, scope: ZenScope): ZenText {
  const value = zenValue(text, scope)
  if (value.type === 'list' || value.type === 'object') throw new NoZen('lists and objects have no text in ZEN')
  return asText(value, scope.deviates)
}

function parsed(text: string): Expression {
  const found = parse(text)
  if (found.kind === 'failed') throw new NoZen('it is not a valid expression')
  if (hasManyOperators(found.expression)) throw new NoZen('it is too long')
  return found.expression
}

function valueOf(expression: Expression, scope: ZenScope): ZenText {
  const inner = (part: Expression) => valueOf(part, scope)
  switch (expression.kind) {
    case 'literal':
      return literal(expression.value)
    case 'field': {
      const [first, ...rest] = expression.path
      if (first?.kind !== 'name') throw new NoZen('it reads the whole input')
      return orDefault(pathOf(scope.field(first.name), rest, scope), scope.byDefault(printPath(expression)), scope)
    }
    case 'variable':
      return pathOf(scope.variable(expression.name), expression.path, scope)
    case 'local':
      if (expression.name !== scope.parameter) throw new NoZen('it reads the parameter of an outer function')
      return pathOf(atom('#'), expression.path, scope)
    case 'member':
      return pathOf(inner(expression.object), expression.path, scope)
    case 'array':
      return list(expression.items.map(inner))
    case 'object':
      return object(expression.entries.map(({ key, value }) => [key, inner(value)]))
    case 'unary':
      return expression.operator === '!' ? truthOf(expression, scope, false) : negative(inner(expression.operand))
    case 'binary':
      return binaryValue(expression, scope)
    case 'conditional':
      return choice(
        truthOf(expression.condition, scope, false),
        inner(expression.consequent),
        inner(expression.alternate),
      )
    case 'call':
      return called(expression, scope, false)
    case 'lambda':
      throw new NoZen('a function is used as a value')
  }
}

/** A path with an optional default. */
function orDefault(path: ZenText, value: Value | undefined, scope: ZenScope): ZenText {
  if (value === undefined || value === null) return path
  scope.deviates('defaults')
  return infix('??', 'unknown', path, constant(value))
}

function pathOf(base: ZenText, path: readonly Segment[], scope: ZenScope): ZenText {
  if (base.type === 'null') return NULL
  return path.reduce((object$, segment) => {
    if (segment.kind === 'name') return memberOf(object$, segment.name)
    if (segment.kind === 'wildcard' || segment.index < 0)
      throw new NoZen('one of its paths contains more than names and indexes')
    scope.deviates('index')
    return itemOf(object$, segment.index)
  }, base)
}

function binaryValue(expression: Binary, scope: ZenScope): ZenText {
  const { operator } = expression
  switch (operator) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(operator, valueOf(expression.left, scope), valueOf(expression.right, scope), scope)
    case '||':
    case '&&':
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'in':
    case 'not in':
    case 'contains':
      return truthOf(expression, scope, false)
  }
}

function arithmetic(operator: '+' | '-' | '*' | '/' | '%', left: ZenText, right: ZenText, scope: ZenScope): ZenText {
  const isText = operator === '+' && (left.type === 'text' || right.type === 'text')
  if (isText) return infix('+', 'text', left, right)
  scope.deviates('decimals')
  // A remainder of a division by zero crashes the process.
  if (operator === '%' && !/^(?!0+(?:\.0*)?$)[\d.]+$/.test(right.text))
    throw new NoZen('a remainder by a value that may be 0')
  const isNumber = operator !== '+' || left.type === 'number' || right.type === 'number'
  return infix(operator, isNumber ? 'number' : 'scalar', left, right)
}

function truthOf(expression: Expression, scope: ZenScope, mayFail: boolean): ZenText {
  switch (expression.kind) {
    case 'unary':
      if (expression.operator === '!') return not(truthOf(expression.operand, scope, false))
      break
    case 'binary':
      return binaryTruth(expression, scope, mayFail)
    case 'conditional': {
      const [consequent, alternate] = [expression.consequent, expression.alternate].map((part) =>
        truthOf(part, scope, mayFail),
      )
      return choice(truthOf(expression.condition, scope, false), consequent ?? NULL, alternate ?? NULL)
    }
    case 'call':
      return truth(called(expression, scope, mayFail), scope)
    default:
      break
  }
  return truth(valueOf(expression, scope), scope)
}

/** The truth of a value. */
function truth(value: ZenText, scope: ZenScope): ZenText {
  const differs = (...others: readonly ZenText[]) => allOf(...others.map((other) => comparison('!=', value, other)))
  switch (value.type) {
    case 'boolean':
      return value
    case 'null':
      return FALSE
    case 'number':
      return differs(literal(0))
    case 'text':
      return differs(literal(''))
    case 'list':
      return comparison('>', call('len', 'number', value), literal(0))
    case 'object':
      return comparison('>', call('len', 'number', call('keys', 'list', value)), literal(0))
    default:
      if (!isScalar(value)) scope.deviates('truth')
      return differs(NULL, FALSE, literal(0), literal(''))
  }
}

function binaryTruth(expression: Binary, scope: ZenScope, mayFail: boolean): ZenText {
  const { operator, left, right } = expression
  switch (operator) {
    case '&&':
      return allOf(truthOf(left, scope, mayFail), truthOf(right, scope, mayFail))
    case '||':
      return oneOf(truthOf(left, scope, false), truthOf(right, scope, mayFail))
    case '==':
    case '!=':
      return equality(operator, valueOf(left, scope), valueOf(right, scope), scope)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return order(operator, valueOf(left, scope), valueOf(right, scope), scope, mayFail)
    case 'in':
      return membership(left, right, scope, mayFail)
    case 'not in':
      return right.kind === 'array'
        ? listed('!=', left, right.items, scope)
        : not(membership(left, right, scope, false))
    case 'contains':
      return contained(valueOf(right, scope), valueOf(left, scope), scope, mayFail)
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return truth(binaryValue(expression, scope), scope)
  }
}

/** Here lists and objects are equal by content; in ZEN never. */
function equality(operator: '==' | '!=', left: ZenText, right: ZenText, scope: ZenScope): ZenText {
  const hasNull = left.type === 'null' || right.type === 'null'
  const hasList = [left, right].some(({ type }) => type === 'list' || type === 'object')
  if (hasList && !hasNull) throw new NoZen('lists and objects are never equal in ZEN')
  if (!isScalar(left) && !isScalar(right)) scope.deviates('comparison')
  return comparison(operator, left, right)
}

/** Only numbers have an order in ZEN. */
function order(
  operator: '<' | '<=' | '>' | '>=',
  left: ZenText,
  right: ZenText,
  scope: ZenScope,
  mayFail: boolean,
): ZenText {
  const types = [left.type, right.type]
  if (types.includes('null')) return FALSE
  if (types.some((type) => type === 'text' || type === 'boolean' || type === 'list' || type === 'object'))
    throw new NoZen('only numbers have an order in ZEN')
  if (!types.includes('number')) scope.deviates('order')
  const compared = comparison(operator, left, right)
  return mayFail ? compared : guarded([left, right], compared)
}

function membership(left: Expression, right: Expression, scope: ZenScope, mayFail: boolean): ZenText {
  if (right.kind !== 'array') return contained(valueOf(left, scope), valueOf(right, scope), scope, mayFail)
  const item = valueOf(left, scope)
  const items = right.items.map((one) => valueOf(one, scope))
  const isExact = items.length > 0 && items.every(isScalar) && (isScalar(item) || mayFail)
  if (item.type !== 'list' && item.type !== 'object' && isExact) return comparison('in', item, list(items))
  return listed('==', left, right.items, scope)
}

/** Membership in a list of constants: `in` fails for lists and objects in ZEN. */
function listed(operator: '==' | '!=', left: Expression, items: readonly Expression[], scope: ZenScope): ZenText {
  const value = valueOf(left, scope)
  const tests = items.map((item) => equality(operator, value, valueOf(item, scope), scope))
  return operator === '==' ? oneOf(...tests) : allOf(...tests)
}

/** An item in a list, or a text in a text. */
function contained(item: ZenText, container: ZenText, scope: ZenScope, mayFail: boolean): ZenText {
  if (item.type === 'list' || item.type === 'object') throw new NoZen('lists and objects are never equal in ZEN')
  if (item.type === 'unknown' && container.type !== 'text') scope.deviates('comparison')
  const found = call('contains', 'boolean', container, item)
  if (mayFail) return found
  if (container.type === 'text') return guarded([item, container], found)
  if (container.type !== 'list' && isNullable(item)) scope.deviates('membership')
  return guarded([container], found)
}

function called(expression: Call, scope: ZenScope, mayFail: boolean): ZenText {
  const { name, args } = expression
  const body = args.at(-1)
  if (body?.kind === 'lambda') return closure(name, args[0], body, scope)
  // A default does not make a path exist.
  const values = args.map((one) => valueOf(one, name === 'exists' ? { ...scope, byDefault: () => undefined } : scope))
  const [first = NULL] = values
  if (name === 'exists') {
    scope.deviates('exists')
    return comparison('!=', first, NULL)
  }
  const [container, item] = values
  if (name === 'contains' && container !== undefined && item !== undefined)
    return contained(item, container, scope, mayFail)
  if (name === 'count' && args.length === 1) return call('len', 'number', first)
  const row = OWN_FUNCTIONS.get(name)
  const isFit = row !== undefined && (row.count === undefined || row.count === args.length)
  const written = isFit ? row.write(values, scope.deviates) : undefined
  if (written === undefined) throw new NoZen(`the function ${quote(name)} has no equivalent in ZEN`)
  return row?.isPredicate === true && !mayFail ? guarded(values, written) : written
}

/** A list function with a lambda. */
function closure(
  name: string,
  first: Expression | undefined,
  { parameters, body }: Expression & { readonly kind: 'lambda' },
  scope: ZenScope,
): ZenText {
  const [parameter] = parameters
  if (first === undefined || parameter === undefined || parameters.length > 1)
    throw new NoZen('a function with several parameters')
  const items = valueOf(first, scope)
  const inner: ZenScope = { ...scope, parameter }
  if (name === 'sum' || name === 'avg' || name === 'min' || name === 'max') {
    const mapped = call('map', 'list', items, valueOf(body, inner))
    const written = OWN_FUNCTIONS.get(name)?.write([mapped], scope.deviates)
    if (written !== undefined) return written
  }
  const row = CLOSURES.get(name)
  if (row === undefined) throw new NoZen(`the function ${quote(name)} has no equivalent in ZEN`)
  return call(row.name, row.type, items, row.tests ? truthOf(body, inner, false) : valueOf(body, inner))
}
