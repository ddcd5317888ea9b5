import { BadFilterRequest } from './columns.ts'
import { type Arithmetic, arithmeticOf } from './sql-arithmetic.ts'
import {
  type DateForms,
  DUCKDB_DATES,
  DUCKDB_TEXTS,
  type JsonForms,
  POSTGRES_DATES,
  POSTGRES_JSON,
  POSTGRES_TEXTS,
  type TextForms,
} from './function-forms.ts'
import { DECIMAL_38, type DecimalForms, FENCE, NUMERIC } from './decimal-forms.ts'
import type { NumberKind } from './number-literal.ts'
import { calls, like, sqliteMatch, type TextMatch } from './text-match.ts'

/** The type that a number placeholder is cast to; undefined: no cast. */
export type ParameterCasts = { readonly [Kind in NumberKind]?: string }

/** The SQL syntax of a database for names, texts, matches and arithmetic. */
export interface Dialect {
  readonly quote: '"' | '`'
  /** Unquoted names are case-folded. */
  readonly foldsCase: boolean
  /** A backslash in a text is an escape character. */
  readonly escapesBackslash: boolean
  /** The escape of a quote inside a text: Spark reads two quotes as two adjacent texts. */
  readonly innerQuote: string
  readonly placeholder: (index: number) => string
  readonly casts: ParameterCasts
  /**
   * A text as bytes, for databases whose `=` treats different texts as equal: MySQL collations ignore case, accents or
   * trailing blanks. Undefined where `=` compares characters.
   */
  readonly bytes: ((text: string) => string) | undefined
  /** Texts and numbers are compared as numbers: `'abc' = 0` is true. */
  readonly comparesTypes: boolean
  /** Suffix of an ordered text that makes the order bytewise instead of by collation. */
  readonly collation: string
  /** `NOT IN` treats null as not in the list. */
  readonly listsNull: boolean
  /** Texts are ordered by the column's collation, which a query cannot change. */
  readonly ordersByCollation: boolean
  /** For filters; undefined where they are not supported. */
  readonly match: TextMatch | undefined
  /** For decision queries; undefined where they are not supported. */
  readonly decisions: DecisionForms | undefined
}

/** Additional SQL forms of decision queries. */
export interface DecisionForms {
  /** The name of the double type. */
  readonly double: string
  /** Avoids `LIKE`: its escapes and case rules differ between databases. */
  readonly match: TextMatch
  readonly arithmetic: Arithmetic
  /** Numeric functions whose results in this database were compared with the rules. */
  readonly functions: ReadonlySet<NumberFunction>
  readonly texts: TextForms | undefined
  readonly dates: DateForms | undefined
  readonly json: JsonForms | undefined
  /** Suffix of a nested query whose expressions must be computed once, instead of wherever they are read. */
  readonly fence: string
  /** For rulesets with decimals; undefined if their arithmetic would not be exact. */
  readonly decimals: DecimalForms | undefined
}

export type NumberFunction = 'abs' | 'min' | 'max' | 'floor' | 'ceil' | 'round' | 'pow' | 'sqrt'

const WHOLE: ReadonlySet<NumberFunction> = new Set(['abs', 'min', 'max', 'floor', 'ceil'])
const NO_FUNCTIONS: ReadonlySet<NumberFunction> = new Set()

/** For dialects whose results were not compared with the rules. */
const NO_FORMS = { texts: undefined, dates: undefined, json: undefined, fence: '' } as const

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

/** The supported databases of filters and decision queries. */
export const DIALECTS = {
  ansi: { ...ANSI, ordersByCollation: true },
  postgres: {
    ...ANSI,
    foldsCase: true,
    placeholder: (index: number) => `$${index}`,
    // A placeholder takes the type of the column it is compared with, and an integer column rejects fractions.
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
      functions: new Set([...WHOLE, 'round', 'pow', 'sqrt']),
      texts: POSTGRES_TEXTS,
      dates: POSTGRES_DATES,
      json: POSTGRES_JSON,
      fence: FENCE,
      decimals: NUMERIC,
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
    decisions: {
      double: 'Nullable(Float64)',
      match: CLICKHOUSE_MATCH,
      arithmetic: arithmeticOf.infinite,
      functions: NO_FUNCTIONS,
      ...NO_FORMS,
      decimals: undefined,
    },
  },
  duckdb: {
    ...ANSI,
    // Its client sends integral numbers as 64-bit integers.
    casts: { long: 'BIGINT', huge: 'DOUBLE', double: 'DOUBLE' },
    decisions: {
      double: 'DOUBLE',
      match: calls({ contains: 'contains', starts_with: 'starts_with', ends_with: 'ends_with' }),
      arithmetic: arithmeticOf.infinite,
      functions: new Set([...WHOLE, 'sqrt']),
      texts: DUCKDB_TEXTS,
      dates: DUCKDB_DATES,
      json: undefined,
      fence: '',
      decimals: DECIMAL_38,
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
      functions: NO_FUNCTIONS,
      ...NO_FORMS,
      decimals: undefined,
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
      functions: NO_FUNCTIONS,
      ...NO_FORMS,
      decimals: undefined,
    },
  },
} as const satisfies Readonly<Record<string, Dialect>>

/** The dialects that have this member. */
type DialectWith<Member extends 'match' | 'decisions'> = {
  [Name in keyof typeof DIALECTS]: (typeof DIALECTS)[Name][Member] extends undefined ? never : Name
}[keyof typeof DIALECTS]

/** The dialects of filters. */
export type DialectName = DialectWith<'match'>
/** The dialects of decision queries. */
export type DecisionDialectName = DialectWith<'decisions'>

/** Words that do not denote a column in one of the dialects: in PostgreSQL `user` alone is `CURRENT_USER`. */
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

/** A name in SQL syntax: `table.column` by its parts, quoted unless plain. */
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

/** A text without NUL characters as a literal. */
export function textLiteral(text: string, { escapesBackslash, innerQuote }: Dialect): string {
  const escaped = escapesBackslash ? text.replaceAll('\\', '\\\\') : text
  return `'${escaped.replaceAll("'", () => innerQuote)}'`
}

/** Throws `BadFilterRequest` for a text that neither a literal nor a parameter can hold. */
export function requireNoNul(text: string, path: string): string {
  if (text.includes('\0'))
    throw new BadFilterRequest('a text contains the character NUL, which SQL cannot represent', path)
  return text
}
