import { quote } from '@engine/expression'
import type { Budget, Value } from '@engine/expression'
import { asInteger, type ColumnType, type FieldTypes } from './column-types.ts'
import { BadFilterRequest, type Columns } from './columns.ts'
import { type DialectName, DIALECTS, identifier, requireNoNul, textLiteral } from './dialect.ts'
import type { Pausing } from './pausing.ts'
import { numberLiteral } from './number-literal.ts'
import type { Path } from './paths.ts'
import { COMPARISONS, isOrder, negatedTextTest, type TextTest } from './operations.ts'
import type { Predicate, Test } from './predicate.ts'

export interface SqlOptions {
  readonly columns: Columns
  readonly dialect: DialectName
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

type FilterDialect = (typeof DIALECTS)[DialectName]

class SqlWriter {
  readonly params: Value[] = []
  readonly #columns: Columns
  readonly #dialect: FilterDialect
  readonly #guards: boolean
  readonly #parameters: boolean
  readonly #types: FieldTypes

  constructor({ columns, dialect, guards, parameters, types }: SqlOptions) {
    this.#columns = columns
    this.#dialect = DIALECTS[dialect]
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
    const collation = isText && isOrder(op) ? this.#dialect.collation : ''
    const test = `${one} ${COMPARISONS[op].sql} ${other}${collation}`
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
      case 'not_contains':
      case 'not_starts_with':
      case 'not_ends_with': {
        const negated = negatedTextTest(test.op)
        return this.#dialect.match({
          test: negated ?? (test.op as TextTest),
          isNegative: negated !== undefined,
          subject: column,
          part: test.value,
          text: (value) => this.#value(value),
        })
      }
      default: {
        const collation = isOrder(test.op) && typeof test.value === 'string' ? this.#dialect.collation : ''
        return `${column} ${COMPARISONS[test.op].sql} ${this.#value(test.value, type)}${collation}`
      }
    }
  }

  #membership(column: string, isIn: boolean, values: readonly Value[], type: ColumnType | undefined): string {
    const list = values.map((value) => this.#value(value, type)).join(', ')
    if (isIn) return `${column} IN (${list})`
    return this.#dialect.listsNull
      ? `(${column} NOT IN (${list}) AND ${column} IS NOT NULL)`
      : `${column} NOT IN (${list})`
  }

  #column(path: string): string {
    const column = this.#columns.column(path)
    if (column.includes('\0') || column === '')
      throw new BadFilterRequest(`the field ${quote(path)} has no name that a column can have`, '/field_mapping')
    return identifier(column, this.#dialect)
  }

  #value(value: Value, type?: ColumnType): string {
    if (typeof value === 'string') requireNoNul(value, '/known_input')
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

/** Parts that stand in one row. SQLite refuses expressions that are nested a thousand deep, which a row of them is. */
const LONGEST_ROW = 500

/** Parts joined by one word, any number of them: of a longer row halves, quarters, … stand in parentheses. */
export function row(parts: readonly string[], word: 'AND' | 'OR'): string {
  if (parts.length <= LONGEST_ROW) return parts.join(` ${word} `)
  const middle = Math.ceil(parts.length / 2)
  return `(${row(parts.slice(0, middle), word)}) ${word} (${row(parts.slice(middle), word)})`
}
