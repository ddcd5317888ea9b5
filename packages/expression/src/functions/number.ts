import type { Runtime } from '../runtime.ts'
import { TYPE } from '../types.ts'
import { bounded, computed, type Ordered, orderOf } from '../operators.ts'
import { isNumber, negated, typeName, type Value } from '../value.ts'
import {
  double,
  lambda,
  list,
  number as numberOf,
  numbers,
  optional,
  parameter,
  text as textOf,
  value as valueOf,
  variadic,
  whole,
} from './arguments.ts'
import type { Argument, FunctionDefinition } from '../function-definition.ts'
import { failures } from './failures.ts'
import { mapped } from './list-items.ts'
import type { Call } from '../ast.ts'
import { computedDecimal } from '../decimal-operators.ts'
import { digitsOfPower, MAX_EXPONENT, power as powerOf, squareRoot } from '../decimal/arithmetic.ts'
import { DecimalError, numberOfText, type NumberValue } from '../decimal/decimal.ts'
import {
  isRoundingMode,
  MIN_PLACES,
  MAX_PLACES,
  round,
  ROUNDING_MODES,
  type RoundingMode,
  roundQuotient,
} from '../decimal/rounding.ts'
import { quote } from '../quote.ts'
import { nearest } from '../suggest/nearest.ts'

const { any, array, number, string } = TYPE

function finite(node: Call, value: number): number {
  if (!Number.isFinite(value)) throw failures.notFinite(node)
  return value
}

/** The sum of numbers as `a + b + …` computes it: exact while all are integers. */
function total({ budget }: Runtime, node: Call, items: readonly NumberValue[]): NumberValue {
  budget.spend(items.length)
  let sum: NumberValue = 0
  let hasLarge = false
  for (const item of items) {
    const next: number = typeof item === 'number' && typeof sum === 'number' ? sum + item : NaN
    if (next <= Number.MAX_SAFE_INTEGER && next >= Number.MIN_SAFE_INTEGER) {
      sum = next
      continue
    }
    if (!hasLarge) budget.spend(8 * items.length)
    hasLarge = true
    sum = computed(node, '+', sum, item)
  }
  return sum
}

/** The sum of decimals, as `a + b + …` computes it. */
function decimalTotal(runtime: Runtime, node: Call, items: readonly NumberValue[]): NumberValue {
  runtime.budget.spend(2 * items.length)
  return items.reduce<NumberValue>((sum, item) => computedDecimal(runtime, node, '+', sum, item), 0)
}

/** A power as repeated multiplication computes it: exact for an integer base and exponent. */
function power({ budget }: Runtime, node: Call, base: NumberValue, exponent: number): number | bigint {
  const result = finite(node, Number(base) ** exponent)
  if (typeof base === 'object') return result
  const isWhole = typeof base === 'bigint' || Number.isSafeInteger(base)
  if (!isWhole || !Number.isInteger(exponent) || exponent < 0 || Math.abs(result) <= 1) return result
  // The double may be off by one unit in the last place; rounding makes it the integer.
  if (Math.abs(result) < 2 ** 50) return Math.round(result)
  budget.spend(8)
  return bounded(node, BigInt(base) ** BigInt(exponent))
}

/** A decimal power: integer exponents exactly, rounded once; others by doubles. */
function decimalPower({ budget }: Runtime, node: Call, base: NumberValue, exponent: number): NumberValue {
  if (!Number.isInteger(exponent) || Math.abs(exponent) > MAX_EXPONENT) {
    const result = numberOfText(String(finite(node, Number(base) ** exponent)))
    if (result === undefined) throw failures.notFinite(node)
    return result
  }
  const digits = inCall(node, () => digitsOfPower(base, exponent))
  budget.spend(8 + digits + Math.ceil(digits ** 2 / 4096))
  return inCall(node, () => powerOf(base, exponent))
}

