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
  }
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
