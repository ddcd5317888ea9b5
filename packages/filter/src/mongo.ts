import { isNumber, quote } from '@engine/expression'
import type { Budget, Value } from '@engine/expression'
import { BadFilterRequest, type Columns } from './columns.ts'
import type { FieldTypes } from './column-types.ts'
import { decimalLiteral } from './number-literal.ts'
import type { Pausing } from './pausable-work.ts'
import { COMPARISONS, negatedTextTest, TEXT_TESTS, type TextTest } from './operations.ts'
import type { Path } from './paths.ts'
import type { Predicate, Test } from './predicate.ts'

export interface Document {
  readonly [key: string]: Value
}

export interface MongoOptions {
  readonly columns: Columns
  /** Write explicit null tests as the rules treat null. */
  readonly guards: boolean
  /** Fields whose presence the rules only test by `!= null`, which is `$ne` alone (specification 4.3). */
  readonly plainNotNull: ReadonlySet<string>
  readonly types: FieldTypes
}

/** Paths as a `$match` object (specification 4.3). */
export function* mongoOf(paths: readonly Path[], options: MongoOptions, budget: Budget): Pausing<Document> {
  const writer = new MongoWriter(options)
  const alternatives: Document[] = []
  for (const path of paths) {
    budget.create(path.reduce((sum, { weight }) => sum + 4 * weight, 0))
    if (budget.wantsPause) yield
    const conditions = path.map((condition) => writer.predicate(condition))
    alternatives.push(joined('$and', conditions))
  }
  return joined('$or', alternatives)
}

function joined(word: '$and' | '$or', parts: readonly Document[]): Document {
  const [first, second] = parts
  if (first === undefined) return word === '$and' ? {} : { $expr: false }
  return second === undefined ? first : { [word]: parts }
}

const NOT_NULL: Document = { $ne: null, $exists: true }

class MongoWriter {
  readonly #columns: Columns
  readonly #guards: boolean
  readonly #plainNotNull: ReadonlySet<string>
  readonly #types: FieldTypes

  constructor({ columns, guards, plainNotNull, types }: MongoOptions) {
    this.#types = types
    this.#columns = columns
    this.#guards = guards
    this.#plainNotNull = plainNotNull
  }

  predicate(predicate: Predicate): Document {
    switch (predicate.kind) {
      case 'always':
        return {}
      case 'never':
        return { $expr: false }
      case 'null':
        return this.#of(predicate.path, null)
      case 'not_null':
        return this.#of(predicate.path, this.#plainNotNull.has(predicate.path) ? { $ne: null } : NOT_NULL)
      case 'test':
        return this.#test(predicate)
      case 'compare':
        // Such a condition was already rejected.
        throw new Error('comparing two fields has no form in `mongo`')
      case 'and':
      case 'or':
        return { [`$${predicate.kind}`]: predicate.parts.map((part) => this.predicate(part)) }
    }
  }

  /** In MongoDB a negative comparison is true for null, and a positive one is not. */
  #test({ path, test, orNull }: Predicate & { kind: 'test' }): Document {
    const column = this.#of(path, matching(this.#types.of(path) === 'decimal' ? withDecimals(test) : test))
    if (isNegative(test)) return orNull ? column : { $and: [column, this.#of(path, NOT_NULL)] }
    return orNull && this.#guards ? { $or: [column, this.#of(path, null)] } : column
  }

  #of(path: string, condition: Value): Document {
    const column = this.#columns.column(path)
    if (column.startsWith('$') || column.includes('\0') || column === '')
      throw new BadFilterRequest(`${quote(column)} cannot be the name of a column`, '/field_mapping')
    // Creates an own key even for `__proto__`.
    return Object.fromEntries([[column, condition]])
  }
}

/** Decimals in extended JSON: few of them equal a double of MongoDB. */
function withDecimals(test: Test): Test {
  const decimal = (value: Value): Value => (isNumber(value) ? { $numberDecimal: decimalLiteral(value) } : value)
  return (
    'values' in test ? { ...test, values: test.values.map(decimal) } : { ...test, value: decimal(test.value) }
  ) as Test
}

function isNegative({ op }: Test): boolean {
  return op === 'ne' || op.startsWith('not_')
}

function matching(test: Test): Value {
  switch (test.op) {
    case 'in':
      return { $in: test.values }
    case 'not_in':
      return { $nin: test.values }
    case 'eq':
      // An object would be read as operators.
      return typeof test.value === 'object' ? { $eq: test.value } : test.value
    case 'ne':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return { [COMPARISONS[test.op].mongo]: test.value }
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return { $regex: pattern(test.op, test.value) }
    default:
      return { $not: { $regex: pattern(negatedTextTest(test.op) ?? 'contains', test.value) } }
  }
}

function pattern(op: TextTest, text: string): string {
  return TEXT_TESTS[op].mongo(text.replaceAll(/[.^$*+?{}[\]\\|()]/g, String.raw`\$&`))
}
