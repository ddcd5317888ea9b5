import {
  type Binary,
  type Budget,
  type Call,
  constantOf,
  decimalArithmetic,
  defined,
  type EvaluationPolicy,
  type Expression,
  type Field,
  FUNCTIONS,
  isBinaryOf,
  isDecimal,
  isList,
  isNumber,
  isTrue,
  MAX_DIGITS,
  type NumberValue,
  operandsOf,
  type OperatorOf,
  OPERATORS,
  print,
  printPath,
  quote,
  quoteCode,
  type Type,
  TYPE,
  type Value,
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
  type FieldTypes,
  type Kind,
  kindOf,
  kindOfColumn,
} from './column-types.ts'
import type { ComparisonTest } from './predicate.ts'
import { Inexpressible, MAX_LIST } from './to-predicate.ts'
import { type Comparison, comparisonOf, COMPARISONS, flipped, textTestOf } from './operations.ts'
import { decimalLiteral, numberLiteral } from './number-literal.ts'
import type { DecimalForms } from './dialect.ts'
import type { SqlForm } from './sql-forms.ts'
import {
  chain,
  failure,
  FALSE,
  not,
  settled,
  type SqlTruth,
  type SqlValue,
  TRUE,
  unlessFailing,
  type ValueType,
} from './sql-truth.ts'

export interface SqlWriting {
  readonly form: SqlForm
  readonly policy: EvaluationPolicy
  readonly types: FieldTypes
  readonly column: (path: string) => string
  readonly budget: Budget
}

/** Nesting levels of one expression after substituting variables: databases reject about a thousand. */
const DEEPEST = 400
/** Items of a list that are compared one by one. */
const MAX_COMPARED = 100
/** Places that a decimal is rounded to. */
const MAX_PLACES = 33

/**
 * Translates expressions to SQL with the semantics of docs/semantics.md, including null: columns hold values of the
 * type that rules use them as, or null for a missing field. Throws `Inexpressible`.
 */
export class SqlExpressions {
  /** Fields that were read. */
  readonly fields = new Set<string>()
  /** Where the database may decide differently from the rules if a column has an unexpected type. */
  readonly assumptions = new Set<string>()
  readonly #form: SqlForm
  readonly #policy: EvaluationPolicy
  readonly #types: FieldTypes
  readonly #column: (path: string) => string
  readonly #budget: Budget
  #depth = 0

  constructor({ form, policy, types, column, budget }: SqlWriting) {
    this.#form = form
    this.#policy = policy
    this.#types = types
    this.#column = column
    this.#budget = budget
  }

  value(node: Expression): SqlValue {
    return this.#deeper(() => this.#value(node))
  }

  #value(node: Expression): SqlValue {
    const constant = constantOf(node)
    if (constant !== undefined) return this.literal(constant)
    switch (node.kind) {
      case 'field':
        return this.#field(node)
      // The variable is never set: reading it fails.
      case 'variable':
        return { sql: 'NULL', type: 'null', canBeNull: false, canFail: true }
      case 'conditional':
        return this.#conditional(node)
      case 'unary':
        if (node.operator === '-') return this.#negated(node.operand)
        break
      case 'binary':
        if (isBinaryOf('arithmetic', node)) return this.#arithmetic(node)
        break
      case 'call':
        if (FUNCTIONS.get(node.name)?.lazy === true) return this.#coalesce(node)
        if (this.#form.functions.has(node.name) || (node.name === 'round' && this.#scaled !== undefined))
          return this.#called(node)
        break
      default:
    }
    if (!isTruth(node)) throw inexpressible(node)
    return { ...this.truth(node), type: 'boolean', canBeNull: false }
  }

  #deeper<Result>(write: () => Result): Result {
    this.#budget.spend(20)
    if (this.#depth >= DEEPEST) throw new Inexpressible(`an expression is nested more than ${DEEPEST} levels deep`)
    this.#depth++
    const result = write()
    this.#depth--
    return result
  }