/** `min` and `max`: of a list, or of several arguments. */
function extreme(
  { budget }: Runtime,
  node: Call,
  args: readonly Argument[],
  better: (left: Ordered, right: Ordered) => boolean,
): Value {
  const values = args.map(valueOf)
  const [first = null] = values
  const single = args.length === 1 && !isNumber(first) && typeof first !== 'string'
  const items = single ? list(node, 0, first) : values
  let best: Ordered | null = null
  for (const [index, item] of items.entries()) {
    budget.spend(typeof item === 'string' ? 2 + (item.length >> 2) : 2)
    const place = single ? 0 : index
    if (!isNumber(item) && typeof item !== 'string') {
      if (!single && item === null) throw failures.nullArgument(node, place, 'numbers or strings')
      throw single
        ? failures.itemType(node, 0, index, 'numbers or strings', typeName(item))
        : failures.argumentType(node, place, 'numbers or strings', typeName(item))
    }
    if (best !== null && (typeof item === 'string') !== (typeof best === 'string'))
      throw failures.itemType(
        node,
        place,
        index,
        typeof best === 'string' ? 'only strings' : 'only numbers',
        typeName(item),
      )
    if (best === null || better(item, best)) best = item
  }
  return best
}

/** The reason why a text is not a rounding mode; undefined if it is one. */
function unknownMode(text: string): string | undefined {
  if (isRoundingMode(text)) return undefined
  const meant = nearest(text, Object.keys(ROUNDING_MODES))
  return `${quote(text)} is not a rounding mode: ${meant === undefined ? Object.keys(ROUNDING_MODES).join(', ') : `did you mean ${quote(meant)}?`}`
}

function modeOf(node: Call, index: number, argument: Argument): RoundingMode {
  if (argument === undefined) return 'half_up'
  const mode = textOf(node, index, argument)
  if (isRoundingMode(mode)) return mode
  throw failures.badArgument(node, index, unknownMode(mode) ?? '')
}

/** The argument as a number of decimal places. */
function placesOf(node: Call, digits: Argument): number {
  const places = digits === undefined ? 0 : whole(node, 1, digits)
  if (places >= MIN_PLACES && places <= MAX_PLACES) return places
  throw failures.badArgument(node, 1, `digits must be from ${MIN_PLACES} to ${MAX_PLACES}`)
}

/** Units of a rounding that doubles cannot decide. */
const DIGITS_COST = 8

function rounded(runtime: Runtime, node: Call, value: NumberValue, places: number, mode: RoundingMode): NumberValue {
  if (typeof value !== 'number') runtime.budget.spend(DIGITS_COST)
  return inCall(node, () => round(value, places, mode))
}

/** The result of a decimal computation; a failure becomes that of the call. */
function inCall<Result>(node: Call, compute: () => Result): Result {
  try {
    return compute()
  } catch (error) {
    throw error instanceof DecimalError ? failures.notFinite(node) : error
  }
}

/**
 * Rounds the decimal of a number's shortest text, and returns the nearest double. Integers are exact, except doubles
 * from 2^53 on.
 */
function roundedDouble(node: Call, value: NumberValue, places: number, mode: RoundingMode): number | bigint {
  const result = inCall(node, () => round(value, places, mode))
  const isExact = typeof result === 'bigint' && (typeof value === 'bigint' || Number.isSafeInteger(value))
  return isExact ? result : Number(result)
}

function rounding(name: string, wholeOf: (value: number) => number, mode: RoundingMode): FunctionDefinition {
  return {
    name,
    parameters: [parameter('number', number)],
    returns: number,
    cost: 4,
    bounded: true,
    implementation: (_runtime, node, value) => {
      const given = numberOf(node, 0, value)
      return typeof given === 'bigint' ? given : wholeOf(Number(given))
    },
    decimal: (runtime, node, value) => rounded(runtime, node, numberOf(node, 0, value), 0, mode),
  }
}

