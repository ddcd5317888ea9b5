import { isNumber, isObject, type Value } from '@engine/expression'
import { short } from '../ui/json-text.ts'
import type { SavedTest } from './saved-test.ts'

/** Maximum number of columns for input fields; the title of each cell lists further fields. */
const MAX_FIELDS = 6

/** The dotted input fields, the most common first. */
export function inputFields(tests: readonly SavedTest[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { input } of tests) for (const path of pathsIn(input)) counts.set(path, (counts.get(path) ?? 0) + 1)
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_FIELDS)
    .map(([path]) => path)
}

function pathsIn(value: Value): readonly string[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) ? pathsIn(inner).map((path) => `${key}.${path}`) : [key],
  )
}

/** The value at a path of `pathsIn`, whose names may contain dots. */
export function valueAt(value: Value, path: string): Value | undefined {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return value[path]
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const first = path.slice(0, dot)
    const found = Object.hasOwn(value, first) ? valueAt(value[first] ?? null, path.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The values of an output in one line, without field names. */
export function valuesOf(output: Value): string {
  const values = isObject(output) ? Object.values(output) : [output]
  const words = values.map((value) => shownValue(value)).join(' · ')
  return words.length > 40 ? `${words.slice(0, 39)}…` : words
}

/** Whether the values of a field are numbers, which are right-aligned. */
export const isNumeric = (tests: readonly SavedTest[], field: string) =>
  tests.some(({ input }) => isNumber(valueAt(input, field) ?? null))

/** A value in a cell: a text without quotes, everything else as short JSON. */
export const shownValue = (value: Value | undefined) =>
  value === undefined ? '' : typeof value === 'string' ? value : short(value, 24)

/** The set with or without a member. */
export function withMember(set: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(set)
  if (isIn) next.add(id)
  else next.delete(id)
  return next
}
