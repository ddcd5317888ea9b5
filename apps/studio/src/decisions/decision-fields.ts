import { isObject, type Value } from '@engine/expression'
import type { ReplayedOutcome } from '../language/tasks.ts'
import { pretty } from '../ui/json-text.ts'

/** A decision that an engine recorded. */
export interface Decision {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly environment: string
  readonly digest: string
  readonly input: Value
  readonly code: string
  readonly output: Value
  /** External calls with their answers; null if they were not recorded. */
  readonly calls: Value
}

/** A decision from a line of the list; undefined if it is malformed. */
export function decisionIn(value: Value): Decision | undefined {
  if (!isObject(value)) return undefined
  const { id, at, environment, digest, input = null, code, output = null, calls = null } = value
  if (typeof id !== 'string' || typeof at !== 'string' || typeof code !== 'string') return undefined
  const text = (one: Value | undefined) => (typeof one === 'string' ? one : '')
  return { id, at: Date.parse(at), environment: text(environment), digest: text(digest), input, code, output, calls }
}

/** Responses of the platform are JSON, so their members are values. */
const isValue = (json: unknown): json is Value => json !== undefined

/** A decision from a response of the platform. */
export const recordedIn = (recorded: object): Decision | undefined =>
  isValue(recorded) ? decisionIn(recorded) : undefined

/** Dotted paths of the values of an input, except those within lists. */
export function pathsOf(value: Value, prefix = ''): readonly string[] {
  if (!isObject(value)) return prefix === '' ? [] : [prefix]
  return Object.entries(value).flatMap(([name, member]) => pathsOf(member, prefix === '' ? name : `${prefix}.${name}`))
}

/** The value at a dotted path. */
export const valueAt = (value: Value, path: string): Value | undefined =>
  path
    .split('.')
    .reduce<Value | undefined>(
      (found, name) => (found !== undefined && isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
      value,
    )

/** The most common paths of the inputs, the most frequent first. */
export function commonPaths(
  decisions: readonly Decision[],
  most: number,
  part: 'input' | 'output' = 'input',
): readonly string[] {
  const counts = new Map<string, number>()
  for (const decision of decisions.slice(0, 200))
    for (const path of pathsOf(decision[part])) counts.set(path, (counts.get(path) ?? 0) + 1)
  return [...counts]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, most)
    .map(([path]) => path)
}

/** Those of the paths whose values are numbers in all inputs that have them. */
export const numericPaths = (decisions: readonly Decision[], paths: readonly string[]): ReadonlySet<string> =>
  new Set(
    paths.filter((path) =>
      decisions.every(({ input }) => ['number', 'undefined'].includes(typeof valueAt(input, path))),
    ),
  )

/** A filter on one field, by its displayed values. */
export interface FieldFilter {
  readonly path: string
  readonly values: readonly string[]
}

/** A value in the form that filters compare. */
export const shownValue = (value: Value | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : pretty(value).replaceAll(/\n\s*/g, ' ')

/** Decisions that match all filters; without codes, all codes match. */
export function filtered(
  decisions: readonly Decision[],
  codes: readonly string[],
  fields: readonly FieldFilter[],
): readonly Decision[] {
  return decisions.filter(
    ({ code, input }) =>
      (codes.length === 0 || codes.includes(code)) &&
      fields.every(({ path, values }) => values.includes(shownValue(valueAt(input, path)))),
  )
}

/** Number of decisions by code in equal intervals of a time range. */
export function countsByCode(
  decisions: readonly Decision[],
  from: number,
  to: number,
  steps: number,
): { readonly times: readonly number[]; readonly codes: ReadonlyMap<string, readonly number[]> } {
  const step = Math.max(1, (to - from) / steps)
  const times = Array.from({ length: steps }, (_, index) => from + index * step)
  const codes = new Map<string, number[]>()
  for (const { at, code } of decisions) {
    const index = Math.min(steps - 1, Math.floor((at - from) / step))
    if (index < 0) continue
    const values = codes.getOrInsertComputed(code, () => times.map(() => 0))
    values[index] = (values[index] ?? 0) + 1
  }
  return { times, codes }
}

/** The effect of a replay on a decision; undefined if nothing changes. */
export interface Change {
  readonly from: string
  /** Null: the execution failed. */
  readonly to: string | null
  /** Paths of the output whose values differ. */
  readonly fields: readonly string[]
}

export function changeOf({ code, output }: Decision, outcome: ReplayedOutcome): Change | undefined {
  const paths = [...new Set([...pathsOf(output), ...(outcome.output === null ? [] : pathsOf(outcome.output))])]
  const fields = paths.filter(
    (path) =>
      shownValue(valueAt(output, path)) !==
      shownValue(outcome.output === null ? undefined : valueAt(outcome.output, path)),
  )
  return code === outcome.code && fields.length === 0 ? undefined : { from: code, to: outcome.code, fields }
}

/** Groups changes by their effect, the most frequent first: a code, or one value of the output. */
export function changeGroups(
  changes: readonly { readonly decision: Decision; readonly outcome: ReplayedOutcome; readonly change: Change }[],
): readonly {
  readonly key: string
  readonly field: string | undefined
  readonly from: string
  readonly to: string | null
  readonly count: number
}[] {
  const groups = new Map<
    string,
    { key: string; field: string | undefined; from: string; to: string | null; count: number }
  >()
  for (const { decision, outcome, change } of changes) {
    const [field] = change.from === change.to ? change.fields : []
    const from = field === undefined ? change.from : shownValue(valueAt(decision.output, field))
    const to =
      field === undefined ? change.to : shownValue(outcome.output === null ? undefined : valueAt(outcome.output, field))
    const key = `${field ?? ''}\n${from}\n${to ?? ''}`
    groups.getOrInsertComputed(key, () => ({ key, field, from, to, count: 0 })).count++
  }
  return [...groups.values()].toSorted((left, right) => right.count - left.count)
}

/** The value of a masked field. */
export const MASK = '***'

/** Whether a value, or any value within it, was masked. */
export function isMasked(value: Value): boolean {
  if (value === MASK) return true
  if (Array.isArray(value)) return value.some(isMasked)
  return isObject(value) && Object.values(value).some(isMasked)
}
