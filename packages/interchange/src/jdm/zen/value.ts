import { quote } from '@engine/expression'
import type { Zen } from './ast.ts'
import { compareDates, dateMethod, DateRefusal } from './dates.ts'
import { type Difference, quotient, asText, ZEN_CLOSURES, ZEN_FUNCTIONS } from './functions.ts'
import type { Names, Path } from './names.ts'
import {
  allOf,
  atom,
  call,
  choice,
  comparison,
  FALSE,
  infix,
  isOf,
  LEVEL,
  literal,
  memberOf,
  NULL,
  oneOf,
  type Text,
  within,
} from './text.ts'

/** A part without an equivalent. */
export class Untranslatable extends Error {
  constructor(what: string) {
    super(`${what} cannot be converted`)
  }
}

/** The context of an expression, and the differences found in it. */
export interface Surroundings {
  readonly names: Names
  readonly note: (difference: Difference | 'comparison' | 'failure' | 'row') => void
  /** Parameters of the enclosing functions, innermost last: `#` is the last one. */
  readonly parameters: readonly string[]
  /** Values of the names that the expression itself defines. */
  readonly locals?: ReadonlyMap<string, Text>
}

/**
 * Our expression with the same value. Where a ZEN expression fails, ours may have a value: in a condition `null` is
 * false here, and fails in ZEN. Linear in the size of the expression, with the left side of intervals counted twice.
 */
export function valueText(zen: Zen, around: Surroundings): Text {
  const value = operandText(zen, around)
  if ('zone' in value) throw new Untranslatable('a date in a time zone as a value')
  return value
}

/** The value, which may be a date in a time zone: its methods read it there. */
function operandText(zen: Zen, around: Surroundings): Text {
  switch (zen.kind) {
    case 'literal':
      return literal(zen.value)
    case 'name':
    case 'member':
      return reference(zen, around)
    case 'array':
      return listText(zen.items, around)
    case 'object':
      return objectText(zen.entries, around)
    case 'template':
      return template(zen.parts, around)
    case 'unary':
      return unary(zen.operator, zen.operand, around)
    case 'binary':
      return binary(zen, around)
    case 'conditional':
      return choice(
        boolean(valueText(zen.condition, around), around),
        valueText(zen.consequent, around),
        valueText(zen.alternate, around),
      )
    case 'call':
      return callText(zen.name, zen.args, around)
    case 'method':
      return methodText(zen, around)
    case 'assignment':
      return operandText(zen.body, assigned(zen, around))
    case 'alias':
      throw new Untranslatable('`as` outside of a list function')
    case 'slice':
      return slice(zen, around)
    case 'interval':
      throw new Untranslatable('an interval that is not the right side of `in`')
  }
}

function listText(items: readonly Zen[], around: Surroundings): Text {
  const texts = items.map((item) => valueText(item, around))
  return { ...atom(`[${texts.map(({ text }) => text).join(', ')}]`, 'list'), items: texts }
}

/** The surroundings of the body of an assignment. */
export function assigned(zen: Zen & { readonly kind: 'assignment' }, around: Surroundings): Surroundings {
  const value = valueText(zen.value, around)
  if (value.text.length > MAX_REPEATED) throw new Untranslatable('such a long assigned value')
  return { ...around, locals: new Map([...(around.locals ?? []), [zen.name, value]]) }
}

function methodText(zen: Zen & { readonly kind: 'method' }, around: Surroundings): Text {
  const args = zen.args.map((arg) => valueText(arg, around))
  around.note('dates')
  return ofDates(() => dateMethod(operandText(zen.object, around), zen.name, args))
}

/** Refuses what dates here have no equivalent for. */
function ofDates(write: () => Text): Text {
  try {
    return write()
  } catch (error) {
    if (error instanceof DateRefusal) throw new Untranslatable(error.message)
    throw error
  }
}

/** Whether both values are dates, which have an order. */
export const areDates = (left: Text, right: Text) => left.type === 'date' && right.type === 'date'

function objectText(entries: readonly { readonly key: string; readonly value: Zen }[], around: Surroundings): Text {
  const keys = new Set(entries.map(({ key }) => key))
  if (keys.size < entries.length) throw new Untranslatable('an object with a repeated key')
  const written = entries.map(({ key, value }) => `${JSON.stringify(key)}: ${valueText(value, around).text}`)
  return atom(`{${written.join(', ')}}`, 'object')
}

