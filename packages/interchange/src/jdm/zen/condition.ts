import type { Zen } from './ast.ts'
import { ZEN_CLOSURES, ZEN_FUNCTIONS } from './functions.ts'
import { allOf, comparison, FALSE, isOf, LEVEL, literal, oneOf, type Text, TRUE, within } from './text.ts'
import {
  areDates,
  assigned,
  isOrdered,
  membership,
  order,
  type Surroundings,
  Untranslatable,
  valueText,
} from './value.ts'

/*
 * Conditions of ZEN switches and tables are false when they fail: without a value of `vip`, `vip or total > 100` is
 * false, and so is `not vip`. Here null counts as false, so the same text would be true. A condition is therefore
 * translated three ways: when it is true, when it is false, and when it does not fail (`sound`). The parts are combined
 * so that a failing part never makes the whole true. When nothing can fail, the result is the plain text. Each level of
 * `or` and `not` may double the text below it; texts beyond 20,000 characters are rejected.
 */

const MAX_LENGTH = 20_000

/** When a condition is true. */
export function trueText(zen: Zen, around: Surroundings): Text {
  return limited(truth(zen, around))
}

function limited(text: Text): Text {
  if (text.text.length > MAX_LENGTH) throw new Untranslatable('a condition that is too long')
  return text
}

function truth(zen: Zen, around: Surroundings): Text {
  switch (zen.kind) {
    case 'unary':
      if (zen.operator === 'not') return falsity(zen.operand, around)
      break
    case 'binary':
      if (zen.operator === 'and') return allOf(truth(zen.left, around), truth(zen.right, around))
      if (zen.operator === 'or') return alternatives(operands(zen, 'or'), around)
      if (zen.operator === '??') break
      if (isDisordered(zen, around)) return FALSE
      // Outside an interval with one null bound, the other bound alone would decide here.
      if (zen.operator === 'not in' && zen.right.kind === 'interval')
        return allOf(sound(zen, around), valueText(zen, around))
      return valueText(zen, around).type === 'boolean' ? valueText(zen, around) : isTrue(zen, around)
    case 'conditional':
      return limited(
        oneOf(
          allOf(truth(zen.condition, around), truth(zen.consequent, around)),
          allOf(falsity(zen.condition, around), truth(zen.alternate, around)),
        ),
      )
    case 'call':
      return calledTruth(zen, around)
    case 'literal':
      return zen.value === true ? TRUE : FALSE
    case 'method': {
      const value = valueText(zen, around)
      if (value.type === 'boolean') return value
      break
    }
    case 'assignment':
      return truth(zen.body, assigned(zen, around))
    default:
      break
  }
  return isTrue(zen, around)
}

/** `a or b or c`: an alternative counts when its predecessors do not fail. */
function alternatives(parts: readonly Zen[], around: Surroundings): Text {
  const [first, ...rest] = parts
  if (first === undefined) return FALSE
  if (rest.length === 0) return truth(first, around)
  return limited(allOf(sound(first, around), oneOf(truth(first, around), alternatives(rest, around))))
}

function falsity(zen: Zen, around: Surroundings): Text {
  switch (zen.kind) {
    case 'unary':
      if (zen.operator === 'not') return truth(zen.operand, around)
      break
    case 'binary':
      return falseBinary(zen, around)
    case 'conditional':
      return limited(
        oneOf(
          allOf(truth(zen.condition, around), falsity(zen.consequent, around)),
          allOf(falsity(zen.condition, around), falsity(zen.alternate, around)),
        ),
      )
    case 'call':
      return calledFalsity(zen, around)
    case 'literal':
      return zen.value === false ? TRUE : FALSE
    case 'method': {
      const value = valueText(zen, around)
      if (value.type === 'boolean') return not(value)
      break
    }
    case 'assignment':
      return falsity(zen.body, assigned(zen, around))
    default:
      break
  }
  return isFalse(zen, around)
}

const ORDERS: ReadonlySet<string> = new Set(['<', '<=', '>', '>='])

/** Whether it compares the order of a value that is certainly neither number nor date: it fails in ZEN. */
function isDisordered({ operator, left, right }: Zen & { readonly kind: 'binary' }, around: Surroundings): boolean {
  if (!ORDERS.has(operator)) return false
  const values = [valueText(left, around), valueText(right, around)]
  const dates = values.filter(({ type }) => type === 'date').length
  return dates === 1 || (dates === 0 && values.some(({ type }) => !isOrdered(type)))
}

const OPPOSITE = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const