export const NUMBER: readonly FunctionDefinition[] = [
  {
    name: 'abs',
    aliases: ['absolute'],
    parameters: [parameter('number', number)],
    returns: number,
    cost: 4,
    bounded: true,
    implementation: (_runtime, node, value) => {
      const given = numberOf(node, 0, value)
      if (typeof given === 'number') return Math.abs(given)
      return orderOf(given, 0) < 0 ? negated(given) : given
    },
  },
  {
    name: 'min',
    aliases: ['minimum'],
    parameters: [{ ...parameter('first', any), elements: number | string }, variadic('more', any)],
    alike: true,
    returns: any,
    cost: 4,
    implementation: (runtime, node, ...args) => extreme(runtime, node, args, (left, right) => orderOf(left, right) < 0),
  },
  {
    name: 'max',
    aliases: ['maximum'],
    parameters: [{ ...parameter('first', any), elements: number | string }, variadic('more', any)],
    alike: true,
    returns: any,
    cost: 4,
    implementation: (runtime, node, ...args) => extreme(runtime, node, args, (left, right) => orderOf(left, right) > 0),
  },
  rounding('floor', Math.floor, 'floor'),
  { ...rounding('ceil', Math.ceil, 'ceiling'), aliases: ['ceiling'] },
  {
    name: 'round',
    parameters: [
      parameter('number', number),
      optional('digits', number),
      { ...optional('mode', string), refuses: unknownMode },
    ],
    returns: number,
    cost: 4,
    bounded: true,
    implementation: (_runtime, node, value, digits, mode) => {
      const given = numberOf(node, 0, value)
      const places = digits === undefined ? 0 : whole(node, 1, digits)
      if (Math.abs(places) > 15) throw failures.badArgument(node, 1, 'digits must be from -15 to 15')
      return roundedDouble(node, given, places, modeOf(node, 2, mode))
    },
    decimal: (runtime, node, value, digits, mode) => {
      const given = numberOf(node, 0, value)
      return rounded(runtime, node, given, placesOf(node, digits), modeOf(node, 2, mode))
    },
    ofQuotient: ({ budget }, node, dividend, divisor, digits, mode) => {
      const [places, by] = [placesOf(node, digits), modeOf(node, 2, mode)]
      budget.spend(DIGITS_COST)
      return inCall(node, () => roundQuotient(numberOf(node, 0, dividend), numberOf(node, 0, divisor), places, by))
    },
  },
  {
    name: 'sqrt',
    parameters: [parameter('number', number)],
    returns: number,
    cost: 4,
    implementation: (_runtime, node, value) => finite(node, Math.sqrt(double(node, 0, value))),
    decimal: ({ budget }, node, value) => {
      const square = numberOf(node, 0, value)
      if (orderOf(square, 0) < 0) throw failures.notFinite(node)
      budget.spend(8 * DIGITS_COST)
      return inCall(node, () => squareRoot(square))
    },
  },
  {
    name: 'pow',
    aliases: ['power'],
    parameters: [parameter('base', number), parameter('exponent', number)],
    returns: number,
    cost: 4,
    implementation: (runtime, node, base, exponent) =>
      power(runtime, node, numberOf(node, 0, base), double(node, 1, exponent)),
    decimal: (runtime, node, base, exponent) =>
      decimalPower(runtime, node, numberOf(node, 0, base), double(node, 1, exponent)),
  },
  {
    name: 'sum',
    aliases: ['total'],
    parameters: [
      { ...parameter('list', array), elements: number },
      { ...lambda('f', number), optional: true },
    ],
    returns: number,
    cost: 4,
    implementation: (runtime, node, value, f) =>
      total(runtime, node, numbers(runtime, node, f === undefined ? 0 : 1, mapped(runtime, node, value, f))),
    decimal: (runtime, node, value, f) =>
      decimalTotal(runtime, node, numbers(runtime, node, f === undefined ? 0 : 1, mapped(runtime, node, value, f))),
  },
  {
    name: 'avg',
    aliases: ['average', 'mean'],
    parameters: [
      { ...parameter('list', array), elements: number },
      { ...lambda('f', number), optional: true },
    ],
    returns: number | TYPE.null,
    cost: 4,
    implementation: (runtime, node, value, f) => {
      const items = numbers(runtime, node, f === undefined ? 0 : 1, mapped(runtime, node, value, f))
      return items.length === 0 ? null : computed(node, '/', total(runtime, node, items), items.length)
    },
    decimal: (runtime, node, value, f) => {
      const items = numbers(runtime, node, f === undefined ? 0 : 1, mapped(runtime, node, value, f))
      if (items.length === 0) return null
      return computedDecimal(runtime, node, '/', decimalTotal(runtime, node, items), items.length)
    },
  },
]
