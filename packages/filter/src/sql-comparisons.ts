import {
  type Binary,
  constantOf,
  type Expression,
  isDecimal,
  isList,
  isNumber,
  isQuotient,
  type NumberValue,
  print,
  printPath,
  quote,
  quoteCode,
} from '@engine/expression'
import {
  asDecimal,
  asDouble,
  asInteger,
  type ColumnType,
  comparedWithDecimals,
  comparedWithDoubles,
  comparedWithIntegers,
  type DecimalSize,
  kindOf,
} from './column-types.ts'
import { type Comparison, COMPARISONS, flipped } from './operations.ts'
import type { ComparisonTest } from './predicate.ts'
import { inexpressible, numberOf, type SqlContext } from './sql-context.ts'
import { isComputed, type SqlNumbers } from './sql-numbers.ts'
import { chain, not, settled, type SqlTruth, type SqlValue, TRUE, unlessFailing } from './sql-truth.ts'
import { Inexpressible, MAX_LIST } from './to-predicate.ts'

/** Items of a list that are compared one by one. */
const MAX_COMPARED = 100

/** Comparisons and membership as SQL. */
export class SqlComparisons {
  readonly #context: SqlContext
  readonly #numbers: SqlNumbers

  constructor(context: SqlContext, numbers: SqlNumbers) {
    this.#context = context
    this.#numbers = numbers
  }

