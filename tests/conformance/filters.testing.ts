import type { Value } from '@engine/expression'
import { createFilter, FilterError, type FilterResult } from '@engine/filter'
import { decodeRuleset } from '@engine/ruleset'
import { type FilterRequest, holds, selects } from '../../conformance/reference/filter.ts'
import { Unsupported, type Value as ReferenceValue } from '../../conformance/reference/value.ts'
import { COLUMNS, type Row } from '../filter/rulesets.testing.ts'
import { NOW } from './product.testing.ts'

/** The request for a filter, in the form of the cases. */
export interface Wanted {
  readonly ruleset: Value
  readonly known_input: { readonly [name: string]: Value }
  readonly target_results: readonly string[]
  /** Types of columns, where the rules compare them with values of other types. */
  readonly columns?: Readonly<Record<string, 'text' | 'number' | 'integer' | 'boolean'>>
}

/** Numbers of rows. */
export type Selected = readonly number[]

const PATHS = COLUMNS.map(({ path }) => path)
const AROUND = { now: NOW, rulesets: new Map() }

/** The rows that the second implementation selects; undefined: the documents leave it open. */
export function byReference({ ruleset, ...request }: Wanted, rows: readonly Row[]): Selected | undefined {
  try {
    const given = request as unknown as FilterRequest
    return rows.flatMap((row, index) =>
      selects(ruleset as unknown as ReferenceValue, given, PATHS, row, AROUND) ? [index] : [],
    )
  } catch (error) {
    if (error instanceof Unsupported) return undefined
    throw error
  }
}

/** The filter of the product, with nulls as the rules have them; undefined: a condition has no form in this format. */
export function filterOf({ ruleset, ...asked }: Wanted, format: 'json' | 'sql'): FilterResult | undefined {
  const { ruleset: decoded } = decodeRuleset(ruleset)
  if (decoded === undefined) return undefined
  const dialect = format === 'sql' ? ({ dialect: 'sqlite' } as const) : {}
  try {
    const request = { ...asked, format, nulls: 'match_rules', max_paths: 200, ...dialect } as const
    return createFilter(decoded, request, NOW)
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}

/** The rows that a tree selects, by the second implementation. */
export function selectedByTree(filter: unknown, rows: readonly Row[]): Selected {
  return rows.flatMap((row, index) => (filter !== null && holds(filter as ReferenceValue, row) ? [index] : []))
}

/** Whether the rows that a filter selects are what its `exactness` promises. */
export function isAsClaimed(exactness: FilterResult['exactness'], found: Selected, expected: Selected): boolean {
  const isWithin = (some: Selected, others: Selected) => some.every((one) => others.includes(one))
  const isSound = exactness === 'superset' || exactness === 'approximate' || isWithin(found, expected)
  return isSound && (exactness === 'subset' || exactness === 'approximate' || isWithin(expected, found))
}
