import type { Budget, Value } from '@engine/expression'
import { asInteger, type ColumnType, type FieldTypes } from './column-types.ts'
import { BadFilterRequest, type Columns } from './columns.ts'
import { type Dialect, identifier, textLiteral } from './dialect.ts'
import type { Pausing } from './explore.ts'
import { numberLiteral } from './number-literal.ts'
import type { Path } from './paths.ts'
import type { Comparison, Predicate, Test, TextTest } from './predicate.ts'

export interface SqlOptions {
  readonly columns: Columns
  readonly dialect: Dialect
  /** Write `OR col IS NULL` where the rules mean it. */
  readonly guards: boolean
  /** Write placeholders; their values are in the result. */
  readonly parameters: boolean
  readonly types: FieldTypes
}

export interface Sql {
  readonly text: string
  readonly params: readonly Value[]
}

/** Paths as a condition for `WHERE` (specification 4.3), each in parentheses unless it is the only one. Throws `BadFilterRequest`. */
export function* sqlOf(paths: readonly Path[], options: SqlOptions, budget: Budget): Pausing<Sql> {
  const writer = new SqlWriter(options)
  const alternatives: string[] = []
  for (const path of paths) {
    budget.create(path.reduce((sum, { weight }) => sum + 4 * weight, 0))
    if (budget.wantsPause) yield
    alternatives.push(writer.path(path))
  }
  const [only, second] = alternatives
  if (only === undefined) return { text: 'FALSE', params: [] }
  const text =
    second === undefined
      ? only
      : row(
          alternatives.map((one) => `(${one})`),
          'OR',
        )
  return { text, params: writer.params }
}

const COMPARISONS: Readonly<Record<Comparison, string>> = { eq: '=', ne: '!=', lt: '<', le: '<=', gt: '>', ge: '>=' }

class SqlWriter {
  readonly params: Value[] = []
  readonly #columns: Columns
  readonly #dialect: Dialect
  readonly #guards: boolean
  readonly #parameters: boolean
  readonly #types: FieldTypes

  constructor({ columns, dialect, guards, parameters, types }: SqlOptions) {
    this.#columns = columns
    this.#dialect = dialect
    this.#guards = guards
    this.#parameters = parameters
    this.#types = types
  }

  path(path: Path): string {
    if (path.length === 0) return 'TRUE'
    return row(
      path.map((condition) => this.#predicate(condition)),
      'AND',
    )
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
        const alternatives = this.#alternatives(predicate)
        return alternatives.length === 1 ? alternatives.join('') : `(${alternatives.join(' OR ')})`
      }
      case 'compare':
        return this.#compare(predicate)
      case 'and':
        return `(${row(
          predicate.parts.map((part) => this.#predicate(part)),
          'AND',
        )})`
      case 'or': {
        const alternatives = new Set(predicate.parts.flatMap((part) => this.#alternatives(part)))
        return `(${row([...alternatives], 'OR')})`
      }
    }
  }

  /** What can stand beside each other between `OR`: a test, and that its column is null. */
  #alternatives(predicate: Predicate): readonly string[] {
    if (predicate.kind !== 'test') return [this.#predicate(predicate)]
    const column = this.#column(predicate.path)
    const test = this.#test(column, predicate.test, this.#types.of(predicate.path))
    return predicate.orNull && this.#guards ? [test, `${column} IS NULL`] : [test]
  }

  #compare({ op, left, right, nulls }: Predicate & { kind: 'compare' }): string {
    const [one, other] = [this.#column(left), this.#column(right)]
    const isText = this.#types.of(left) === 'text' && this.#types.of(right) === 'text'
    const collation = isText && isOrder(op) ? this.#collation() : ''
    const test = `${one} ${COMPARISONS[op]} ${other}${collation}`
    if (nulls === 'none' || !this.#guards) return test
    if (nulls === 'either') return `(${test} OR ${one} IS NULL OR ${other} IS NULL)`
    if (nulls === 'both') return `(${test} OR (${one} IS NULL AND ${other} IS NULL))`
    return `(${test} OR (${one} IS NULL AND ${other} IS NOT NULL) OR (${one} IS NOT NULL AND ${other} IS NULL))`
  }

  #test(column: string, test: Test, type: ColumnType | undefined): string {
    switch (test.op) {
      case 'in':
      case 'not_in':
        return this.#membership(column, test.op === 'in', test.values, type)
      case 'contains':
      case 'starts_with':
      case 'ends_with':
        return this.#match(column, test.op, test.value, false)
      case 'not_contains':
      case 'not_starts_with':
      case 'not_ends_with':
        return this.#match(column, test.op.slice(4) as TextTest, test.value, true)
      default: {
        const collation = isOrder(test.op) && typeof test.value === 'string' ? this.#collation() : ''
        return `${column} ${COMPARISONS[test.op]} ${this.#value(test.value, type)}${collation}`
      }
    }
  }

  /** Texts are ordered by their characters, whatever the collation of the column. */
  #collation(): string {
    return this.#dialect.collates ? ' COLLATE "C"' : ''
  }

  #membership(column: string, isIn: boolean, values: readonly Value[], type: ColumnType | undefined): string {
    const list = values.map((value) => this.#value(value, type)).join(', ')
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

  #value(value: Value, type?: ColumnType): string {
    if (typeof value === 'string' && value.includes('\0'))
      throw new BadFilterRequest('a text holds the character NUL, which SQL has no form for', '/known_input')
    if (this.#parameters) {
      this.params.push(value)
      return this.#dialect.placeholder(this.params.length)
    }
    if (typeof value === 'string') return textLiteral(value, this.#dialect)
    if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
    const number = type === 'integer' ? asInteger(value) : value
    if (typeof number === 'bigint' || typeof number === 'number') return numberLiteral(number)
    // Lists and objects were refused when they were read.
    throw new Error('a list or an object has no form in SQL')
  }
}

function isOrder(op: Comparison): boolean {
  return op !== 'eq' && op !== 'ne'
}

/** Parts that stand in one row. SQLite refuses expressions that are nested a thousand deep, which a row of them is. */
const LONGEST_ROW = 500

/** Parts joined by one word, any number of them: of a longer row halves, quarters, … stand in parentheses. */
export function row(parts: readonly string[], word: 'AND' | 'OR'): string {
  if (parts.length <= LONGEST_ROW) return parts.join(` ${word} `)
  const middle = Math.ceil(parts.length / 2)
  return `(${row(parts.slice(0, middle), word)}) ${word} (${row(parts.slice(middle), word)})`
}
