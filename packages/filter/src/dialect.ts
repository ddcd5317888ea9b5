import { BadFilterRequest } from './columns.ts'
import { type Arithmetic, arithmeticOf } from './sql-arithmetic.ts'
import type { NumberKind } from './number-literal.ts'
import { calls, like, sqliteMatch, type TextMatch } from './text-match.ts'

/** The type to which a placeholder for a number is cast; undefined: its value is sent as it is. */
export type ParameterCasts = { readonly [Kind in NumberKind]?: string }

/** How a database writes names, texts, matches and arithmetic. */
export interface Dialect {
  readonly quote: '"' | '`'
  /** Names in capitals mean something else without quotes. */
  readonly foldsCase: boolean
  /** A backslash in a text escapes what follows. */
  readonly escapesBackslash: boolean
  /** How a quote stands in a text: Spark reads two quotes as the end of one text and the begin of another. */
  readonly innerQuote: string
  readonly placeholder: (index: number) => string
  readonly casts: ParameterCasts
  /**
   * A text as its bytes, where `=` of the database takes other texts for equal: collations of MySQL ignore case, accents or
   * trailing blanks. Undefined where `=` compares characters.
   */
  readonly bytes: ((text: string) => string) | undefined
  /** A text and a number are compared as numbers: `'abc' = 0` is true. */
  readonly comparesTypes: boolean
  /** What follows a text that is ordered, so that it is by its characters and not by a collation. */
  readonly collation: string
  /** It takes a null for something that is not in a list. */
  readonly listsNull: boolean
  /** The order of texts is that of the column's collation, which nothing in a query changes. */
  readonly ordersByCollation: boolean
  /** Of filters; undefined where there are none. */
  readonly match: TextMatch | undefined
  /** Of queries for whole decisions; undefined where there are none. */
  readonly decisions: DecisionForms | undefined
}

/** What a query for whole decisions needs beside conditions. */
export interface DecisionForms {
  /** The type of doubles. */
  readonly double: string
  /** `LIKE` is not used: its escapes differ, and so does what it takes for a letter. */
  readonly match: TextMatch
  readonly arithmetic: Arithmetic
}

const ANSI = {
  quote: '"',
  foldsCase: false,
  escapesBackslash: false,
  innerQuote: "''",
  placeholder: () => '?',
  casts: { long: 'BIGINT', huge: 'DOUBLE PRECISION' },
  bytes: undefined,
  comparesTypes: false,
  collation: '',
  listsNull: false,
  ordersByCollation: false,
  match: like(''),
  decisions: undefined,
} as const satisfies Dialect

const CLICKHOUSE_MATCH = calls({
  contains: (column, text) => `position(${column}, ${text}) > 0`,
  not_contains: (column, text) => `position(${column}, ${text}) = 0`,
  starts_with: 'startsWith',
  ends_with: 'endsWith',
})

/** The databases that filters and decisions are written for. */
export const DIALECTS = {
  ansi: { ...ANSI, ordersByCollation: true },
  postgres: {
    ...ANSI,
    foldsCase: true,
    placeholder: (index: number) => `$${index}`,
    // A placeholder has the type of the column beside it, which refuses a fraction beside integers.
    casts: { integer: 'bigint', long: 'bigint', huge: 'numeric', fraction: 'numeric', double: 'numeric' },
    collation: ' COLLATE "C"',
    decisions: {
      double: 'double precision',
      match: calls({
        contains: (column, text) => `strpos(${column}, ${text}) > 0`,
        starts_with: 'starts_with',
        ends_with: (column, text) => `right(${column}, char_length(${text})) = ${text}`,
      }),
      arithmetic: arithmeticOf.raising,
    },
  },
  mysql: {
    ...ANSI,
    quote: '`',
    escapesBackslash: true,
    casts: { long: 'SIGNED', huge: 'DECIMAL(65)' },
    bytes: (text) => `CAST(CONVERT(${text} USING utf8mb4) AS BINARY)`,
    comparesTypes: true,
    ordersByCollation: true,
    match: like(' BINARY'),
  },
  sqlite: { ...ANSI, casts: { long: 'INTEGER', huge: 'REAL' }, match: sqliteMatch },
  clickhouse: {
    ...ANSI,
    quote: '`',
    escapesBackslash: true,
    listsNull: true,
    casts: { long: 'Int64', huge: 'Float64' },
    match: CLICKHOUSE_MATCH,
    decisions: { double: 'Nullable(Float64)', match: CLICKHOUSE_MATCH, arithmetic: arithmeticOf.infinite },
  },
  duckdb: {
    ...ANSI,
    // Its client sends whole numbers as integers of 64 bits.
    casts: { long: 'BIGINT', huge: 'DOUBLE', double: 'DOUBLE' },
    decisions: {
      double: 'DOUBLE',
      match: calls({ contains: 'contains', starts_with: 'starts_with', ends_with: 'ends_with' }),
      arithmetic: arithmeticOf.infinite,
    },
  },
  spark: {
    ...ANSI,
    quote: '`',
    escapesBackslash: true,
    innerQuote: String.raw`\'`,
    match: undefined,
    decisions: {
      double: 'DOUBLE',
      match: calls({ contains: 'contains', starts_with: 'startswith', ends_with: 'endswith' }),
      arithmetic: arithmeticOf.infinite,
    },
  },
  trino: {
    ...ANSI,
    match: undefined,
    decisions: {
      double: 'DOUBLE',
      match: calls({
        contains: (column, text) => `strpos(${column}, ${text}) > 0`,
        starts_with: 'starts_with',
        ends_with: (column, text) => `substr(${column}, -length(${text})) = ${text}`,
      }),
      arithmetic: arithmeticOf.infinite,
    },
  },
} as const satisfies Readonly<Record<string, Dialect>>

