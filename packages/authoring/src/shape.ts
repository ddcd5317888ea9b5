import { tableKeys, defined, isList, quote, type Value } from '@engine/expression'
import { at, described, type Fields, isFields, member, type Place } from '@engine/ruleset'
import { messages, type Report } from './problem.ts'

/** Decodes a value of a document; undefined after a problem of its shape. */
export type Decode<Result> = (report: Report, place: Place | undefined, value: Value) => Result | undefined

/** The decoders of a record's members; `null` counts as absent. */
export type Members<Result> = {
  readonly [Key in keyof Result]-?: Decode<Exclude<Result[Key], undefined>>
}

function scalar<Result extends Value>(expected: string, is: (value: Value) => value is Result): Decode<Result> {
  return (report, place, value) =>
    is(value) ? value : report.error(place, messages.wrongType(expected, described(value)))
}

export const text = scalar('a text', (value) => typeof value === 'string')
export const number = scalar('a number', (value) => typeof value === 'number')
export const flag = scalar('`true` or `false`', (value) => typeof value === 'boolean')
export const object = scalar('an object', (value): value is Fields => isFields(value))
export const anything = scalar('a value', (value): value is Value => value !== undefined)

/** One of the given words. */
export function oneOf<Word extends string>(...words: readonly Word[]): Decode<Word> {
  const expected = `one of ${words.map((word) => quote(word)).join(', ')}`
  return scalar(expected, (value): value is Word => words.some((word) => word === value))
}

/** A list; undefined when an item is invalid. */
export function listOf<Item>(item: Decode<Item>): Decode<readonly Item[]> {
  return (report, place, value) => {
    if (!isList(value)) return report.error(place, messages.wrongType('a list', described(value)))
    const items = value.map((inner, index) => item(report, at(place, index), inner))
    return items.every((inner) => inner !== undefined) ? items : undefined
  }
}

/** A map with values of one kind; undefined when one of them is invalid. */
export function mapOf<Item>(item: Decode<Item>): Decode<{ readonly [key: string]: Item }> {
  return (report, place, value) => {
    if (!isFields(value)) return report.error(place, messages.wrongType('an object', described(value)))
    const entries = Object.entries(value).map(([key, inner]) => [key, item(report, at(place, key), inner)] as const)
    if (entries.some(([, inner]) => inner === undefined)) return undefined
    return Object.fromEntries(entries) as { readonly [key: string]: Item }
  }
}

/**
 * An object with the given members, of which the `required` ones must be present. Other members are kept unchanged.
 * Undefined when a member is invalid.
 */
export function record<Result extends object>(
  required: readonly (keyof Result & string)[],
  members: Members<Result>,
): Decode<Result> {
  const keys = tableKeys(members)
  return (report, place, value) => {
    if (!isFields(value)) return report.error(place, messages.wrongType('an object', described(value)))
    const result: Record<string, unknown> = { ...value }
    let isWhole = true
    for (const key of keys) {
      const given = member(value, key) ?? undefined
      if (given === undefined) {
        delete result[key]
        if (!required.includes(key)) continue
        isWhole = false
        report.error(at(place, key), messages.missing(key, 'given'))
        continue
      }
      const decode: Decode<unknown> = members[key]
      const decoded = decode(report, at(place, key), given)
      if (decoded === undefined) isWhole = false
      else result[key] = decoded
    }
    // The decoders guarantee the types of the members; this is the only place with this cast.
    return isWhole ? (result as Result) : undefined
  }
}

/** Also accepts alternative member names, which older documents use. */
export function renamed<Result>(names: Readonly<Record<string, string>>, decode: Decode<Result>): Decode<Result> {
  return (report, place, value) => {
    if (!isFields(value)) return decode(report, place, value)
    const entries = Object.entries(value).map(([key, inner]) => {
      const name = Object.hasOwn(names, key) ? defined(names[key]) : key
      return [name === key || Object.hasOwn(value, name) ? key : name, inner] as const
    })
    return decode(report, place, Object.fromEntries(entries))
  }
}
