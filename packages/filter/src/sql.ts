import { stringifyJson, type Value } from '@engine/expression'
import { BadFilterRequest, type Columns } from './columns.ts'
import { type Dialect, identifier, textLiteral } from './dialect.ts'
import type { Path } from './paths.ts'
import type { Comparison, Predicate, Test, TextTest } from './predicate.ts'

export interface SqlOptions {
  readonly columns: Columns
  readonly dialect: Dialect
  /** Write `OR col IS NULL` where the rules mean it. */
  readonly guards: boolean
  /** Write placeholders; their values are in the result. */
  readonly parameters: boolean
}

export interface Sql {
  readonly text: string
  readonly params: readonly Value[]
}

/** Paths as a condition for `WHERE` (specification 4.3). Throws `BadFilterRequest`. */
export function sqlOf(paths: readonly Path[], options: SqlOptions): Sql {
  const writer = new SqlWriter(options)
  return { text: writer.paths(paths), params: writer.params }
}

const COMPARISONS: Readonly<Record<Comparison, string>> = { eq: '=', ne: '!=', lt: '<', le: '<=', gt: '>', ge: '>=' }

class SqlWriter {
  readonly params: Value[] = []
  readonly #columns: Columns
  readonly #dialect: Dialect
  readonly #guards: boolean
  readonly #parameters: boolean

  constructor({ columns, dialect, guards, parameters }: SqlOptions) {
    this.#columns = columns
    this.#dialect = dialect
    this.#guards = guards
    this.#parameters = parameters
  }

  /** One path is its conditions; several stand in parentheses each. */
  paths(paths: readonly Path[]): string {
    const [only, second] = paths
    if (only === undefined) return 'FALSE'
    if (second === undefined) return only.length === 0 ? 'TRUE' : this.#path(only)
    return alternatives(paths.map((path) => `(${this.#path(path)})`))
  }

  #path(path: Path): string {
    return path.map((condition) => this.#predicate(condition)).join(' AND ')
  }

  #predicate(predicate: Predicate): string {
    switch (predicate.kind) {
      case 'always':
        return 'TRUE'
      case 'never':
        return 'FALSE'
      case 'null':
        return `${this.#column(predicate.path)} IS NULL`
      case 'not_null':
        return `${this.#column(predicate.path)} IS NOT NULL`
      case 'test': {
        const column = this.#column(predicate.path)
        const test = this.#test(column, predicate.test)
        return predicate.orNull && this.#guards ? `(${test} OR ${column} IS NULL)` : test
      }
      case 'compare':
        return this.#compare(predicate)
      case 'and':
      case 'or': {
        const word = predicate.kind === 'and' ? 'AND' : 'OR'
        return predicate.parts
          .map((part) => this.#predicate(part))
          .reduce((left, right) => `(${left} ${word} ${right})`)
      }
    }
  }

  #compare({ op, left, right, nulls }: Predicate & { kind: 'compare' }): string {
    const [one, other] = [this.#column(left), this.#column(right)]
    const test = `${one} ${COMPARISONS[op]} ${other}`
    if (nulls === 'none' || !this.#guards) return test
    if (nulls === 'either') return `(${test} OR ${one} IS NULL OR ${other} IS NULL)`
    if (nulls === 'both') return `(${test} OR (${one} IS NULL AND ${other} IS NULL))`
    return `(${test} OR (${one} IS NULL AND ${other} IS NOT NULL) OR (${one} IS NOT NULL AND ${other} IS NULL))`
  }

  #test(column: string, test: Test): string {
    switch (test.op) {
      case 'in':
      case 'not_in':
        return this.#membership(column, test.op === 'in', test.values)
      case 'contains':
      case 'starts_with':
      case 'ends_with':
        return this.#match(column, test.op, test.value, false)
      case 'not_contains':
      case 'not_starts_with':
      case 'not_ends_with':
        return this.#match(column, test.op.slice(4) as TextTest, test.value, true)
      default: {
        const isOrdered = test.op !== 'eq' && test.op !== 'ne' && typeof test.value === 'string'
        const collation = isOrdered && this.#dialect.collates ? ' COLLATE "C"' : ''
        return `${column} ${COMPARISONS[test.op]} ${this.#value(test.value)}${collation}`
      }
    }
  }

  #membership(column: string, isIn: boolean, values: readonly Value[]): string {
    const list = values.map((value) => this.#value(value)).join(', ')
    if (isIn) return `${column} IN (${list})`
    // ClickHouse takes a null for something that is not in a list.
    const isKnown = this.#dialect.match === 'clickhouse'
    return isKnown ? `(${column} NOT IN (${list}) AND ${column} IS NOT NULL)` : `${column} NOT IN (${list})`
  }

  #match(column: string, op: TextTest, text: string, isNegative: boolean): string {
    const { match } = this.#dialect
    if (match === 'sqlite') return this.#sqliteMatch(column, op, text, isNegative)
    if (match === 'clickhouse') return this.#clickhouseMatch(column, op, text, isNegative)
    const escaped = text.replaceAll(/[!%_]/g, (character) => `!${character}`)
    const pattern = `${op === 'starts_with' ? '' : '%'}${escaped}${op === 'ends_with' ? '' : '%'}`
    const like = `${isNegative ? 'NOT ' : ''}LIKE${match === 'binary' ? ' BINARY' : ''}`
    return `${column} ${like} ${this.#value(pattern)} ESCAPE '!'`
  }

  /** `LIKE` of SQLite does not tell `a` from `A`. */
  #sqliteMatch(column: string, op: TextTest, text: string, isNegative: boolean): string {
    if (op === 'contains') return `instr(${column}, ${this.#value(text)}) ${isNegative ? '= 0' : '> 0'}`
    const length = [...text].length
    const part = op === 'starts_with' ? `substr(${column}, 1, ${length})` : `substr(${column}, -${length})`
    return `${part} ${isNegative ? '!=' : '='} ${this.#value(text)}`
  }

  /** `LIKE` of ClickHouse has no `ESCAPE`. */
  #clickhouseMatch(column: string, op: TextTest, text: string, isNegative: boolean): string {
    if (op === 'contains') return `position(${column}, ${this.#value(text)}) ${isNegative ? '= 0' : '> 0'}`
    const name = op === 'starts_with' ? 'startsWith' : 'endsWith'
    return `${isNegative ? 'NOT ' : ''}${name}(${column}, ${this.#value(text)})`
  }

  #column(path: string): string {
    const column = this.#columns.column(path)
    if (column.includes('\0') || column === '')
      throw new BadFilterRequest(`the field \`${path}\` has no name that a column can have`, '/field_mapping')
    return identifier(column, this.#dialect)
  }

  #value(value: Value): string {
    if (typeof value === 'string' && value.includes('\0'))
      throw new BadFilterRequest('a text holds the character NUL, which SQL has no form for', '/known_input')
    if (this.#parameters) {
      this.params.push(value)
      return this.#dialect.placeholder(this.params.length)
    }
    if (typeof value === 'string') return textLiteral(value, this.#dialect)
    if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
    return stringifyJson(value)
  }
}

/** Alternatives that stand in one row. SQLite refuses expressions that are nested a thousand deep, which a row of them is. */
const LONGEST_ROW = 500

function alternatives(parts: readonly string[]): string {
  if (parts.length <= LONGEST_ROW) return parts.join(' OR ')
  const middle = Math.ceil(parts.length / 2)
  return `(${alternatives(parts.slice(0, middle))}) OR (${alternatives(parts.slice(middle))})`
}
