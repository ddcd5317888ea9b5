import type { Runtime } from '../runtime.ts'
import { TYPE } from '../types.ts'
import { bounded, computed } from '../operators.ts'
import { isNumber, typeName, type Value } from '../value.ts'
import {
  double,
  lambda,
  list,
  number as numberOf,
  numbers,
  optional,
  parameter,
  text as textOf,
  variadic,
  whole,
} from './arguments.ts'
import type { Argument, FunctionDefinition } from './definition.ts'
import { failures } from './failures.ts'
import { mapped } from './list-items.ts'
import type { Call } from '../ast.ts'
import { DecimalError } from '../decimal/decimal.ts'
import { isRoundingMode, round, ROUNDING_MODES, type RoundingMode } from '../decimal/rounding.ts'
import { quote } from '../quote.ts'
import { nearest } from '../suggest/nearest.ts'

const { any, array, number, string } = TYPE

function finite(node: Call, value: number): number {
  if (!Number.isFinite(value)) throw failures.notFinite(node)
  return value
}

/** The sum of numbers as `a + b + …` computes it: exact while all are integers. */
function total({ budget }: Runtime, node: Call, items: readonly (number | bigint)[]): number | bigint {
  budget.spend(items.length)
  let sum: number | bigint = 0
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

/** A power as repeated multiplication computes it: exact for an integer base and exponent. */
function power({ budget }: Runtime, node: Call, base: number | bigint, exponent: number): number | bigint {
  const result = finite(node, Number(base) ** exponent)
  const isWhole = typeof base === 'bigint' || Number.isSafeInteger(base)
  if (!isWhole || !Number.isInteger(exponent) || exponent < 0 || Math.abs(result) <= 1) return result
  // The double may be off by one unit in the last place; rounding makes it the integer.
  if (Math.abs(result) < 2 ** 50) return Math.round(result)
  budget.spend(8)
  return bounded(node, BigInt(base) ** BigInt(exponent))
}

/** `min` and `max`: of a list, or of several arguments. */
function extreme(
  { budget }: Runtime,
  node: Call,
  args: readonly Argument[],
  better: (left: Value, right: Value) => boolean,
): Value {
  const single = args.length === 1 && !isNumber(args[0] as Value) && typeof args[0] !== 'string'
  const items = single ? list(node, 0, args[0]) : (args as readonly Value[])
  let best: Value = null
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

/** Why a text is no rounding mode; undefined: it is one. */
function unknownMode(text: string): string | undefined {
  if (isRoundingMode(text)) return undefined
  const meant = nearest(text, Object.keys(ROUNDING_MODES))
  return `${quote(text)} is not a rounding mode: ${meant === undefined ? Object.keys(ROUNDING_MODES).join(', ') : `did you mean ${quote(meant)}?`}`
}

function modeOf(node: Call, argument: Argument): RoundingMode {
  if (argument === undefined) return 'half_up'
  const mode = textOf(node, 2, argument)
  if (isRoundingMode(mode)) return mode
  throw failures.badArgument(node, 2, unknownMode(mode) ?? '')
}

/**
 * The decimal that a number is written as, rounded; the nearest double to the result. Integers are exact, but for those that
 * are doubles from 2^53 on.
 */
function roundedDouble(node: Call, value: number | bigint, places: number, mode: RoundingMode): number | bigint {
  try {
    const result = round(value, places, mode)
    const isExact = typeof result === 'bigint' && (typeof value === 'bigint' || Number.isSafeInteger(value))
    return isExact ? result : Number(result)
  } catch (error) {
    throw error instanceof DecimalError ? failures.notFinite(node) : error
  }
}

function rounding(
  name: string,
  summary: string,
  round: (value: number) => number,
  example: number,
): FunctionDefinition {
  return {
    name,
    parameters: [parameter('number', number)],
    returns: number,
    summary,
    example: { expression: `${name}(2.5)`, value: example },
    cost: 4,
    bounded: true,
    implementation: (_runtime, node, value) => {
      const given = numberOf(node, 0, value)
      return typeof given === 'bigint' ? given : round(given)
    },
  }
}

export const NUMBER: readonly FunctionDefinition[] = [
  {
    name: 'abs',
    aliases: ['absolute'],
    parameters: [parameter('number', number)],
    returns: number,
    summary: 'The absolute value.',
    example: { expression: 'abs(-3)', value: 3 },
    cost: 4,
    bounded: true,
    implementation: (_runtime, node, value) => {
      const given = numberOf(node, 0, value)
      return given < 0 ? -given : typeof given === 'number' ? Math.abs(given) : given
    },
  },
  {
    name: 'min',
    aliases: ['minimum'],
    parameters: [{ ...parameter('first', any), elements: number | string }, variadic('more', any)],
    alike: true,
    returns: any,
    summary:
      'The smallest element of a list, or of several arguments, all numbers or all strings; null for an empty list.',
    example: { expression: 'min(3, 1, 2)', value: 1 },
    cost: 4,
    implementation: (runtime, node, ...args) =>
      extreme(runtime, node, args, (left, right) => (left as number) < (right as number)),
  },
  {
    name: 'max',
    aliases: ['maximum'],
    parameters: [{ ...parameter('first', any), elements: number | string }, variadic('more', any)],
    alike: true,
    returns: any,
    summary:
      'The largest element of a list, or of several arguments, all numbers or all strings; null for an empty list.',
    example: { expression: 'max([3, 1, 2])', value: 3 },
    cost: 4,
    implementation: (runtime, node, ...args) =>
      extreme(runtime, node, args, (left, right) => (left as number) > (right as number)),
  },
  rounding('floor', 'The largest integer that is not greater.', Math.floor, 2),
  { ...rounding('ceil', 'The smallest integer that is not less.', Math.ceil, 3), aliases: ['ceiling'] },
  {
    name: 'round',
    parameters: [
      parameter('number', number),
      optional('digits', number),
      { ...optional('mode', string), refuses: unknownMode },
    ],
    returns: number,
    summary:
      'Rounded to whole numbers, or to so many decimal places (-15 to 15), by a [mode](semantics.md#rounding); without one half away from zero.',
    example: { expression: 'round(2.345, 2)', value: 2.35 },
    cost: 4,
    bounded: true,
    implementation: (_runtime, node, value, digits, mode) => {
      const given = numberOf(node, 0, value)
      const places = digits === undefined ? 0 : whole(node, 1, digits)
      if (Math.abs(places) > 15) throw failures.badArgument(node, 1, 'digits must be from -15 to 15')
      return roundedDouble(node, given, places, modeOf(node, mode))
    },
  },
  {
    name: 'sqrt',
    parameters: [parameter('number', number)],
    returns: number,
    summary: 'The square root; an error for a negative number.',
    example: { expression: 'sqrt(9)', value: 3 },
    cost: 4,
    implementation: (_runtime, node, value) => finite(node, Math.sqrt(double(node, 0, value))),
  },
  {
    name: 'pow',
    aliases: ['power'],
    parameters: [parameter('base', number), parameter('exponent', number)],
    returns: number,
    summary: 'The base to the power of the exponent; exact for integers.',
    example: { expression: 'pow(2, 10)', value: 1024 },
    cost: 4,
    implementation: (runtime, node, base, exponent) =>
      power(runtime, node, numberOf(node, 0, base), double(node, 1, exponent)),
  },
  {
    name: 'sum',
    aliases: ['total'],
    parameters: [
      { ...parameter('list', array), elements: number },
      { ...lambda('f', number), optional: true },
    ],
    returns: number,
    summary: "The sum of a list of numbers, or of a function's results for each element; 0 for an empty list.",
    example: { expression: 'sum(items, i => i.price)', input: { items: [{ price: 2 }, { price: 3 }] }, value: 5 },
    cost: 4,
    implementation: (runtime, node, value, f) =>
      total(runtime, node, numbers(runtime, node, f === undefined ? 0 : 1, mapped(runtime, node, value, f))),
  },
  {
    name: 'avg',
    aliases: ['average', 'mean'],
    parameters: [
      { ...parameter('list', array), elements: number },
      { ...lambda('f', number), optional: true },
    ],
    returns: number | TYPE.null,
    summary: "The mean of a list of numbers, or of a function's results for each element; null for an empty list.",
    example: { expression: 'avg([1, 2, 6])', value: 3 },
    cost: 4,
    implementation: (runtime, node, value, f) => {
      const items = numbers(runtime, node, f === undefined ? 0 : 1, mapped(runtime, node, value, f))
      return items.length === 0 ? null : computed(node, '/', total(runtime, node, items), items.length)
    },
  },
]
