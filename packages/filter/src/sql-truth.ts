import type { DecimalSize, Kind } from './column-types.ts'
import { row } from './sql.ts'

/** The SQL type of a value; `null` is only the literal's type. */
export type ValueType = Kind | 'null' | 'unknown'

/** An expression as SQL. */
export interface SqlValue {
  readonly sql: string
  readonly type: ValueType
  /** The value can be null in the rules. */
  readonly canBeNull: boolean
  /** The rules can fail here; the SQL is then NULL. */
  readonly canFail: boolean
  /** Where NULL can mean either: a condition, never unknown, under which the rules fail. */
  readonly fails?: string
  /** The maximum number of digits of a number, if the database limits them. */
  readonly size?: DecimalSize
  /** True for a number with so many digits that a result could have more than the rules keep. */
  readonly isLong?: boolean
}

/** A condition as SQL: NULL exactly where the rules fail. Each part of the rules is written at most twice. */
export interface SqlTruth {
  readonly sql: string
  readonly canFail: boolean
}

export const TRUE: SqlTruth = { sql: 'TRUE', canFail: false }
export const FALSE: SqlTruth = { sql: 'FALSE', canFail: false }

/** The condition under which a value fails; undefined: never. */
export function failure({ sql, canFail, fails }: SqlValue): string | undefined {
  return canFail ? (fails ?? `${sql} IS NULL`) : undefined
}

/** A condition under which any of the values fails; undefined: never. */
export function anyFailure(values: readonly SqlValue[]): string | undefined {
  const found = [...new Set(values.map(failure))].filter((one) => one !== undefined)
  return found.length === 0 ? undefined : row(found, 'OR')
}

/** The negation of a condition; it fails for the same rows. */
export function not({ sql, canFail }: SqlTruth): SqlTruth {
  if (sql === 'TRUE') return FALSE
  return sql === 'FALSE' ? TRUE : { sql: `(NOT ${sql})`, canFail }
}

/** The given SQL, but failing where one of the values fails. */
export function unlessFailing(sql: string, values: readonly SqlValue[]): SqlTruth {
  const fails = anyFailure(values)
  return fails === undefined
    ? { sql, canFail: false }
    : { sql: `CASE WHEN ${fails} THEN NULL ELSE ${sql} END`, canFail: true }
}

/** A test of values that is unknown when one of them is NULL: false there, if the NULL is a null of the rules. */
export function settled(test: string, values: readonly SqlValue[]): SqlTruth {
  if (values.every(({ canBeNull }) => !canBeNull))
    return { sql: `(${test})`, canFail: values.some(({ canFail }) => canFail) }
  return unlessFailing(`COALESCE(${test}, FALSE)`, values)
}

/**
 * `a && b && …` or `a || b || …`. SQL `AND` gives false for `NULL AND FALSE`, where the rules have already failed: an
 * operand that can fail guards the following ones by `CASE`. Splitting in halves bounds the nesting to the logarithm of
 * the length.
 */
export function chain(parts: readonly SqlTruth[], word: 'AND' | 'OR'): SqlTruth {
  const [neutral, decisive] = word === 'AND' ? ['TRUE', 'FALSE'] : ['FALSE', 'TRUE']
  const written = parts.filter(({ sql }) => sql !== neutral)
  const last = written.findIndex(({ sql }) => sql === decisive)
  // Parts after a deciding one are never evaluated; parts before it matter only if they can fail.
  if (last !== -1 && !written.slice(0, last).some((part) => part.canFail)) return word === 'AND' ? FALSE : TRUE
  const kept = last === -1 ? written : written.slice(0, last + 1)
  const [first, second] = kept
  if (first === undefined) return word === 'AND' ? TRUE : FALSE
  if (second === undefined) return first
  const canFail = kept.some((part) => part.canFail)
  if (!kept.slice(0, -1).some((part) => part.canFail))
    return {
      sql: `(${row(
        kept.map(({ sql }) => sql),
        word,
      )})`,
      canFail,
    }
  const middle = Math.ceil(kept.length / 2)
  const [left, right] = [chain(kept.slice(0, middle), word), chain(kept.slice(middle), word)]
  const sql =
    word === 'AND'
      ? `CASE ${left.sql} WHEN TRUE THEN ${right.sql} WHEN FALSE THEN FALSE END`
      : `CASE ${left.sql} WHEN TRUE THEN TRUE WHEN FALSE THEN ${right.sql} END`
  return { sql, canFail }
}
