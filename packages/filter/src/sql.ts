import { defined, quote } from '@engine/expression'
import type { Budget, Value } from '@engine/expression'
import type { FieldTypes } from './column-types.ts'
import { BadFilterRequest, type Columns } from './columns.ts'
import { type DialectName, DIALECTS, identifier, requireNoNul, textLiteral } from './dialect.ts'
import type { Pausing } from './pausable-work.ts'
import { numberLiteral } from './number-literal.ts'
import type { Path } from './paths.ts'
import { COMPARISONS, isOrder, negatedTextTest, textTestOf } from './operations.ts'
import type { Predicate, Predicates } from './predicate.ts'
import { SqlParameters } from './sql-parameters.ts'

export interface SqlOptions {
  readonly columns: Columns
  readonly dialect: DialectName
  /** Write `OR col IS NULL` where the rules require it. */
  readonly guards: boolean
  /** Use placeholders, with their values in the result. */
  readonly parameters: boolean
  readonly types: FieldTypes
  readonly predicates: Predicates
}

export interface Sql {
  readonly text: string
  readonly params: readonly Value[]
}

/**
 * Paths as a `WHERE` condition (specification 4.3), each in parentheses unless it is the only one. Throws
 * `BadFilterRequest`.
 */
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
  return writer.rendered(text)
}

type FilterDialect = (typeof DIALECTS)[DialectName]

class SqlWriter {
  readonly #columns: Columns
  readonly #dialect: FilterDialect
  readonly #guards: boolean
  readonly #types: FieldTypes
  readonly #predicates: Predicates
  readonly #parameters: SqlParameters | undefined

  constructor({ columns, dialect, guards, parameters, types, predicates }: SqlOptions) {
    this.#columns = columns
    this.#dialect = DIALECTS[dialect]
    this.#guards = guards
    this.#types = types
    this.#predicates = predicates
    this.#parameters = parameters ? new SqlParameters(this.#dialect) : undefined
  }

  /** The whole condition with its placeholders, whose values are those of all conditions written so far. */
  rendered(text: string): Sql {
    return this.#parameters?.render(text) ?? { text, params: [] }
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
      case 'test':
        return this.#joined(this.#alternatives(predicate))
      case 'compare':
        return this.#compare(predicate)
      case 'and':
        return `(${row(
          predicate.parts.map((part) => this.#predicate(part)),
          'AND',
        )})`
      case 'or':
        return this.#joined(predicate.parts.flatMap((part) => this.#alternatives(part)))
    }
  }

  /** Disjunction of the predicates, each written once: every written value has its placeholder in the text. */
  #joined(predicates: readonly Predicate[]): string {
    const texts = [...new Set(predicates)].map((one) =>
      one.kind === 'test' ? this.#tested(one) : this.#predicate(one),
    )
    return texts.length === 1 ? texts.join('') : `(${row(texts, 'OR')})`
  }

  /** The operands of an `OR` chain: a test, and the null test of its column. */
  #alternatives(predicate: Predicate): readonly Predicate[] {
    if (predicate.kind !== 'test' || !predicate.orNull) return [predicate]
    const { path, test } = predicate
    const bare = this.#predicates.test(path, test, false)
    return this.#guards ? [bare, this.#predicates.isNull(path)] : [bare]
  }

  #compare({ op, left, right, nulls }: Predicate & { kind: 'compare' }): string {
    const [one, other] = [this.#column(left), this.#column(right)]
    const isText = this.#types.of(left) === 'text' && this.#types.of(right) === 'text'
    const collation = isText && isOrder(op) ? this.#dialect.collation : ''
    const bytes = isText && !isOrder(op) ? this.#dialect.bytes : undefined
    const test = `${bytes?.(one) ?? one} ${COMPARISONS[op].sql} ${bytes?.(other) ?? other}${collation}`
    if (nulls === 'none' || !this.#guards) return test
    if (nulls === 'either') return `(${test} OR ${one} IS NULL OR ${other} IS NULL)`
    if (nulls === 'both') return `(${test} OR (${one} IS NULL AND ${other} IS NULL))`
    return `(${test} OR (${one} IS NULL AND ${other} IS NOT NULL) OR (${one} IS NOT NULL AND ${other} IS NULL))`
  }

  #tested({ path, test }: Predicate & { kind: 'test' }): string {
    const column = this.#column(path)
    switch (test.op) {
      case 'in':
      case 'not_in':
        return this.#membership(column, test.op === 'in', test.values)
      case 'contains':
      case 'starts_with':
      case 'ends_with':
      case 'not_contains':
      case 'not_starts_with':
      case 'not_ends_with': {
        const negated = negatedTextTest(test.op)
        return this.#dialect.match({
          test: negated ?? defined(textTestOf(test.op)),
          isNegative: negated !== undefined,
          subject: column,
          part: test.value,
          text: (value) => this.#value(value),
        })
      }
      case 'eq':
      case 'ne':
        return this.#equality(column, test.op === 'eq', test.value)
      default: {
        const collation = typeof test.value === 'string' ? this.#dialect.collation : ''
        return `${column} ${COMPARISONS[test.op].sql} ${this.#value(test.value)}${collation}`
      }
    }
  }

  #equality(column: string, isEqual: boolean, value: Value): string {
    const { bytes } = this.#dialect
    if (bytes === undefined || typeof value !== 'string')
      return `${column} ${isEqual ? '=' : '!='} ${this.#value(value)}`
    // The database can use the column's index for the first part.
    if (isEqual) return `(${column} = ${this.#value(value)} AND ${bytes(column)} = ${this.#value(value)})`
    return `${bytes(column)} != ${this.#value(value)}`
  }

  #membership(column: string, isIn: boolean, values: readonly Value[]): string {
    const list = (): string => values.map((value) => this.#value(value)).join(', ')
    const bytes = values.every((value) => typeof value === 'string') ? this.#dialect.bytes : undefined
    if (isIn)
      return bytes === undefined
        ? `${column} IN (${list()})`
        : `(${column} IN (${list()}) AND ${bytes(column)} IN (${list()}))`
    const test = `${bytes?.(column) ?? column} NOT IN (${list()})`
    return this.#dialect.listsNull ? `(${test} AND ${column} IS NOT NULL)` : test
  }

  #column(path: string): string {
    const column = this.#columns.column(path)
    if (column.includes('\0') || column === '')
      throw new BadFilterRequest(`the field ${quote(path)} does not give a valid column name`, '/field_mapping')
    return identifier(column, this.#dialect)
  }

  #value(value: Value): string {
    switch (typeof value) {
      case 'string':
        requireNoNul(value, '/known_input')
        return this.#parameters?.text(value) ?? textLiteral(value, this.#dialect)
      case 'boolean':
        // No placeholder: SQLite client libraries do not accept booleans.
        return value ? 'TRUE' : 'FALSE'
      case 'number':
      case 'bigint':
        return this.#parameters?.number(value) ?? numberLiteral(value)
      default:
        // Lists and objects were already rejected.
        throw new Error('a list or an object cannot be written in SQL')
    }
  }
}

/** Operands in one chain. SQLite rejects expressions nested a thousand deep, and a chain counts as nested. */
const MAX_ROW = 500

/** Any number of operands joined by one word: longer chains are split in halves, quarters, … in parentheses. */
export function row(parts: readonly string[], word: 'AND' | 'OR'): string {
  if (parts.length <= MAX_ROW) return parts.join(` ${word} `)
  const middle = Math.ceil(parts.length / 2)
  return `(${row(parts.slice(0, middle), word)}) ${word} (${row(parts.slice(middle), word)})`
}
