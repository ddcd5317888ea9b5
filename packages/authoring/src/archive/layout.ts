import { isList, stringifyJson, type Value } from '@engine/expression'
import { type Fields, isFields } from '@engine/ruleset'

/** Line width, as in the formatters of most projects. */
const WIDTH = 120

/**
 * Members that come first in their object, in this order: readers look for the name before the content. All others
 * follow alphabetically, so that equal documents are equal texts wherever they were stored.
 */
const FIRST = [
  'format',
  'id',
  'name',
  'ruleset',
  'version',
  'type',
  'kind',
  'field',
  'label',
  'description',
  'required',
  'config',
  'startStepId',
  'current_environment',
  'contract_mode',
  'hitPolicy',
  'aggregate',
  'columns',
  'bindings',
  'input',
  'now',
  'stubs',
  'expect',
  'outputs',
  'code',
  'message',
  'condition',
  'cells',
  'graph',
  'steps',
  'branches',
  'rows',
  'assignments',
  'nextStepId',
  'defaultNextStepId',
]
const RANKS: ReadonlyMap<string, number> = new Map(FIRST.map((key, index) => [key, index]))
const rankOf = (key: string) => RANKS.get(key) ?? FIRST.length

/** The same value with the members of its objects in canonical order. Linear in the size of the value. */
export function ordered(value: Value): Value {
  if (isList(value)) return value.map(ordered)
  if (!isFields(value)) return value
  return Object.fromEntries(membersOf(value).map(([key, member]) => [key, ordered(member)]))
}

function membersOf(fields: Fields): readonly (readonly [string, Value])[] {
  return Object.entries(fields).toSorted(
    ([left], [right]) => rankOf(left) - rankOf(right) || (left < right ? -1 : Number(left > right)),
  )
}

/**
 * JSON for people and Git: whatever fits on a line is on one line, so that a table row, and a change of it, is one
 * line. Ends with a line break. Linear in the size of the value.
 */
export function layOut(value: Value): string {
  return `${laidOut(ordered(value), '', WIDTH)}\n`
}

/** @param room remaining characters of the line */
function laidOut(value: Value, indent: string, room: number): string {
  const line = inline(value, room)
  if (line !== undefined) return line
  const inner = `${indent}  `
  if (isList(value)) {
    const items = value.map((item) => `${inner}${laidOut(item, inner, WIDTH - inner.length - 1)}`)
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  if (!isFields(value)) return stringifyJson(value)
  const members = Object.entries(value).map(([key, member]) => {
    const name = `${inner}${stringifyJson(key)}: `
    return `${name}${laidOut(member, inner, WIDTH - name.length - 1)}`
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

/** The value on one line of at most `room` characters; undefined when it is longer, which costs no more than `room`. */
function inline(value: Value, room: number): string | undefined {
  if (room < 0) return undefined
  const isArray = isList(value)
  if (!isArray && !isFields(value)) {
    const text = stringifyJson(value)
    return text.length <= room ? text : undefined
  }
  if (isArray && isTabular(value)) return undefined
  const parts: string[] = []
  let left = room - (isArray ? 2 : 4)
  const entries = isArray ? value.map((item) => ['', item] as const) : Object.entries(value)
  for (const [key, member] of entries) {
    const name = isArray ? '' : `${stringifyJson(key)}: `
    const text = inline(member, left - name.length)
    if (text === undefined) return undefined
    parts.push(`${name}${text}`)
    left -= name.length + text.length + 2
  }
  const line = isArray ? `[${parts.join(', ')}]` : parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
  return line.length <= room ? line : undefined
}

/** A list of several objects has one line per object, so that a change of one changes one line. */
const isTabular = (list: readonly Value[]) =>
  list.length > 1 && list.every((item) => isFields(item) && Object.keys(item).length > 1)
