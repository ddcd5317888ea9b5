import { type Dialect, DIALECTS, identifier, textLiteral } from './dialect.ts'
import { BadFilterRequest } from './columns.ts'

/** What databases for whole decisions write in their own ways. */
export interface SqlForm {
  text(value: string): string
  /** As a double, so that arithmetic is that of the rules. */
  double(sql: string): string
  /** A text as the right side of `<` and the like: compared by its characters. */
  ordered(sql: string): string
  match(sql: string, test: 'contains' | 'starts_with' | 'ends_with', text: string): string
  identifier(name: string): string
  /** SQL that is NULL where an operand is, where the divisor is 0, and where the result is no finite double. */
  arithmetic(operator: '+' | '-' | '*' | '/', operands: Operands): string
}

/** Two operands as SQL that gives doubles. */
export interface Operands {
  readonly left: string
  readonly right: string
  readonly constants: readonly [left: number | bigint | undefined, right: number | bigint | undefined]
  /** They may be written several times. */
  readonly areShort: boolean
}

export type SqlFormName = 'postgres' | 'duckdb' | 'clickhouse' | 'spark' | 'trino'

function form(
  dialect: Dialect,
  type: string,
  matches: Record<'contains' | 'starts_with' | 'ends_with', (sql: string, text: string) => string>,
): SqlForm {
  const text = (value: string) => {
    if (value.includes('\0'))
      throw new BadFilterRequest('a text holds the character NUL, which SQL has no form for', '')
    return textLiteral(value, dialect)
  }
  return {
    text,
    double: (sql) => `CAST(${sql} AS ${type})`,
    ordered: (sql) => (dialect.collates ? `${sql} COLLATE "C"` : sql),
    match: (sql, test, value) => matches[test](sql, text(value)),
    identifier: (name) => identifier(name, dialect),
    arithmetic: dialect.raisesOverflow ? guardedArithmetic : infiniteArithmetic,
  }
}

const MAX_HALF = '8.988465674311579e307'
/** Natural logarithms of the largest double, and, a little above it, of the largest number that is rounded to 0. */
const [LN_MAX, LN_MIN] = ['709.782712893384', '-745.133219101']

/** An operand that cannot take a finite number out of the range of doubles. */
function isHarmless(operator: string, constants: Operands['constants']): boolean {
  const [left, right] = constants.map((value) => (value === undefined ? undefined : Math.abs(Number(value))))
  // The sum with a number below half a unit of the last place of the largest double is not rounded to infinity.
  if (operator === '+' || operator === '-') return (left ?? Infinity) < 1e290 || (right ?? Infinity) < 1e290
  return operator === '*' ? (left ?? 2) <= 1 || (right ?? 2) <= 1 : (right ?? 0) >= 1
}

/** Where a result is too large the database gives infinity, which becomes NULL at once: nothing is computed with it. */
function infiniteArithmetic(operator: '+' | '-' | '*' | '/', { left, right, constants }: Operands): string {
  const isNonZero = constants[1] !== undefined && Number(constants[1]) !== 0
  const divisor = operator === '/' && !isNonZero ? `NULLIF(${right}, 0)` : right
  const result = `(${left} ${operator} ${divisor})`
  if (isHarmless(operator, constants)) return result
  return `NULLIF(NULLIF(${result}, CAST('Infinity' AS DOUBLE)), CAST('-Infinity' AS DOUBLE))`
}

/** PostgreSQL ends the query where a result is too large, and where it is too small to be more than 0. */
function guardedArithmetic(operator: '+' | '-' | '*' | '/', operands: Operands): string {
  const { left, right, constants, areShort } = operands
  if ((operator === '+' || operator === '-') && isHarmless(operator, constants)) return `(${left} ${operator} ${right})`
  if (areShort) return guarded(operator, left, right)
  const inner = guarded(operator, 'operands.x', 'operands.y')
  return `(SELECT ${inner} FROM (SELECT ${left} AS x, ${right} AS y) AS operands)`
}

function guarded(operator: '+' | '-' | '*' | '/', x: string, y: string): string {
  if (operator === '+' || operator === '-')
    return (
      `CASE WHEN abs(${x}) > 1e290 AND abs(${y}) > 1e290 AND abs(${x} / 2 ${operator} ${y} / 2) > ${MAX_HALF} THEN NULL ` +
      `ELSE ${x} ${operator} ${y} END`
    )
  const size = `ln(abs(${x})) ${operator === '*' ? '+' : '-'} ln(abs(${y}))`
  const ofZero =
    operator === '*'
      ? `WHEN ${x} = 0 OR ${y} = 0 THEN ${x} * ${y}`
      : `WHEN ${y} = 0 THEN NULL WHEN ${x} = 0 THEN ${y} * 0`
  return `CASE ${ofZero} WHEN ${size} > ${LN_MAX} THEN NULL WHEN ${size} < ${LN_MIN} THEN 0 ELSE ${x} ${operator} ${y} END`
}

const call = (name: string) => (sql: string, text: string) => `${name}(${sql}, ${text})`

/** `LIKE` is not used: its escapes differ, and so does what it takes for a letter. */
export const SQL_FORMS: Readonly<Record<SqlFormName, SqlForm>> = {
  postgres: form(DIALECTS.postgres, 'double precision', {
    contains: (sql, text) => `strpos(${sql}, ${text}) > 0`,
    starts_with: call('starts_with'),
    ends_with: (sql, text) => `right(${sql}, char_length(${text})) = ${text}`,
  }),
  duckdb: form(DIALECTS.duckdb, 'DOUBLE', {
    contains: call('contains'),
    starts_with: call('starts_with'),
    ends_with: call('ends_with'),
  }),
  clickhouse: form(DIALECTS.clickhouse, 'Nullable(Float64)', {
    contains: (sql, text) => `position(${sql}, ${text}) > 0`,
    starts_with: call('startsWith'),
    ends_with: call('endsWith'),
  }),
  spark: form({ ...DIALECTS.ansi, quote: '`', escapesBackslash: true, innerQuote: String.raw`\'` }, 'DOUBLE', {
    contains: call('contains'),
    starts_with: call('startswith'),
    ends_with: call('endswith'),
  }),
  trino: form(DIALECTS.ansi, 'DOUBLE', {
    contains: (sql, text) => `strpos(${sql}, ${text}) > 0`,
    starts_with: call('starts_with'),
    ends_with: (sql, text) => `substr(${sql}, -length(${text})) = ${text}`,
  }),
}
