import { type Expression, isQuotient, NO_SPAN } from '@engine/expression'
import type { SqlForm } from './sql-forms.ts'
import type { SqlValue } from './sql-truth.ts'
import type { SqlExpressions } from './sql-values.ts'

/** Maximum length of a value that is repeated wherever it is read. */
const MAX_REPEATED_LENGTH = 250
/** Maximum number of columns of a query and of nested queries: databases limit both, some to 1,600 columns. */
const [MAX_COLUMNS, MAX_LEVELS] = [500, 50]

interface Bound {
  readonly column: string
  readonly sql: string
  readonly level: number
  readonly node: Expression
  readonly value: SqlValue
}

/**
 * Values of variables that are computed once, as columns of inner queries: a long value is then written once, and a
 * quotient is rounded before a comparison reads it.
 */
export class BoundValues {
  readonly #expressions: SqlExpressions
  readonly #form: SqlForm
  readonly #bySql = new Map<string, Bound>()

  constructor(expressions: SqlExpressions, form: SqlForm) {
    this.#expressions = expressions
    this.#form = form
  }

  /** A node that stands for the value of a variable; undefined if the value is short enough to be repeated. */
  add(name: string, node: Expression, value: SqlValue): Pick<Bound, 'node' | 'value'> | undefined {
    const isRounded = isQuotient(node, this.#expressions.policy.numbers)
    if (!isRounded && value.sql.length <= MAX_REPEATED_LENGTH) return undefined
    const known = this.#bySql.get(value.sql)
    if (known !== undefined) return known
    const number = this.#bySql.size + 1
    const level = 1 + Math.max(0, ...this.#columnsIn(value.sql).map((bound) => bound.level))
    if (!isRounded && (number > MAX_COLUMNS || level > MAX_LEVELS)) return undefined
    const column = `engine_value_${number}`
    const bound: Bound = {
      column,
      sql: value.sql,
      level,
      // Variable names of rulesets contain no blanks.
      node: { kind: 'variable', name: `${name} ${number}`, path: [], span: NO_SPAN },
      value: { ...value, sql: column },
    }
    this.#bySql.set(value.sql, bound)
    this.#expressions.bind(`${name} ${number}`, { ...bound.value, canFail: false })
    return bound
  }

  #columnsIn(sql: string): readonly Bound[] {
    if (!sql.includes('engine_value_')) return []
    const named = new Set(sql.match(/\bengine_value_\d+\b/g))
    return [...this.#bySql.values()].filter(({ column }) => named.has(column))
  }

  /** The rows of a table with the values; each level is a nested query. */
  rows(table: string): string {
    const all = [...this.#bySql.values()]
    const levels = Math.max(0, ...all.map(({ level }) => level))
    let rows = table
    for (let level = 1; level <= levels; level++) {
      const columns = all.filter((bound) => bound.level === level).map(({ column, sql }) => `${sql} AS ${column}`)
      rows = `(SELECT *, ${columns.join(', ')} FROM ${rows}${this.#form.fence}) AS level_${level}`
    }
    return rows
  }
}
