import { isDecimal } from './decimal/decimal.ts'
import type { Value } from './value.ts'

/** A set of JSON types as bits: the possible types of a value. `TYPE.any` is the union of all. */
export type Type = number

export const TYPE = {
  null: 1,
  boolean: 2,
  number: 4,
  string: 8,
  array: 16,
  object: 32,
  any: 63,
} as const

const NAMES: readonly (readonly [Type, string])[] = [
  [TYPE.null, 'null'],
  [TYPE.boolean, 'boolean'],
  [TYPE.number, 'number'],
  [TYPE.string, 'string'],
  [TYPE.array, 'array'],
  [TYPE.object, 'object'],
]

/** The type of one value. */
export function typeOf(value: Value): Type {
  if (value === null) return TYPE.null
  switch (typeof value) {
    case 'boolean':
      return TYPE.boolean
    case 'number':
    case 'bigint':
      return TYPE.number
    case 'string':
      return TYPE.string
    default:
      return Array.isArray(value) ? TYPE.array : isDecimal(value) ? TYPE.number : TYPE.object
  }
}

/** For messages: `number`, `string or array`, `any value`. */
export function typeText(type: Type): string {
  if (type === TYPE.any) return 'any value'
  const names = NAMES.filter(([bit]) => (type & bit) !== 0).map(([, name]) => name)
  return names.length < 2 ? (names[0] ?? 'nothing') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