function template(parts: readonly (string | Zen)[], around: Surroundings): Text {
  const texts = parts.map((part) => {
    if (typeof part === 'string') return literal(part)
    const value = valueText(part, around)
    if (value.type === 'date') throw new Untranslatable('a date as a part of a text')
    if (value.type !== 'text') around.note('decimals')
    return asText(value)
  })
  const [first = literal(''), ...rest] = texts
  return rest.reduce((left, right) => infix('+', LEVEL.sum, 'text', left, right), first)
}

function unary(operator: 'not' | '-' | '+', operand: Zen, around: Surroundings): Text {
  const value = valueText(operand, around)
  if (operator === '+') return value
  if (operator === '-') return { text: `-${within(LEVEL.sign + 1, value)}`, level: LEVEL.sign, type: 'number' }
  return { text: `!${within(LEVEL.sign, boolean(value, around))}`, level: LEVEL.sign, type: 'boolean' }
}

/** A value that ZEN requires to be a boolean: anything else fails there, and counts as false here. */
function boolean(value: Text, { note }: Surroundings): Text {
  if (value.type !== 'boolean') note('row')
  return value
}

const ARITHMETIC = { '+': LEVEL.sum, '-': LEVEL.sum, '*': LEVEL.product, '%': LEVEL.product } as const

function binary(zen: Zen & { readonly kind: 'binary' }, around: Surroundings): Text {
  const { operator } = zen
  if (operator === 'in' || operator === 'not in') return membership(zen.left, zen.right, operator, around)
  const left = valueText(zen.left, around)
  const right = operator === '^' ? NULL : valueText(zen.right, around)
  switch (operator) {
    case 'and':
      return right.type === 'boolean'
        ? allOf(boolean(left, around), right)
        : choice(boolean(left, around), boolean(right, around), FALSE)
    case 'or':
      return right.type === 'boolean'
        ? oneOf(boolean(left, around), right)
        : choice(boolean(left, around), literal(true), boolean(right, around))
    case '??':
      return { ...call('coalesce', 'unknown', left, right), type: left.type === right.type ? left.type : 'unknown' }
    case '^':
      return power(left, zen.right, around)
    case '/':
      around.note('decimals')
      return quotient(left, right)
    case '==':
    case '!=':
      return equality(operator, left, right, around)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return order(operator, left, right, around)
    case '+':
    case '-':
    case '*':
    case '%': {
      if (left.type === 'date' || right.type === 'date') throw new Untranslatable('arithmetic with a date of `d`')
      const joins = operator === '+' && (left.type === 'text' || right.type === 'text')
      const isKnown = operator !== '+' || left.type === 'number' || right.type === 'number'
      return infix(operator, ARITHMETIC[operator], joins ? 'text' : isKnown ? 'number' : 'unknown', left, right)
    }
  }
}

/** ZEN approximates powers with fractional exponents. */
function power(left: Text, exponent: Zen, around: Surroundings): Text {
  const right = valueText(exponent, around)
  if (!/^-?\d{1,3}$/.test(right.text)) around.note('powers')
  else if (right.text.length > 2) around.note('decimals')
  return call('pow', 'number', left, right)
}

/** Whether values of a type may be numbers, which have an order. */
export const isOrdered = (type: Text['type']) => type === 'number' || type === 'unknown' || type === 'scalar'

function dateComparison(operator: string, left: Text, right: Text): Text | undefined {
  if (areDates(left, right)) return compareDates(operator, left, right)
  if (left.type === 'date' || right.type === 'date')
    throw new Untranslatable('a comparison of a date with a value that is not known to be one')
  return undefined
}

const isScalar = ({ type }: Text) => type !== 'unknown' && type !== 'list' && type !== 'object'

/** Lists and objects are never equal in ZEN, and equal by content here. */
function equality(operator: '==' | '!=', left: Text, right: Text, { note }: Surroundings): Text {
  if ([left, right].some(({ type }) => type === 'list' || type === 'object'))
    throw new Untranslatable('a comparison with a list or an object, which is never equal in ZEN')
  const ofDate = dateComparison(operator, left, right)
  if (ofDate !== undefined) return ofDate
  if (!isScalar(left) && !isScalar(right)) note('comparison')
  return comparison(operator, left, right)
}

