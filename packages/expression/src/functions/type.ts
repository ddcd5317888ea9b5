import { numberOfText, type NumberValue } from '../decimal/decimal.ts'
import { round } from '../decimal/rounding.ts'
import type { Call } from '../ast.ts'
import { quote } from '../quote.ts'
import type { Runtime } from '../runtime.ts'
import { TYPE, type Type, typeOf } from '../types.ts'
import { isTrue } from '../truth.ts'
import { isNumber, normalizeInteger, typeName } from '../value.ts'
import { parameter, value as valueOf, variadic } from './arguments.ts'
import type { Argument, FunctionDefinition } from '../function-definition.ts'
import { failures } from './failures.ts'
import { printed } from './value-text.ts'

const { any, array, boolean, number, object, string } = TYPE
const value = parameter('value', any)

function test(name: string, type: Type): FunctionDefinition {
  return {
    name,
    parameters: [value],
    returns: boolean,
    tests: type,
    cost: 2,
    bounded: true,
    implementation: (_runtime, _node, given) => (typeOf(valueOf(given)) & type) !== 0,
  }
}

const DECIMAL = /^\s*[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/
const INTEGER = /^\s*[-+]?\d{1,400}\s*$/

/** The number in a text, integers exact; undefined when it is not a number. */
function parsed(text: string): NumberValue | undefined {
  if (INTEGER.test(text)) {
    const large = BigInt(text.trim().replace(/^\+/, ''))
    return Number.isFinite(Number(large)) ? normalizeInteger(large) : undefined
  }
  const result = DECIMAL.test(text) ? Number(text) : NaN
  return Number.isFinite(result) ? result : undefined
}

/** The decimal in a text; undefined if it contains none. */
function parsedDecimal(text: string): NumberValue | undefined {
  const [, sign = '', digits] = /^\s*([-+]?)(.*?)\s*$/.exec(text) ?? []
  if (digits === undefined || !DECIMAL.test(digits)) return undefined
  return numberOfText(`${sign === '-' ? '-' : ''}${digits.startsWith('.') ? '0' : ''}${digits}`)
}

const toNumberBy =
  (read: typeof parsed): ((runtime: Runtime, node: Call, given: Argument) => NumberValue) =>
  ({ budget }, node, given) => {
    const from = valueOf(given)
    if (typeof from === 'string') budget.spend(from.length)
    if (isNumber(from)) return from
    if (typeof from === 'boolean') return from ? 1 : 0
    const result = typeof from === 'string' ? read(from) : undefined
    if (result !== undefined) return result
    if (typeof from === 'string') throw failures.badArgument(node, 0, `${quote(from)} is not a number`)
    throw from === null
      ? failures.nullArgument(node, 0, 'a number, string or boolean')
      : failures.argumentType(node, 0, 'a number, string or boolean', typeName(from))
  }

const toNumber = toNumberBy(parsed)
const toDecimal = toNumberBy(parsedDecimal)

export const TYPES: readonly FunctionDefinition[] = [
  {
    name: 'type',
    aliases: ['typeof'],
    parameters: [value],
    returns: string,
    cost: 2,
    bounded: true,
    implementation: (_runtime, _node, given) => typeName(valueOf(given)),
  },
  {
    name: 'is_null',
    parameters: [value],
    returns: boolean,
    guarded: true,
    tests: TYPE.null,
    cost: 2,
    bounded: true,
    implementation: (_runtime, _node, given) => given === null,
  },
  test('is_number', number),
  test('is_string', string),
  test('is_bool', boolean),
  test('is_array', array),
  test('is_object', object),
  {
    name: 'exists',
    aliases: ['defined', 'is_defined', 'isset'],
    parameters: [parameter('path', any)],
    returns: boolean,
    guarded: true,
    argument: 'path',
    form: 'Exists',
    // For a path, both ways of execution check it directly; the parser has already rejected any other argument.
    cost: 2,
    bounded: true,
    implementation: (_runtime, _node, given) => given !== null,
  },
  {
    name: 'coalesce',
    aliases: ['ifnull', 'nvl', 'default'],
    parameters: [variadic('values', any)],
    returns: any,
    guarded: true,
    lazy: true,
    form: 'Coalesce',
    cost: 2,
    bounded: true,
    implementation: (_runtime, _node, ...values) => values.map(valueOf).find((given) => given !== null) ?? null,
  },
  {
    name: 'to_number',
    parameters: [value],
    returns: number,
    cost: 2,
    implementation: toNumber,
    decimal: toDecimal,
  },
  {
    name: 'to_float',
    aliases: ['parse_float', 'float'],
    parameters: [value],
    returns: number,
    cost: 2,
    implementation: toNumber,
    decimal: toDecimal,
  },
  {
    name: 'decimal',
    parameters: [value],
    returns: number,
    cost: 2,
    numbers: 'decimal',
    implementation: toDecimal,
  },
  {
    name: 'to_int',
    aliases: ['truncate', 'trunc', 'parse_int', 'int'],
    parameters: [value],
    returns: number,
    cost: 2,
    implementation: (runtime, node, given) => {
      const result = toNumber(runtime, node, given)
      return typeof result === 'bigint' ? result : Math.trunc(Number(result))
    },
    decimal: (runtime, node, given) => round(toDecimal(runtime, node, given), 0, 'down'),
  },
  {
    name: 'to_string',
    aliases: ['str'],
    parameters: [value],
    returns: string,
    cost: 2,
    implementation: (runtime, node, given) => printed(runtime, node, valueOf(given)),
  },
  {
    name: 'to_bool',
    aliases: ['bool'],
    parameters: [value],
    returns: boolean,
    cost: 2,
    implementation: ({ budget }, _node, given) => isTrue(valueOf(given), budget),
  },
]