function falseBinary(zen: Zen & { readonly kind: 'binary' }, around: Surroundings): Text {
  const { operator, left, right } = zen
  if (isDisordered(zen, around)) return FALSE
  switch (operator) {
    case 'and':
      return limited(oneOf(falsity(left, around), allOf(truth(left, around), falsity(right, around))))
    case 'or':
      return limited(allOf(falsity(left, around), falsity(right, around)))
    case '==':
    case '!=':
      return valueText({ ...zen, operator: operator === '==' ? '!=' : '==' }, around)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return order(OPPOSITE[operator], valueText(left, around), valueText(right, around), around)
    case 'in':
    case 'not in':
      return allOf(sound(zen, around), membership(left, right, operator === 'in' ? 'not in' : 'in', around))
    default:
      return isFalse(zen, around)
  }
}

/** When a condition is true or false: it does not fail. */
function sound(zen: Zen, around: Surroundings): Text {
  switch (zen.kind) {
    case 'literal':
      return typeof zen.value === 'boolean' ? TRUE : FALSE
    case 'unary':
      if (zen.operator === 'not') return sound(zen.operand, around)
      break
    case 'binary':
      return soundBinary(zen, around)
    case 'call':
      return calledSoundness(zen, around)
    case 'conditional':
      return limited(
        oneOf(
          allOf(truth(zen.condition, around), sound(zen.consequent, around)),
          allOf(falsity(zen.condition, around), sound(zen.alternate, around)),
        ),
      )
    case 'method': {
      const value = valueText(zen, around)
      if (value.type === 'boolean') return TRUE
      break
    }
    case 'assignment':
      return sound(zen.body, assigned(zen, around))
    default:
      break
  }
  return isOf('bool', valueText(zen, around))
}

function soundBinary(zen: Zen & { readonly kind: 'binary' }, around: Surroundings): Text {
  const { operator, left, right } = zen
  if (isDisordered(zen, around)) return FALSE
  switch (operator) {
    case 'and':
      return limited(allOf(sound(left, around), oneOf(falsity(left, around), sound(right, around))))
    case 'or':
      return limited(allOf(sound(left, around), oneOf(truth(left, around), sound(right, around))))
    case '==':
    case '!=':
      return TRUE
    case '<':
    case '<=':
    case '>':
    case '>=':
      return areDates(valueText(left, around), valueText(right, around))
        ? TRUE
        : allOf(...[left, right].map((operand) => isNumber(valueText(operand, around))))
    case 'in':
    case 'not in': {
      if (right.kind === 'interval')
        return allOf(...[left, right.from, right.to].map((operand) => isNumber(valueText(operand, around))))
      const list = valueText(right, around)
      return list.type === 'list' ? TRUE : not(isOf('null', list))
    }
    default:
      return isOf('bool', valueText(zen, around))
  }
}

const isNumber = (value: Text): Text => (value.type === 'number' ? TRUE : isOf('number', value))

const isTrue = (zen: Zen, around: Surroundings) => comparison('==', valueText(zen, around), literal(true))
const isFalse = (zen: Zen, around: Surroundings) => comparison('==', valueText(zen, around), literal(false))

const not = (value: Text): Text => ({
  text: `!${within(LEVEL.sign, value)}`,
  level: LEVEL.sign,
  type: 'boolean',
})

type Call = Zen & { readonly kind: 'call' }

function calledTruth(zen: Call, around: Surroundings): Text {
  const value = valueText(zen, around)
  if (value.type !== 'boolean') return comparison('==', value, literal(true))
  return ZEN_CLOSURES.has(zen.name) ? allOf(calledSoundness(zen, around), value) : value
}

function calledFalsity(zen: Call, around: Surroundings): Text {
  const value = valueText(zen, around)
  if (value.type !== 'boolean') return comparison('==', value, literal(false))
  return allOf(calledSoundness(zen, around), not(value))
}

function calledSoundness(zen: Call, around: Surroundings): Text {
  const value = valueText(zen, around)
  if (value.type !== 'boolean') return isOf('bool', value)
  const args = zen.args.map((arg, index) => (ZEN_CLOSURES.has(zen.name) && index > 0 ? TRUE : valueText(arg, around)))
  if (!ZEN_CLOSURES.has(zen.name)) return ZEN_FUNCTIONS.get(zen.name)?.sound?.(...args) ?? TRUE
  // A test that fails for one element fails as a whole in ZEN, and is false for that element here.
  around.note('failure')
  const [list = TRUE] = args
  return list.type === 'list' ? TRUE : isOf('array', list)
}

/** The operands of a chain of one operator. */
function operands(zen: Zen, operator: 'or'): readonly Zen[] {
  const found: Zen[] = []
  let at = zen
  while (at.kind === 'binary' && at.operator === operator) {
    found.unshift(at.right)
    at = at.left
  }
  return [at, ...found]
}