/** Only numbers have an order in ZEN. */
export function order(operator: '<' | '<=' | '>' | '>=', left: Text, right: Text, { note }: Surroundings): Text {
  const compared = dateComparison(operator, left, right)
  if (compared !== undefined) return compared
  for (const { type } of [left, right])
    if (!isOrdered(type)) throw new Untranslatable('an order comparison of other values than numbers')
  if (left.type !== 'number' && right.type !== 'number') note('comparison')
  if (left.type !== 'number' || right.type !== 'number') note('row')
  return comparison(operator, left, right)
}

/** `x in [a, b]`, `x in list`, `x in [1..5)` */
export function membership(left: Zen, right: Zen, operator: 'in' | 'not in', around: Surroundings): Text {
  const item = valueText(left, around)
  if (right.kind === 'interval') {
    const { low, high } = bounds(item, right, around)
    if (operator === 'in') return allOf(comparison(low.inside, item, low.at), comparison(high.inside, item, high.at))
    return oneOf(comparison(low.outside, item, low.at), comparison(high.outside, item, high.at))
  }
  const list = valueText(right, around)
  if (item.type === 'date') throw new Untranslatable('a date within a list')
  if (list.type !== 'list' && list.type !== 'unknown')
    throw new Untranslatable('`in` with a right side that is not a list')
  if (item.type === 'list' || item.type === 'object') throw new Untranslatable('a list or an object within a list')
  if (list.type === 'unknown' && !isScalar(item)) around.note('comparison')
  if (list.type === 'unknown') around.note('row')
  return comparison(operator, item, list)
}

/** The comparisons with the bounds of an interval. */
function bounds(item: Text, interval: Zen & { readonly kind: 'interval' }, around: Surroundings) {
  const { open, close } = interval
  if (open === ']' || close === '[' || close === '(')
    throw new Untranslatable('an interval that does not start with `[` or `(` and end with `]` or `)`')
  const low = {
    at: valueText(interval.from, around),
    ...(open === '[' ? { inside: '>=', outside: '<' } : { inside: '>', outside: '<=' }),
  }
  const high = {
    at: valueText(interval.to, around),
    ...(close === ']' ? { inside: '<=', outside: '>' } : { inside: '<', outside: '>=' }),
  }
  for (const { type } of [item, low.at, high.at]) {
    if (!isOrdered(type)) throw new Untranslatable('an order comparison of other values than numbers')
    if (type !== 'number') around.note('row')
  }
  return { low, high }
}

/** A path, from its root to its last member. */
function reference(zen: Zen, around: Surroundings): Text {
  const path: (string | number)[] = []
  let at = zen
  for (; at.kind === 'member'; at = at.object) {
    const { key } = at
    if (key.kind !== 'literal') return path.reduce(memberOf, computedMember(at.object, key, around))
    if (typeof key.value !== 'string' && typeof key.value !== 'number') throw new Untranslatable('this index')
    if (typeof key.value === 'number' && !Number.isSafeInteger(key.value)) throw new Untranslatable('this index')
    path.unshift(key.value)
  }
  if (at.kind !== 'name') return path.reduce(memberOf, valueText(at, around))
  return named(at.name, path, around)
}

/** Maximum length of an object whose member has a computed name: its text is repeated. */
const MAX_REPEATED = 1000

/** `object[key]`: null for an absent member and for null. */
function computedMember(object: Zen, key: Zen, around: Surroundings): Text {
  const whole = valueText(object, around)
  const name = valueText(key, around)
  if (whole.text.length + name.text.length > MAX_REPEATED) throw new Untranslatable('such a long computed member')
  const item = call(
    'first',
    'unknown',
    call('slice', 'list', whole, name, infix('+', LEVEL.sum, 'number', name, literal(1))),
  )
  const member = call('object_get', 'unknown', whole, name)
  if (whole.type === 'list') return item
  if (whole.type === 'object') return member
  const either = () => choice(isOf('array', whole), item, member)
  const found = name.type === 'text' ? member : name.type === 'number' ? item : either()
  return choice(comparison('==', whole, NULL), NULL, found)
}

