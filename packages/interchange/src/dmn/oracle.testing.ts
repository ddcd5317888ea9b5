import type { Value } from '@engine/expression'
import { date, evaluate, unaryTest } from 'feelin'
import type { WrittenTable } from './model.testing.ts'
import { INPUTS } from './random-table.testing.ts'

/** Variable values in scope of expressions. */
export type FeelContext = { readonly [name: string]: unknown }

/** The inputs as FEEL values: dates have their own type. */
export function contextOf(input: { readonly [name: string]: Value }): FeelContext {
  const days = new Set<string>(INPUTS.flatMap(([name, type]) => (type === 'date' ? [name] : [])))
  const values = Object.entries(input).map(([name, value]) => [
    name,
    days.has(name) && typeof value === 'string' ? date(value) : value,
  ])
  return Object.fromEntries(values) as FeelContext
}

const valueOf = (expression: string, context: FeelContext): Value =>
  JSON.parse(JSON.stringify(evaluate(expression, context).value)) as Value

/**
 * The result of a table by its hit policy (DMN 1.3, 8.2.8), with rules evaluated by another FEEL implementation.
 * Undefined when the matching rules violate the policy.
 */
export function decideTable(table: WrittenTable, context: FeelContext): Value | undefined {
  const { inputs, outputs, rules, hitPolicy = 'UNIQUE', aggregation } = table
  const matching = rules.filter((rule) => inputs.every(([name], at) => passes(rule[at] ?? '', context, context[name])))
  const values = matching.map((rule) => rule.slice(inputs.length).map((text) => valueOf(text, context)))
  const result = (cells: readonly Value[]): Value =>
    outputs.length === 1
      ? (cells[0] ?? null)
      : Object.fromEntries(outputs.map(({ name = '' }, at) => [name, cells[at] ?? null]))
  const defaults = outputs.some(({ byDefault }) => byDefault !== undefined)
    ? result(outputs.map(({ byDefault }) => (byDefault === undefined ? null : valueOf(byDefault, context))))
    : undefined
  if (aggregation !== undefined) return aggregated(aggregation, values.map(result), defaults)
  if (/ORDER|COLLECT/.test(hitPolicy)) return inOrder(table, values).map(result)
  const [first] = inOrder(table, values)
  if (first === undefined) return defaults ?? null
  if (hitPolicy === 'UNIQUE' && values.length > 1) return undefined
  if (hitPolicy === 'ANY' && values.some((one) => JSON.stringify(one) !== JSON.stringify(first))) return undefined
  return result(first)
}

function passes(tests: string, context: FeelContext, value: unknown): boolean {
  return unaryTest(tests, { ...context, '?': value ?? null }).value === true
}

function inOrder({ hitPolicy = '', outputs }: WrittenTable, values: readonly (readonly Value[])[]) {
  if (!/PRIORITY|OUTPUT/.test(hitPolicy)) return values
  const lists = outputs.map(({ values: list = '' }) => valueOf(`[${list}]`, {}) as readonly Value[])
  const rank = (one: readonly Value[]) => one.map((value, at) => lists[at]?.indexOf(value) ?? 0).join()
  return values.toSorted((left, right) => (rank(left) < rank(right) ? -1 : rank(left) > rank(right) ? 1 : 0))
}

function aggregated(aggregation: string, values: readonly Value[], byDefault: Value | undefined): Value {
  if (values.length === 0) return byDefault ?? (aggregation === 'COUNT' ? 0 : null)
  const numbers = values as readonly number[]
  if (aggregation === 'COUNT') return values.length
  if (aggregation === 'SUM') return numbers.reduce((sum, value) => sum + value, 0)
  return aggregation === 'MIN' ? Math.min(...numbers) : Math.max(...numbers)
}
