/** How a database writes names, texts and matches. */
export interface Dialect {
  readonly quote: '"' | '`'
  /** Names in capitals mean something else without quotes. */
  readonly foldsCase: boolean
  /** A backslash in a text escapes what follows. */
  readonly escapesBackslash: boolean
  /** How a quote stands in a text: Spark reads two quotes as the end of one text and the begin of another. */
  readonly innerQuote: string
  readonly placeholder: (index: number) => string
  /** `like`: `LIKE` with `ESCAPE`; `binary`: the same, told to mind case; else by the functions of that database. */
  readonly match: 'like' | 'binary' | 'sqlite' | 'clickhouse'
  /** Texts are compared by their characters only when they are told to. */
  readonly collates: boolean
  /** Arithmetic that leaves the range of doubles ends the query; elsewhere it gives infinity or 0. */
  readonly raisesOverflow: boolean
}

const QUESTION_MARK = () => '?'

const ANSI: Dialect = {
  quote: '"',
  foldsCase: false,
  escapesBackslash: false,
  innerQuote: "''",
  placeholder: QUESTION_MARK,
  match: 'like',
  collates: false,
  raisesOverflow: false,
}

export const DIALECTS = {
  ansi: ANSI,
  postgres: {
    ...ANSI,
    foldsCase: true,
    placeholder: (index: number) => `$${index}`,
    collates: true,
    raisesOverflow: true,
  },
  mysql: { ...ANSI, quote: '`', escapesBackslash: true, match: 'binary' },
  sqlite: { ...ANSI, match: 'sqlite' },
  clickhouse: { ...ANSI, quote: '`', escapesBackslash: true, match: 'clickhouse' },
  duckdb: ANSI,
} as const satisfies Readonly<Record<string, Dialect>>

export type DialectName = keyof typeof DIALECTS

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

/** A text as a literal. */
export function textLiteral(text: string, { escapesBackslash, innerQuote }: Dialect): string {
  const escaped = escapesBackslash ? text.replaceAll('\\', '\\\\') : text
  return `'${escaped.replaceAll("'", () => innerQuote)}'`
}