  compared(given: Binary, asked: Comparison): SqlTruth {
    const bound = this.#withBound(given, asked)
    if (typeof bound === 'boolean') {
      const value = this.#context.value(given.left.kind === 'field' ? given.left : given.right)
      // A missing field is unequal to every number, and neither less nor greater.
      if (bound && asked !== 'ne') return unlessFailing(`(${value.sql} IS NOT NULL)`, [value])
      return unlessFailing(bound ? 'TRUE' : 'FALSE', [value])
    }
    const { node, comparison } = bound
    const operands = [this.#operand(node.left), this.#operand(node.right)] as const
    if (operands.some(({ type }) => type === 'json')) throw inexpressible(node)
    this.#context.use(node.left, operands[1].type)
    this.#context.use(node.right, operands[0].type)
    const [left, right] = this.#numbers.alternatives([node.left, node.right], [
      isComputed(node.right) && operands[1].type === 'number'
        ? this.#numbers.exactly(node.left, operands[0], 'number')
        : operands[0],
      isComputed(node.left) && operands[0].type === 'number'
        ? this.#numbers.exactly(node.right, operands[1], 'number')
        : operands[1],
    ] as const)
    this.#assumeExact(node.left, node.right)
    this.#assumeExact(node.right, node.left)
    if (comparison === 'eq') return this.equals(left, right)
    if (comparison === 'ne') return not(this.equals(left, right))
    if (left.type === 'null' || right.type === 'null') return unlessFailing('FALSE', [left, right])
    requireOrder(node, left, right)
    this.#assumeOrder(node, left, right)
    const isText = left.type === 'text' || right.type === 'text'
    const ordered = isText ? this.#context.form.ordered(right.sql) : right.sql
    return settled(`${left.sql} ${COMPARISONS[comparison].sql} ${ordered}`, [left, right])
  }

  /** A quotient is compared before it is rounded. */
  #operand(node: Expression): SqlValue {
    if (!isQuotient(node, this.#context.policy.numbers) || this.#numbers.decimals?.dividend === undefined)
      return this.#context.value(node)
    return this.#numbers.exactQuotient(node)
  }

  /**
   * The equivalent comparison with the number as the column stores it: for doubles an integer beyond 2^53 becomes the
   * nearest double, for integers a fraction becomes the next integer. A boolean when the result is the same for every
   * value.
   */
  #withBound(node: Binary, comparison: Comparison): Compared | boolean {
    const { left, right } = node
    if (left.kind === 'field' && right.kind === 'literal') {
      const [type, { value }] = [this.#context.types.of(printPath(left)), right]
      if (!isNumber(value)) return { node, comparison }
      const test = bounded(type, comparison, value, this.#context.types.sizeOf(printPath(left)))
      if (test === undefined) return { node, comparison }
      if (typeof test === 'boolean') return test
      return compared(node, test.op, left, { ...right, value: test.value })
    }
    if (left.kind !== 'literal' || right.kind !== 'field') return { node, comparison }
    const { node: exchanged, comparison: other } = compared(node, flipped(comparison), right, left)
    return this.#withBound(exchanged, other)
  }

  /** A number beyond 2^53 compared with a column that is not stated to hold doubles. */
  #assumeExact(node: Expression, other: Expression): void {
    const value = numberOf(other)
    if (node.kind !== 'field' || value === undefined || Number.isSafeInteger(value)) return
    if (typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER) return
    const path = printPath(node)
    if (this.#context.types.of(path) === undefined)
      this.#context.assumptions.add(
        `${quote(path)} is compared with a number beyond 2^53: whether a column holds it depends on its type (\`columns\`)`,
      )
  }

  #assumeOrder(node: Binary, left: SqlValue, right: SqlValue): void {
    const text = quoteCode(print(node))
    if (left.type === 'unknown' && right.type === 'unknown')
      this.#context.assumptions.add(
        `${text}, should it compare texts, is decided in the order of the database (\`columns\`)`,
      )
    if (left.type !== 'text' && right.type !== 'text') return
    const constant = [constantOf(node.left), constantOf(node.right)].find((value) => typeof value === 'string')
    // The two orders differ when a character beyond U+FFFF is compared with one from U+E000 on.
    if (typeof constant === 'string' && !/[\ud800-\uffff]/.test(constant)) return
    this.#context.assumptions.add(
      `${text} is decided by code points, by the rules by UTF-16 units: that differs beyond U+FFFF`,
    )
  }

  equals(left: SqlValue, right: SqlValue): SqlTruth {
    const values = [left, right]
    if (left.type === 'null' && left.canBeNull) return this.isNull(right)
    if (right.type === 'null' && right.canBeNull) return this.isNull(left)
    // Values of different types are never equal.
    const isMixed = left.type !== 'unknown' && right.type !== 'unknown' && left.type !== right.type
    const test = isMixed ? 'FALSE' : `${left.sql} = ${right.sql}`
    if (!left.canBeNull || !right.canBeNull) return isMixed ? unlessFailing('FALSE', values) : settled(test, values)
    const bothNull = `(${left.sql} IS NULL AND ${right.sql} IS NULL)`
    return unlessFailing(isMixed ? bothNull : `(COALESCE(${test}, FALSE) OR ${bothNull})`, values)
  }

  isNull(value: SqlValue): SqlTruth {
    if (value.type === 'null' && !value.canFail) return TRUE
    return unlessFailing(value.canBeNull ? `(${value.sql} IS NULL)` : 'FALSE', [value])
  }

  among(node: Binary): SqlTruth {
    const list = constantOf(node.right)
    const item = this.#context.value(node.left)
    if (list === null) return unlessFailing('FALSE', [item])
    if (node.right.kind === 'array' && list === undefined) return this.#amongColumns(node, node.right.items)
    if (!isList(list)) throw inexpressible(node)
    if (list.length > MAX_LIST) throw new Inexpressible(`a list has more than ${MAX_LIST} values`)
    this.#context.budget.spend(8 * list.length)
    const named = list.filter((value) => value !== null)
    for (const kind of new Set(named.map(kindOf))) this.#context.use(node.left, kind ?? 'unknown')
    const stated = node.left.kind === 'field' ? this.#context.types.of(printPath(node.left)) : undefined
    const size = stated === 'decimal' ? item.size : undefined
    const values = named
      .filter((value) => item.type === 'unknown' || kindOf(value) === item.type)
      .map((value) => (stated === 'integer' ? asInteger(value) : stated === 'number' ? asDouble(value) : value))
      .map((value) => (size === undefined || value === undefined ? value : asDecimal(value, size)))
      .filter((value) => value !== undefined)
    const [asked, ...literals] = this.#numbers.aligned([item, ...values.map((value) => this.#context.literal(value))])
    const texts = literals.map(({ sql }) => sql)
    const test = `${(asked ?? item).sql} IN (${texts.join(', ')})`
    if (named.length < list.length && item.canBeNull)
      return unlessFailing(texts.length === 0 ? `(${item.sql} IS NULL)` : `(${item.sql} IS NULL OR ${test})`, [item])
    if (texts.length === 0) return unlessFailing('FALSE', [item])
    // ClickHouse treats null as not in a list.
    return item.canBeNull ? settled(test, [item]) : unlessFailing(`(${test})`, [item])
  }

  /** `x in [a, b]` with columns. The rules evaluate all items first, so none may fail. */
  #amongColumns(node: Binary, items: readonly Expression[]): SqlTruth {
    if (items.length > MAX_COMPARED)
      throw new Inexpressible(`a list has more than ${MAX_COMPARED} columns`, print(node))
    const tests = items.map((item) => this.compared({ ...node, operator: '==', right: item }, 'eq'))
    if (tests.some(({ canFail }) => canFail)) throw inexpressible(node)
    return chain(tests, 'OR')
  }
}

/** A comparison of the rules with its database operator. */
interface Compared {
  readonly node: Binary
  readonly comparison: Comparison
}

/** The test of a typed column that a comparison is equivalent to; undefined when it is the comparison itself. */
function bounded(
  type: ColumnType | undefined,
  comparison: Comparison,
  value: NumberValue,
  size: DecimalSize | undefined,
): ComparisonTest | boolean | undefined {
  if (type === 'decimal' && size !== undefined) return comparedWithDecimals(comparison, value, size)
  if (type === 'integer') return comparedWithIntegers(comparison, value)
  return type === 'number' && (typeof value === 'bigint' || isDecimal(value))
    ? comparedWithDoubles(comparison, value)
    : undefined
}

function compared(node: Binary, comparison: Comparison, left: Expression, right: Expression): Compared {
  return { node: { ...node, operator: COMPARISONS[comparison].operator, left, right }, comparison }
}

function requireOrder(node: Expression, left: SqlValue, right: SqlValue): void {
  const types = [left.type, right.type].filter((type) => type !== 'unknown')
  if (types.includes('boolean') || new Set(types).size > 1) throw inexpressible(node)
}