/** `[from:to]`, with the element at its end; ZEN fails where it ends outside. */
function slice(zen: Zen & { readonly kind: 'slice' }, around: Surroundings): Text {
  const whole = valueText(zen.object, around)
  if (whole.text.length > MAX_REPEATED) throw new Untranslatable('such a long slice')
  const from = zen.from === undefined ? literal(0) : valueText(zen.from, around)
  const last = zen.to === undefined ? undefined : valueText(zen.to, around)
  const to = last === undefined ? [] : [infix('+', LEVEL.sum, 'number', last, literal(1))]
  const items = call('slice', 'list', whole, from, ...to)
  if (whole.type === 'list') return items
  around.note('text-length')
  const part = call('substring', 'text', whole, from, ...to)
  return whole.type === 'text' ? part : choice(isOf('string', whole), part, items)
}

/** The integers of an interval with constant bounds. */
function integersOf({ from, to, open, close }: Zen & { readonly kind: 'interval' }): Text {
  const [low, high] = [from, to].map((bound) =>
    bound.kind === 'literal' && typeof bound.value === 'number' && Number.isSafeInteger(bound.value)
      ? bound.value
      : undefined,
  )
  if (low === undefined || high === undefined || (open !== '[' && open !== '(') || (close !== ']' && close !== ')'))
    throw new Untranslatable('an interval whose bounds are not whole numbers')
  return call('range', 'list', literal(open === '[' ? low : low + 1), literal(close === ']' ? high + 1 : high))
}

function named(name: string, path: Path, { names, parameters, locals }: Surroundings): Text {
  const local = locals?.get(name)
  if (local !== undefined) return path.reduce(memberOf, local)
  if (name === '#') {
    const parameter = parameters.at(-1)
    if (parameter === undefined) throw new Untranslatable('`#` outside of a list function')
    return path.reduce(memberOf, atom(parameter))
  }
  if (name === '$root') return names.root(path) ?? noReference()
  if (name === '$') return names.self(path) ?? noReference()
  if (name === '$nodes') {
    const [node, ...rest] = path
    return (typeof node === 'string' ? names.node(node, rest) : undefined) ?? noNode(node)
  }
  if (name.startsWith('$') || name.startsWith('#')) throw new Untranslatable(`the name ${quote(name)}`)
  return names.root([name, ...path]) ?? noReference()
}

function noReference(): never {
  throw new Untranslatable('the whole of `$` or `$root` here')
}

function noNode(name: string | number | undefined): never {
  throw new Untranslatable(`\`$nodes\` with ${name === undefined ? 'no name' : quote(String(name))}`)
}

function callText(name: string, args: readonly Zen[], around: Surroundings): Text {
  const closure = ZEN_CLOSURES.get(name)
  const [given, body] = args
  const list = given?.kind === 'alias' ? given.value : given
  if (closure !== undefined && list !== undefined && body !== undefined && args.length === 2) {
    const values = list.kind === 'interval' ? integersOf(list) : valueText(list, around)
    const parameter = around.names.parameter(around.parameters.length)
    const inner = valueText(body, {
      ...around,
      parameters: [...around.parameters, parameter],
      ...(given?.kind === 'alias' && {
        locals: new Map([...(around.locals ?? []), [given.name, atom(parameter)]]),
      }),
    })
    return closure.write(values, {
      text: `${parameter} => ${within(LEVEL.or, inner)}`,
      level: LEVEL.choice,
      type: 'unknown',
    })
  }
  const row = ZEN_FUNCTIONS.get(name)
  if (row === undefined) throw new Untranslatable(`the function ${quote(name)}`)
  if (args.length < row.least || args.length > row.most)
    throw new Untranslatable(`the function ${quote(name)} with ${args.length} arguments`)
  if (row.difference !== undefined) around.note(row.difference)
  const values = args.map((arg) => (name === 'd' ? operandText(arg, around) : valueText(arg, around)))
  if (name !== 'd' && name !== 'type' && values.some(({ type }) => type === 'date'))
    throw new Untranslatable(`the function ${quote(name)} of a date of \`d\``)
  const written = ofDates(() => row.write(...values) ?? NONE)
  if (written === NONE) throw new Untranslatable(`the function ${quote(name)} with such arguments`)
  return written
}

/** No text: the arguments have no equivalent. */
const NONE = atom('')