  /** Throws `Inexpressible` for lists and objects. */
  literal(value: Value): SqlValue {
    if (value === null) return { sql: 'NULL', type: 'null', canBeNull: true, canFail: false }
    if (typeof value === 'string') return certain(this.#form.text(value), 'text')
    if (typeof value === 'boolean') return certain(value ? 'TRUE' : 'FALSE', 'boolean')
    if (isNumber(value) && this.#scaled !== undefined) return sizedLiteral(value)
    if (isDecimal(value) && this.#decimals !== undefined) return certain(String(value), 'number')
    if (isDecimal(value)) throw new Inexpressible(`${String(value)} has more digits than a column of doubles holds`)
    if (typeof value === 'object') throw new Inexpressible('a list or an object cannot be the value of a column')
    return certain(numberLiteral(value), 'number')
  }

  truth(node: Expression): SqlTruth {
    return this.#deeper(() => this.#truth(node))
  }

  #truth(node: Expression): SqlTruth {
    const constant = constantOf(node)
    if (constant !== undefined) return isTrue(constant) ? TRUE : FALSE
    switch (node.kind) {
      case 'unary':
        if (node.operator === '!') return not(this.truth(node.operand))
        break
      case 'binary': {
        const { operator } = node
        const { decidedBy, container, negates } = OPERATORS[operator]
        if (decidedBy !== undefined) {
          const operands = operandsOf(node, operator).map((operand) => this.truth(operand))
          return chain(operands, decidedBy ? 'OR' : 'AND')
        }
        const comparison = comparisonOf(operator)
        if (comparison !== undefined) return this.#compared(node, comparison)
        if (container !== 'right') break
        return negates === undefined ? this.#among(node) : not(this.#among(node))
      }
      case 'conditional': {
        const [condition, yes, no] = [
          this.truth(node.condition),
          this.truth(node.consequent),
          this.truth(node.alternate),
        ]
        const sql = `CASE ${condition.sql} WHEN TRUE THEN ${yes.sql} WHEN FALSE THEN ${no.sql} END`
        return { sql, canFail: condition.canFail || yes.canFail || no.canFail }
      }
      case 'field':
        return this.#truthOfField(node)
      case 'variable':
        return { sql: NO_TRUTH, canFail: true }
      case 'call':
        return this.#tested(node)
      default:
    }
    throw inexpressible(node)
  }

  #field(node: Field): SqlValue {
    if (node.path.length === 0 || node.path.some(({ kind }) => kind !== 'name'))
      throw new Inexpressible(`${quoteCode(printPath(node))} is not a column`)
    const path = printPath(node)
    this.fields.add(path)
    const sql = this.#column(path)
    const stated = this.#types.of(path)
    const type = stated === undefined ? 'unknown' : kindOfColumn(stated)
    const { mode, defaults } = this.#policy
    const standIn = mode === 'default' ? (defaults.get(path) ?? null) : null
    if (standIn !== null) {
      const given = this.literal(standIn)
      this.#use(node, given.type)
      const [column, other] = this.aligned([{ ...certain(sql, type), ...this.#sizeOf(path) }, given])
      return {
        ...certain(`COALESCE(${column.sql}, ${other.sql})`, joinedType(type, given.type, node)),
        ...(column.size === undefined ? {} : { size: column.size }),
      }
    }
    const isStrict = mode === 'strict'
    return { sql, type, canBeNull: !isStrict, canFail: isStrict, ...this.#sizeOf(path) }
  }

  /** Record that the rules use an expression as a value of a type. */
  #use(node: Expression, type: ValueType): void {
    if (node.kind === 'field' && type !== 'unknown' && type !== 'null') this.#types.use(printPath(node), type)
  }

  #truthOfField(node: Field): SqlTruth {
    const value = this.#field(node)
    if (value.type === 'text' || value.type === 'number') {
      const empty = value.type === 'text' ? certain("''", 'text') : certain('0', 'number')
      return chain([not(this.#isNull(value)), not(this.#equals(value, empty))], 'AND')
    }
    this.#use(node, 'boolean')
    return this.#equals(value, certain('TRUE', 'boolean'))
  }

  /** A path that may be missing in every mode. */
  #guarded(node: Expression): SqlValue {
    const value = this.value(node)
    return node.kind === 'field' && value.canFail ? { ...value, canBeNull: true, canFail: false } : value
  }

  #number(node: Expression): SqlValue {
    const value = this.value(node)
    if (value.type !== 'number' && value.type !== 'unknown' && value.type !== 'null') throw inexpressible(node)
    this.#use(node, 'number')
    if (node.kind === 'field') this.#assumeDoubles(printPath(node))
    if (this.#scaled !== undefined) return this.#sized(node, value)
    // `if` and `coalesce` of columns without a stated type take some numeric type of the database.
    const isExact = this.#decimals !== undefined && value.type === 'number'
    if (!isLeaf(node) && (isExact || this.#decimals === undefined)) return value
    return { ...value, sql: (this.#decimals?.exact ?? this.#form.double)(value.sql) }
  }

  /** The forms of exact numbers, where the rules compute with decimals. */
  get #decimals(): DecimalForms | undefined {
    return this.#policy.numbers === 'decimal' ? this.#form.decimals : undefined
  }

  /** Writes a number with some places, where the database limits digits. */
  get #scaled(): DecimalForms['scaled'] {
    return this.#decimals?.scaled
  }

  /** The size of a column, where the database limits digits. */
  #sizeOf(path: string): { readonly size?: DecimalSize } {
    const size = this.#scaled === undefined ? undefined : this.#types.sizeOf(path)
    return size === undefined ? {} : { size }
  }

  /** A number of a known size. Throws `Inexpressible` for a column whose type is not stated. */
  #sized(node: Expression, value: SqlValue): SqlValue {
    if (value.size !== undefined) return isLeaf(node) ? this.#scaledTo(value, value.size) : value
    const column = node.kind === 'field' ? quote(printPath(node)) : 'its columns'
    throw inexactly(node, `: state in \`columns\` that ${column} is \`integer\` or \`decimal(p, s)\``)
  }

  #scaledTo(value: SqlValue, size: DecimalSize): SqlValue {
    return this.#scaled === undefined ? value : { ...value, sql: this.#scaled(value.sql, size.scale), size }
  }

  /**
   * Numbers with the same places, where the database limits digits and all sizes are known; others unchanged. Throws
   * `Inexpressible` for too many digits.
   */
  aligned<Values extends readonly SqlValue[]>(values: Values): Values {
    if (this.#scaled === undefined) return values
    const numbers = values.filter(({ type }) => type === 'number' || type === 'unknown')
    const sizes = numbers.flatMap(({ size }) => (size === undefined ? [] : [size]))
    if (sizes.length < numbers.length || sizes.length === 0) return values
    const size = requireFitting({
      whole: Math.max(...sizes.map(({ whole }) => whole)),
      scale: Math.max(...sizes.map(({ scale }) => scale)),
    })
    return values.map((value) => (value.size === undefined ? value : this.#scaledTo(value, size))) as unknown as Values
  }

  /** Alternatives of one value, with the same places. */
  #alternatives<Values extends readonly SqlValue[]>(nodes: readonly Expression[], values: Values): Values {
    const isMixed =
      values.some(({ size }) => size !== undefined) && nodes.some((node) => node.kind !== 'literal' && isComputed(node))
    if (this.#scaled !== undefined && isMixed)
      for (const [index, value] of values.entries())
        if (value.type === 'number' || value.type === 'unknown') this.#sized(defined(nodes[index]), value)
    return this.aligned(values)
  }

  /** The value of an output; a number is exact in every row where the rules compute with decimals. */
  output(node: Expression): SqlValue {
    return this.#exactly(node, this.value(node))
  }

  /** Casts a column of numbers, so that a database compares and joins it with computed decimals exactly. */
  #exactly(node: Expression, value: SqlValue, type: ValueType = value.type): SqlValue {
    const decimals = this.#decimals
    if (decimals === undefined || type !== 'number') return value
    if (node.kind !== 'field' && value.type !== 'unknown') return value
    return { ...value, sql: decimals.exact(value.sql) }
  }

  #assumeDoubles(path: string): void {
    if (this.#policy.numbers === 'decimal') {
      this.assumptions.add('the database keeps all digits of decimals, where the rules round each result to 34 digits')
      return
    }
    if (this.#types.of(path) === 'number') return
    this.assumptions.add(
      `arithmetic with ${quote(path)} uses doubles: an integer beyond 2^53 loses digits (\`columns\`)`,
    )
  }

  /**
   * SQL that is NULL when an operand is NULL, and where the rules fail: on division by zero, or outside the range of
   * doubles.
   */
  #arithmetic(node: Binary & { readonly operator: OperatorOf<'arithmetic'> }): SqlValue {
    const { operator } = node
    if (this.#policy.numbers === 'decimal') return this.#decimalArithmetic(node)
    // The remainder of a division by a fraction differs between databases.
    if (operator === '%') throw inexpressible(node)
    const [left, right] = [this.#number(node.left), this.#number(node.right)]
    const sql = this.#form.arithmetic(operator, {
      left: left.sql,
      right: right.sql,
      constants: [numberOf(node.left), numberOf(node.right)],
      areShort: isLeaf(node.left) && isLeaf(node.right),
    })
    return { sql, type: 'number', canBeNull: false, canFail: true }
  }

  #decimalArithmetic(node: Binary & { readonly operator: OperatorOf<'arithmetic'> }): SqlValue {
    const { operator } = node
    if (this.#decimals === undefined) throw inexactly(node)
    const divisorValue = numberOf(node.right)
    if (this.#scaled !== undefined) return this.#scaledArithmetic(node, divisorValue)
    if (operator === '/' && isTerminating(divisorValue) && this.#decimals.dividend !== undefined) {
      const [dividend, divisor] = [this.#number(node.left), this.#number(node.right)]
      const sql = `trim_scale(${this.#decimals.dividend(dividend.sql)} / ${divisor.sql})`
      return { sql, type: 'number', canBeNull: false, canFail: true }
    }
    if (operator === '/') throw inexactly(node, ' unless it is rounded, as in `round(a / b, 2)`')
    const [left, right] = [this.#number(node.left), this.#number(node.right)]
    const divisor = operator === '%' ? `NULLIF(${right.sql}, 0)` : right.sql
    return { sql: `(${left.sql} ${operator} ${divisor})`, type: 'number', canBeNull: false, canFail: true }
  }

  /** Arithmetic with proved sizes. A quotient by a constant such as 5000 is a product. */
  #scaledArithmetic(
    node: Binary & { readonly operator: OperatorOf<'arithmetic'> },
    divisor: number | bigint | undefined,
  ): SqlValue {
    const isQuotient = node.operator === '/'
    if (isQuotient && (divisor === undefined || !isTerminating(divisor))) throw inexactly(node)
    const operator = isQuotient ? '*' : node.operator
    const left = this.#number(node.left)
    const right =
      isQuotient && divisor !== undefined
        ? this.#sized(node.right, sizedLiteral(decimalArithmetic.divide(1, divisor)))
        : this.#number(node.right)
    const [one, other] = operator === '%' ? this.aligned([left, right]) : [left, right]
    const [a, b] = [sizeOf(one), sizeOf(other)]
    const size = requireFitting(
      operator === '*'
        ? { whole: a.whole + b.whole, scale: a.scale + b.scale }
        : {
            whole: Math.max(a.whole, b.whole) + (operator === '%' ? 0 : 1),
            scale: Math.max(a.scale, b.scale),
          },
    )
    const written = operator === '%' ? `NULLIF(${other.sql}, 0)` : other.sql
    return { sql: `(${one.sql} ${operator} ${written})`, type: 'number', canBeNull: false, canFail: true, size }
  }

  /** A function of numbers, which fails for null. */
  #called(node: Call): SqlValue {
    if (this.#policy.numbers === 'decimal' && this.#decimals === undefined) throw inexactly(node)
    if (node.name === 'round') return this.#rounded(node)
    const [first] = node.args
    const items = node.args.length === 1 && first?.kind === 'array' ? first.items : node.args
    const values = this.aligned(items.map((item) => this.#number(item)))
    const [value, ...others] = values
    if (value === undefined) throw inexpressible(node)
    const canFail = values.some((one) => one.canBeNull || one.canFail)
    const isWhole = node.name === 'floor' || node.name === 'ceil'
    const size =
      isWhole && value.size !== undefined ? requireFitting({ whole: value.size.whole + 1, scale: 0 }) : value.size
    const result = { type: 'number', canBeNull: false, canFail, ...(size === undefined ? {} : { size }) } as const
    if (node.name !== 'min' && node.name !== 'max') {
      const called = { ...result, sql: `${node.name}(${value.sql})` }
      return size === undefined ? called : this.#scaledTo(called, size)
    }
    // A single argument must be a list, which no column holds.
    if (others.length === 0) throw inexpressible(node)
    const sql = `${node.name === 'min' ? 'LEAST' : 'GREATEST'}(${values.map((one) => one.sql).join(', ')})`
    const missing = [
      ...new Set(values.filter((one) => one.canBeNull || one.canFail).map((one) => `${one.sql} IS NULL`)),
    ]
    return {
      ...result,
      sql: missing.length === 0 ? sql : `CASE WHEN ${missing.join(' OR ')} THEN NULL ELSE ${sql} END`,
    }
  }

  #rounded(node: Call): SqlValue {
    const [first, digits, mode] = node.args
    const places = digits === undefined ? 0 : constantOf(digits)
    const isHalfUp = mode === undefined || constantOf(mode) === 'half_up'
    const decimals = this.#decimals
    const most = decimals === undefined ? 15 : MAX_PLACES
    const isPlaces = typeof places === 'number' && Number.isInteger(places) && places >= -15 && places <= most
    if (first === undefined || !isPlaces || !isHalfUp) throw inexpressible(node)
    if (decimals?.dividend !== undefined && first.kind === 'binary' && first.operator === '/') {
      const [dividend, divisor] = [this.#number(first.left), this.#number(first.right)]
      const sql = `round(${decimals.dividend(dividend.sql)} / NULLIF(${divisor.sql}, 0), ${places})`
      return { sql, type: 'number', canBeNull: false, canFail: true }
    }
    const value = this.#number(first)
    const canFail = value.canBeNull || value.canFail
    if (value.size !== undefined) {
      const { whole, scale } = value.size
      const size = requireFitting({
        whole: Math.max(whole + 1, 1 - places),
        scale: Math.max(0, Math.min(scale, places)),
      })
      const rounded = { sql: `round(${value.sql}, ${places})`, type: 'number', canBeNull: false, canFail } as const
      return this.#scaledTo(rounded, size)
    }
    const sql =
      decimals === undefined
        ? this.#form.double(`round(CAST(CAST(${value.sql} AS text) AS numeric), ${places})`)
        : `round(${value.sql}, ${places})`
    return { sql, type: 'number', canBeNull: false, canFail }
  }

  #negated(operand: Expression): SqlValue {
    const { sql, canBeNull, canFail, size } = this.#number(operand)
    const negated = { sql: `(-${sql})`, type: 'number', canBeNull: false, canFail: canBeNull || canFail } as const
    return size === undefined ? negated : { ...negated, size }
  }

  #conditional(node: Expression & { kind: 'conditional' }): SqlValue {
    const condition = this.truth(node.condition)
    const alternatives = [this.value(node.consequent), this.value(node.alternate)] as const
    this.#use(node.consequent, alternatives[1].type)
    this.#use(node.alternate, alternatives[0].type)
    const type = joinedType(alternatives[0].type, alternatives[1].type, node)
    const exact = [
      this.#exactly(node.consequent, alternatives[0], type),
      this.#exactly(node.alternate, alternatives[1], type),
    ] as const
    const [yes, no] = this.#alternatives([node.consequent, node.alternate], exact)
    const canBeNull = yes.canBeNull || no.canBeNull
    const canFail = condition.canFail || yes.canFail || no.canFail
    const either = (one: string, other: string, otherwise: string): string =>
      `CASE ${condition.sql} WHEN TRUE THEN ${one} WHEN FALSE THEN ${other}${otherwise} END`
    const fails = either(failure(yes) ?? 'FALSE', failure(no) ?? 'FALSE', ' ELSE TRUE')
    return {
      sql: type === 'null' ? 'NULL' : either(yes.sql, no.sql, ''),
      type,
      canBeNull,
      canFail,
      ...(canBeNull && canFail ? { fails } : {}),
      ...sizeOfAll([yes, no]),
    }
  }

  #coalesce(node: Call): SqlValue {
    const values = node.args.map((argument) => this.#guarded(argument))
    if (values.some(({ canFail }) => canFail)) throw inexpressible(node)
    const type = values.map((value) => value.type).reduce((one, other) => joinedType(one, other, node), 'null')
    for (const argument of node.args) this.#use(argument, type)
    const exact = this.#alternatives(
      node.args,
      node.args.map((argument, index) => this.#exactly(argument, defined(values[index]), type)),
    )
    return {
      sql: type === 'null' ? 'NULL' : `COALESCE(${exact.map(({ sql }) => sql).join(', ')})`,
      type,
      canBeNull: values.every(({ canBeNull }) => canBeNull),
      canFail: false,
      ...sizeOfAll(exact),
    }
  }

  #compared(given: Binary, asked: Comparison): SqlTruth {
    const bound = this.#withBound(given, asked)
    if (typeof bound === 'boolean') {
      const value = this.value(given.left.kind === 'field' ? given.left : given.right)
      // A missing field is unequal to every number, and neither less nor greater.
      if (bound && asked !== 'ne') return unlessFailing(`(${value.sql} IS NOT NULL)`, [value])
      return unlessFailing(bound ? 'TRUE' : 'FALSE', [value])
    }
    const { node, comparison } = bound
    const operands = [this.value(node.left), this.value(node.right)] as const
    this.#use(node.left, operands[1].type)
    this.#use(node.right, operands[0].type)
    const [left, right] = this.#alternatives([node.left, node.right], [
      isComputed(node.right) && operands[1].type === 'number'
        ? this.#exactly(node.left, operands[0], 'number')
        : operands[0],
      isComputed(node.left) && operands[0].type === 'number'
        ? this.#exactly(node.right, operands[1], 'number')
        : operands[1],
    ] as const)
    this.#assumeExact(node.left, node.right)
    this.#assumeExact(node.right, node.left)
    if (comparison === 'eq') return this.#equals(left, right)
    if (comparison === 'ne') return not(this.#equals(left, right))
    if (left.type === 'null' || right.type === 'null') return unlessFailing('FALSE', [left, right])
    requireOrder(node, left, right)
    this.#assumeOrder(node, left, right)
    const isText = left.type === 'text' || right.type === 'text'
    const ordered = isText ? this.#form.ordered(right.sql) : right.sql
    return settled(`${left.sql} ${COMPARISONS[comparison].sql} ${ordered}`, [left, right])
  }

  /**
   * The equivalent comparison with the number as the column stores it: for doubles an integer beyond 2^53 becomes the
   * nearest double, for integers a fraction becomes the next integer. A boolean when the result is the same for every
   * value.
   */
  #withBound(node: Binary, comparison: Comparison): Compared | boolean {
    const { left, right } = node
    if (left.kind === 'field' && right.kind === 'literal') {
      const [type, { value }] = [this.#types.of(printPath(left)), right]
      if (!isNumber(value)) return { node, comparison }
      const test = bounded(type, comparison, value, this.#types.sizeOf(printPath(left)))
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
    if (this.#types.of(path) === undefined)
      this.assumptions.add(
        `${quote(path)} is compared with a number beyond 2^53: whether a column holds it depends on its type (\`columns\`)`,
      )
  }

  #assumeOrder(node: Binary, left: SqlValue, right: SqlValue): void {
    const text = quoteCode(print(node))
    if (left.type === 'unknown' && right.type === 'unknown')
      this.assumptions.add(`${text}, should it compare texts, is decided in the order of the database (\`columns\`)`)
    if (left.type !== 'text' && right.type !== 'text') return
    const constant = [constantOf(node.left), constantOf(node.right)].find((value) => typeof value === 'string')
    // The two orders differ when a character beyond U+FFFF is compared with one from U+E000 on.
    if (typeof constant === 'string' && !/[\ud800-\uffff]/.test(constant)) return
    this.assumptions.add(`${text} is decided by code points, by the rules by UTF-16 units: that differs beyond U+FFFF`)
  }

  #equals(left: SqlValue, right: SqlValue): SqlTruth {
    const values = [left, right]
    if (left.type === 'null' && left.canBeNull) return this.#isNull(right)
    if (right.type === 'null' && right.canBeNull) return this.#isNull(left)
    // Values of different types are never equal.
    const isMixed = left.type !== 'unknown' && right.type !== 'unknown' && left.type !== right.type
    const test = isMixed ? 'FALSE' : `${left.sql} = ${right.sql}`
    if (!left.canBeNull || !right.canBeNull) return isMixed ? unlessFailing('FALSE', values) : settled(test, values)
    const bothNull = `(${left.sql} IS NULL AND ${right.sql} IS NULL)`
    return unlessFailing(isMixed ? bothNull : `(COALESCE(${test}, FALSE) OR ${bothNull})`, values)
  }

  #isNull(value: SqlValue): SqlTruth {
    if (value.type === 'null' && !value.canFail) return TRUE
    return unlessFailing(value.canBeNull ? `(${value.sql} IS NULL)` : 'FALSE', [value])
  }

  #among(node: Binary): SqlTruth {
    const list = constantOf(node.right)
    const item = this.value(node.left)
    if (list === null) return unlessFailing('FALSE', [item])
    if (node.right.kind === 'array' && list === undefined) return this.#amongColumns(node, node.right.items)
    if (!isList(list)) throw inexpressible(node)
    if (list.length > MAX_LIST) throw new Inexpressible(`a list has more than ${MAX_LIST} values`)
    this.#budget.spend(8 * list.length)
    const named = list.filter((value) => value !== null)
    for (const kind of new Set(named.map(kindOf))) this.#use(node.left, kind ?? 'unknown')
    const stated = node.left.kind === 'field' ? this.#types.of(printPath(node.left)) : undefined
    const size = stated === 'decimal' ? item.size : undefined
    const values = named
      .filter((value) => item.type === 'unknown' || kindOf(value) === item.type)
      .map((value) => (stated === 'integer' ? asInteger(value) : stated === 'number' ? asDouble(value) : value))
      .map((value) => (size === undefined || value === undefined ? value : asDecimal(value, size)))
      .filter((value) => value !== undefined)
    const [asked, ...literals] = this.aligned([item, ...values.map((value) => this.literal(value))])
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
    const tests = items.map((item) => this.#compared({ ...node, operator: '==', right: item }, 'eq'))
    if (tests.some(({ canFail }) => canFail)) throw inexpressible(node)
    return chain(tests, 'OR')
  }

  #tested(node: Call): SqlTruth {
    const [first, second] = node.args
    if (first === undefined) throw inexpressible(node)
    const definition = FUNCTIONS.get(node.name)
    if (definition?.tests === TYPE.null) return this.#isNull(this.#guarded(first))
    if (definition?.argument === 'path' && first.kind === 'field') {
      const path = printPath(first)
      this.fields.add(path)
      return { sql: `(${this.#column(path)} IS NOT NULL)`, canFail: false }
    }
    const tested = KINDS.get(definition?.tests ?? 0)
    if (tested !== undefined && first.kind === 'field') {
      const value = this.#field(first)
      this.#use(first, tested)
      if (value.type !== 'unknown' && value.type !== tested) return unlessFailing('FALSE', [value])
      return not(this.#isNull(value))
    }
    const text = second === undefined ? undefined : constantOf(second)
    const test = textTestOf(node.name)
    if (test === undefined || typeof text !== 'string') throw inexpressible(node)
    const value = this.value(first)
    if (value.type !== 'text' && value.type !== 'unknown') throw inexpressible(node)
    this.#use(first, 'text')
    return settled(this.#form.match(value.sql, test, text), [value])
  }
}

/** A boolean expression that is always NULL. */
const NO_TRUTH = 'CASE WHEN TRUE THEN NULL ELSE FALSE END'

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

/** Columns have one type, and rules test for it: every non-null value passes. */
const KINDS: ReadonlyMap<Type, Kind> = new Map([
  [TYPE.number, 'number'],
  [TYPE.string, 'text'],
  [TYPE.boolean, 'boolean'],
])

/** The digits that a database with 38 keeps, and the rules too. */
function requireFitting(size: DecimalSize): DecimalSize {
  if (size.whole + size.scale <= MAX_DIGITS) return size
  throw new Inexpressible(
    `a result could have ${size.whole + size.scale} digits, and decimals have ${MAX_DIGITS}: state smaller types of the columns, or round it`,
  )
}

function sizedLiteral(value: NumberValue): SqlValue {
  const sql = decimalLiteral(value)
  const [whole = '', fraction = ''] = sql.replace('-', '').split('.')
  return { ...certain(sql, 'number'), size: { whole: whole === '0' ? 0 : whole.length, scale: fraction.length } }
}

function sizeOf({ size }: SqlValue): DecimalSize {
  return defined(size)
}

/** The size of aligned alternatives. */
function sizeOfAll(values: readonly SqlValue[]): { readonly size?: DecimalSize } {
  const numbers = values.filter(({ type }) => type === 'number' || type === 'unknown')
  const size = numbers.every((value) => value.size !== undefined) ? numbers[0]?.size : undefined
  return size === undefined ? {} : { size }
}

function isTruth(node: Expression): boolean {
  if (node.kind === 'unary') return node.operator === '!'
  if (node.kind === 'binary') return !isBinaryOf('arithmetic', node)
  return node.kind === 'call'
}

/** Whether a number has more digits than a column of doubles shows, where the rules compute with decimals. */
function isComputed(node: Expression): boolean {
  return node.kind !== 'field' && (node.kind !== 'literal' || isDecimal(node.value))
}

/** Whether every quotient by a number is a finite decimal: its only prime factors are 2 and 5. */
function isTerminating(divisor: number | bigint | undefined): boolean {
  const [, digits] = /^-?(\d+(?:\.\d+)?)$/.exec(String(divisor)) ?? []
  let rest = Number(digits?.replace('.', '') ?? 0)
  if (rest === 0 || !Number.isSafeInteger(rest)) return false
  for (const prime of [2, 5]) while (rest % prime === 0) rest /= prime
  return rest === 1
}

function isLeaf(node: Expression): boolean {
  return node.kind === 'field' || node.kind === 'literal'
}

function numberOf(node: Expression): number | bigint | undefined {
  const value = constantOf(node)
  return value !== undefined && isNumber(value) && !isDecimal(value) ? value : undefined
}

function certain(sql: string, type: ValueType): SqlValue {
  return { sql, type, canBeNull: false, canFail: false }
}

/** The common type of two alternatives. Throws when a column could not hold both. */
export function joinedType(one: ValueType, other: ValueType, node: Expression): ValueType {
  if (one === other || other === 'null') return one
  if (one === 'null') return other
  if (one === 'unknown' || other === 'unknown') return 'unknown'
  throw inexpressible(node)
}

function requireOrder(node: Expression, left: SqlValue, right: SqlValue): void {
  const types = [left.type, right.type].filter((type) => type !== 'unknown')
  if (types.includes('boolean') || new Set(types).size > 1) throw inexpressible(node)
}

function inexactly(node: Expression, hint = ''): Inexpressible {
  const text = print(node)
  return new Inexpressible(`${quoteCode(text)} is computed in decimals, which SQL would not give exactly${hint}`, text)
}

function inexpressible(node: Expression): Inexpressible {
  const text = print(node)
  return new Inexpressible(`${quoteCode(text)} cannot be written in SQL`, text)
}
