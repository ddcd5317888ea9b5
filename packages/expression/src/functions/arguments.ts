import type { Call } from '../ast.ts'
import type { NumberValue } from '../decimal/decimal.ts'
import type { EvaluationError, Runtime } from '../runtime.ts'
import { isList, isNumber, isObject, type ObjectValue, typeName, type Value } from '../value.ts'
import type { Argument, Callback, Parameter } from '../function-definition.ts'
import { failures } from './failures.ts'
import type { Type } from '../types.ts'

/** Parameter declarations. */
export const parameter = (name: string, type: Type): Parameter => ({ name, type })
export const optional = (name: string, type: Type): Parameter => ({ name, type, optional: true })
export const variadic = (name: string, type: Type): Parameter => ({ name, type, variadic: true })
export const lambda = (name: string, type: Type): Parameter => ({ name, type, lambda: true })

/** The argument as a value; null for an absent one. The checker has rejected functions where a value is expected. */
export function value(argument: Argument): Value {
  return argument === undefined || typeof argument === 'function' ? null : argument
}

function refuse(node: Call, index: number, expected: string, argument: Argument): never {
  const found = value(argument)
  throw found === null
    ? failures.nullArgument(node, index, expected)
    : failures.argumentType(node, index, expected, typeName(found))
}

/** Readers of arguments: the typed value, or an error that names the argument. */
export function text(node: Call, index: number, argument: Argument): string {
  return typeof argument === 'string' ? argument : refuse(node, index, 'a string', argument)
}

export function number(node: Call, index: number, argument: Argument): NumberValue {
  const found = value(argument)
  return isNumber(found) ? found : refuse(node, index, 'a number', argument)
}

/** A number as a double, for functions without an exact meaning on large integers. */
export function double(node: Call, index: number, argument: Argument): number {
  return Number(number(node, index, argument))
}

/** A number truncated to a safe integer. */
export function whole(node: Call, index: number, argument: Argument): number {
  const found = Math.trunc(double(node, index, argument))
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, found))
}

export function list(node: Call, index: number, argument: Argument): readonly Value[] {
  return isList(argument) ? argument : refuse(node, index, 'a list', argument)
}

export function object(node: Call, index: number, argument: Argument): ObjectValue {
  const found = value(argument)
  return isObject(found) ? found : refuse(node, index, 'an object', argument)
}

/** A lambda: the interpreter and generated code charge each call by the size of its body. */
export function callback(argument: Argument): Callback {
  if (typeof argument === 'function') return argument
  throw new TypeError('a lambda must be a function')
}

/** The failure of a list for its first item that is not accepted. */
export function wrongItem(
  node: Call,
  index: number,
  items: readonly Value[],
  expected: string,
  isAccepted: (item: Value) => boolean,
): EvaluationError {
  const wrong = items.findIndex((item) => !isAccepted(item))
  return failures.itemType(node, index, wrong, expected, typeName(items[wrong] ?? null))
}

/** The items of a list as numbers. Charges a unit for each. */
export function numbers(
  { budget }: Runtime,
  node: Call,
  index: number,
  items: readonly Value[],
): readonly NumberValue[] {
  budget.spend(items.length)
  if (items.every(isNumber)) return items
  throw wrongItem(node, index, items, 'numbers', isNumber)
}

/** The items of a list as texts. Charges a unit for each. */
export function texts({ budget }: Runtime, node: Call, index: number, items: readonly Value[]): readonly string[] {
  budget.spend(items.length)
  const isText = (item: Value) => typeof item === 'string'
  if (items.every(isText)) return items
  throw wrongItem(node, index, items, 'strings', isText)
}