/** The dialects whose row has something of this name. */
type DialectWith<Member extends 'match' | 'decisions'> = {
  [Name in keyof typeof DIALECTS]: (typeof DIALECTS)[Name][Member] extends undefined ? never : Name
}[keyof typeof DIALECTS]

/** The dialects of filters. */
export type DialectName = DialectWith<'match'>
/** The dialects of queries for whole decisions. */
export type DecisionDialectName = DialectWith<'decisions'>

/** Words that mean something else than a column in one of the dialects: `user` alone is `CURRENT_USER` in PostgreSQL. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'all analyse analyze and any array as asc asymmetric authorization before between bigint binary blob both by call cascade ' +
    'case cast change char character check collate collation column concurrently condition constraint continue convert create ' +
    'cross cube current_catalog current_date current_role current_schema current_time current_timestamp current_user cursor ' +
    'database databases dec decimal declare default deferrable delayed delete dense_rank desc describe deterministic distinct ' +
    'div do double drop dual each else elseif empty enclosed end escaped except exists exit explain false fetch float for force ' +
    'foreign freeze from full fulltext function generated get glob global grant group grouping groups having if ignore ilike in ' +
    'index infile initially inner inout insensitive insert int integer intersect interval into is isnull iterate join key keys ' +
    'kill lag lambda last_value lateral lead leading leave left like limit linear lines load localtime localtimestamp lock long ' +
    'longblob longtext loop match maxvalue merge mod modifies natural not notnull nth_value ntile null numeric of offset on only ' +
    'optimize option or order outer outfile over overlaps partition percent_rank placing pivot precision prewhere primary ' +
    'procedure purge qualify range rank read reads real recursive references regexp release rename repeat replace require ' +
    'resignal restrict return returning revoke right rlike row row_number rows schema select semi sensitive separator ' +
    'session_user set settings show signal similar smallint some spatial specific sql symmetric system_user table tablesample ' +
    'terminated then tinyint to trailing trigger true undo union unique unlock unpivot unsigned update usage use user using ' +
    'values varbinary varchar variadic varying verbose view virtual when where while window with within without write xor'
  ).split(' '),
)

const PLAIN = /^[A-Za-z_][A-Za-z0-9_$]*$/

/** A name as SQL has to have it: `table.column` by its parts, all that is not plain in quotes. */
export function identifier(name: string, dialect: Dialect): string {
  const parts = name.split('.')
  if (parts.length > 3 || !parts.every((part) => PLAIN.test(part))) return quoted(name, dialect)
  return parts.map((part) => (needsQuotes(part, dialect) ? quoted(part, dialect) : part)).join('.')
}

function needsQuotes(name: string, { foldsCase }: Dialect): boolean {
  return RESERVED.has(name.toLowerCase()) || (foldsCase && /[A-Z]/.test(name))
}

function quoted(name: string, { quote, escapesBackslash }: Dialect): string {
  const text = escapesBackslash && quote === '`' ? name.replaceAll('\\', '\\\\') : name
  return `${quote}${text.replaceAll(quote, quote + quote)}${quote}`
}

/** A text without the character NUL as a literal. */
export function textLiteral(text: string, { escapesBackslash, innerQuote }: Dialect): string {
  const escaped = escapesBackslash ? text.replaceAll('\\', '\\\\') : text
  return `'${escaped.replaceAll("'", () => innerQuote)}'`
}

/** Throws `BadFilterRequest` for a text that no literal and no parameter can hold. */
export function requireNoNul(text: string, path: string): string {
  if (text.includes('\0')) throw new BadFilterRequest('a text holds the character NUL, which SQL has no form for', path)
  return text
}
