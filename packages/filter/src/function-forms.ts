/** SQL forms of functions on texts, dates and JSON, available only where their results were compared with the rules. */

/** Functions on texts. */
export interface TextForms {
  /** The number of UTF-16 units of a text. */
  readonly length: (text: string) => string
  /** Whether a pattern of `portablePattern`, as a literal, matches anywhere in a text. */
  readonly matches: (text: string, pattern: string) => string
  /** A number as text; undefined if its digits would differ from those of the rules. */
  readonly decimal: ((number: string) => string) | undefined
}

/** Functions on dates, which are texts such as `2026-11-20`, or columns with this text form. */
export interface DateForms {
  readonly text: (value: string) => string
  readonly integer: (digits: string) => string
  readonly matches: (text: string, pattern: string) => string
  /** Days from one date to another. */
  readonly between: (from: string, to: string) => string
  /** 1 is Monday. */
  readonly dayOfWeek: (date: string) => string
}

/** Lists and objects, which are JSON columns. */
export interface JsonForms {
  readonly literal: (text: string) => string
  /** A column or value as JSON; NULL for null. */
  readonly value: (sql: string) => string
  readonly isType: (json: string, type: 'array' | 'object') => string
  readonly length: (json: string) => string
  /** The elements of a list as a table with the columns `value` and `ordinality`. */
  readonly elements: (json: string, table: string) => string
  /** A member of an object; NULL if it is missing or null. */
  readonly member: (json: string, keys: readonly string[]) => string
}

const code = (digits: string) => `\\U${digits.padStart(8, '0')}`

export const POSTGRES_TEXTS: TextForms = {
  length: (text) =>
    `(char_length(${text}) + char_length(regexp_replace(${text}, '[^${code('10000')}-${code('10ffff')}]', '', 'g')))`,
  matches: (text, pattern) => `${text} ~ ${pattern}`,
  decimal: (number) => `CAST(trim_scale(${number}) AS text)`,
}

export const DUCKDB_TEXTS: TextForms = {
  length: (text) => `(length(${text}) + length(regexp_replace(${text}, '[^\\x{10000}-\\x{10FFFF}]', '', 'g')))`,
  matches: (text, pattern) => `regexp_matches(${text}, ${pattern})`,
  decimal: undefined,
}

export const POSTGRES_DATES: DateForms = {
  text: (value) => `CAST(${value} AS text)`,
  integer: (digits) => `CAST(${digits} AS integer)`,
  matches: POSTGRES_TEXTS.matches,
  between: (from, to) => `(${to} - ${from})`,
  dayOfWeek: (date) => `CAST(extract(isodow FROM ${date}) AS integer)`,
}

export const DUCKDB_DATES: DateForms = {
  text: (value) => `CAST(${value} AS VARCHAR)`,
  integer: (digits) => `TRY_CAST(${digits} AS INTEGER)`,
  matches: DUCKDB_TEXTS.matches,
  between: (from, to) => `CAST(${to} - ${from} AS INTEGER)`,
  dayOfWeek: (date) => `CAST(isodow(${date}) AS INTEGER)`,
}

export const POSTGRES_JSON: JsonForms = {
  literal: (text) => `CAST(${text} AS jsonb)`,
  value: (sql) => `NULLIF(CAST(${sql} AS jsonb), 'null')`,
  isType: (json, type) => `jsonb_typeof(${json}) = '${type}'`,
  length: (json) => `jsonb_array_length(${json})`,
  elements: (json, table) => `jsonb_array_elements(${json}) WITH ORDINALITY AS ${table} (value, ordinality)`,
  member: (json, keys) => `NULLIF(${[json, ...keys].join(' -> ')}, 'null')`,
}

/** Matches a character that needs no escape in a pattern, inside or outside a class. */
const PLAIN = /^[A-Za-z0-9 _,:;/#%&=!<>~'"@-]$/
const ESCAPED = /^[.^$*+?()[\]{}|\\/-]$/
const CLASSES: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_' }
const MAX_REPEATED = 255

/**
 * A pattern with the same meaning in all databases and in the rules, with `\d` and `\w` as ASCII classes; undefined for
 * a pattern with other parts, such as `\b`, `(?i)` or non-ASCII characters. Linear.
 */
export function portablePattern(pattern: string): string | undefined {
  let written = ''
  let isInClass = false
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index)
    const next = pattern.charAt(index + 1)
    if (character === '\\') {
      const members = CLASSES[next]
      if (members === undefined && !ESCAPED.test(next)) return undefined
      written += members === undefined ? character + next : isInClass ? members : `[${members}]`
      index++
    } else if (isInClass) {
      if (character === ']') isInClass = false
      else if (!PLAIN.test(character) && !'.$*+?(){}|'.includes(character)) return undefined
      written += character
    } else if (character === '[') {
      isInClass = true
      const start = next === '^' ? '[^' : '['
      if (pattern.charAt(index + start.length) === ']') return undefined
      written += start
      index += start.length - 1
    } else if (character === '(' && next === '?') {
      if (pattern.charAt(index + 2) !== ':') return undefined
      written += '(?:'
      index += 2
    } else if (character === '{') {
      const [counts] = /^\{\d{1,3}(?:,\d{0,3})?\}(?![?+*{])/.exec(pattern.slice(index, index + 12)) ?? []
      if (counts === undefined || counts.match(/\d+/g)?.some((count) => Number(count) > MAX_REPEATED)) return undefined
      written += counts
      index += counts.length - 1
    } else if ('*+?'.includes(character)) {
      if ('*+?{'.includes(next) && next !== '') return undefined
      written += character
    } else if (character === '.') {
      written += '[^\n]'
    } else if (PLAIN.test(character) || '^$()|'.includes(character)) {
      written += character
    } else return undefined
  }
  return isInClass ? undefined : written
}
