import type { InputField } from '@engine/authoring'
import { isObject, numberOfText, type Value } from '@engine/expression'

/** The input of a ruleset. */
export type Input = { readonly [key: string]: Value }

/** The value at a dotted path. */
export function valueAt(input: Value | undefined, path: readonly string[]): Value | undefined {
  const [key, ...rest] = path
  if (key === undefined) return input
  return input !== undefined && isObject(input) && Object.hasOwn(input, key) ? valueAt(input[key], rest) : undefined
}

/** The input with a value at a dotted path; undefined removes it. */
export function withValue(input: Input, [key = '', ...rest]: readonly string[], value: Value | undefined): Input {
  if (rest.length === 0) {
    const { [key]: _old, ...others } = input
    return value === undefined ? others : { ...others, [key]: value }
  }
  const inner = input[key]
  return { ...input, [key]: withValue(inner !== undefined && isObject(inner) ? inner : {}, rest, value) }
}

const JSON_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** Typed text as a value of the field's type; undefined if it is invalid. */
export function typedValue(text: string, type: string): Value | undefined {
  if (text === '') return undefined
  if (type === 'boolean') return text === 'true'
  if (type === 'decimal') return JSON_NUMBER.test(text) ? (numberOfText(text) ?? text) : text
  const number = Number(text)
  return (type === 'number' || type === 'integer') && Number.isFinite(number) ? number : text
}

/** Fields of a contract whose values fit into one control; the others are edited as JSON. */
export const isPlain = ({ type }: InputField) =>
  ['string', 'number', 'integer', 'decimal', 'boolean', 'date', 'datetime', 'any'].includes(type)
