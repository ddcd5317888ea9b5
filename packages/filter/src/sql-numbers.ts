import {
  type Binary,
  type Call,
  constantOf,
  decimalArithmetic,
  defined,
  type Expression,
  isDecimal,
  isNumber,
  MAX_DIGITS,
  type NumberValue,
  type OperatorOf,
  print,
  printPath,
  quote,
  quoteCode,
  type Value,
} from '@engine/expression'
import type { DecimalSize } from './column-types.ts'
import type { DecimalForms } from './decimal-forms.ts'
import { decimalLiteral } from './number-literal.ts'
import { certain, inexactly, inexpressible, isLeaf, numberOf, type SqlContext } from './sql-context.ts'
import type { SqlValue, ValueType } from './sql-truth.ts'
import { Inexpressible } from './to-predicate.ts'

/** Maximum number of decimal places to round to. */
const MAX_PLACES = 33

const INTEGER_SIZE: DecimalSize = { whole: 15, scale: 0 }
/** Maximum number of digits of a literal whose results cannot exceed 34 digits. */
const SHORT_DIGITS = 15

/** Numbers as SQL: arithmetic and functions on doubles or on exact decimals. */
export class SqlNumbers {
  readonly #context: SqlContext

  constructor(context: SqlContext) {
    this.#context = context
  }

  /** An integer that a database function returned; NULL where the rules fail. */
  ofInteger(sql: string): SqlValue {
    const cast = this.decimals?.integer ?? this.#context.form.double
    const value: SqlValue = { sql: cast(sql), type: 'number', canBeNull: false, canFail: true }
    return this.scaled === undefined ? value : { ...value, size: INTEGER_SIZE }
  }

  number(node: Expression): SqlValue {
    const value = this.#context.value(node)
    if (value.type !== 'number' && value.type !== 'unknown' && value.type !== 'null') throw inexpressible(node)
    this.#context.use(node, 'number')
    if (node.kind === 'field') this.#assumeDoubles(printPath(node))
    if (this.scaled !== undefined) return this.#sized(node, value)
    // For columns without a stated type, `if` and `coalesce` take some numeric type of the database.
    const isExact = this.decimals !== undefined && value.type === 'number'
    if (!isLeaf(node) && (isExact || this.decimals === undefined)) return value
    return { ...value, sql: (this.decimals?.exact ?? this.#context.form.double)(value.sql) }
  }

  /** The forms of exact decimals, if the rules compute with them. */
  get decimals(): DecimalForms | undefined {
    return this.#context.policy.numbers === 'decimal' ? this.#context.form.decimals : undefined
  }

  /** Converts a number to a scale, if the database limits digits. */
  get scaled(): DecimalForms['scaled'] {
    return this.decimals?.scaled
  }

  /** The size of a column, if the database limits digits. */
  columnSize(path: string): { readonly size?: DecimalSize } {
    const size = this.scaled === undefined ? undefined : this.#context.types.sizeOf(path)
    return size === undefined ? {} : { size }
  }

  /** A number of a known size. Throws `Inexpressible` for a column without a stated type. */
  #sized(node: Expression, value: SqlValue): SqlValue {
    if (value.size !== undefined) return isLeaf(node) ? this.#scaledTo(value, value.size) : value
    const column = node.kind === 'field' ? quote(printPath(node)) : 'its columns'
    throw inexactly(node, `: state in \`columns\` that ${column} is \`integer\` or \`decimal(p, s)\``)
  }

  #scaledTo(value: SqlValue, size: DecimalSize): SqlValue {
    return this.scaled === undefined ? value : { ...value, sql: this.scaled(value.sql, size.scale), size }
  }

  /**
   * Converts numbers to a common scale if the database limits digits and all sizes are known; others are unchanged.
   * Throws `Inexpressible` for too many digits.
   */
  aligned<Values extends readonly SqlValue[]>(values: Values): Values {
    if (this.scaled === undefined) return values
    const numbers = values.filter(({ type }) => type === 'number' || type === 'unknown')
    const sizes = numbers.flatMap(({ size }) => (size === undefined ? [] : [size]))
    if (sizes.length < numbers.length || sizes.length === 0) return values
    const size = requireFitting({
      whole: Math.max(...sizes.map(({ whole }) => whole)),
      scale: Math.max(...sizes.map(({ scale }) => scale)),
    })
    return values.map((value) => (value.size === undefined ? value : this.#scaledTo(value, size))) as unknown as Values
  }

  /** Alternatives of one value, with a common scale. */
  alternatives<Values extends readonly SqlValue[]>(nodes: readonly Expression[], values: Values): Values {
    const isMixed =
      values.some(({ size }) => size !== undefined) && nodes.some((node) => node.kind !== 'literal' && isComputed(node))
    if (this.scaled !== undefined && isMixed)
      for (const [index, value] of values.entries())
        if (value.type === 'number' || value.type === 'unknown') this.#sized(defined(nodes[index]), value)
    return this.aligned(values)
  }

  /** Casts a numeric column, so that a database compares and joins it exactly with computed decimals. */
  exactly(node: Expression, value: SqlValue, type: ValueType = value.type): SqlValue {
    const decimals = this.decimals
    if (decimals === undefined || type !== 'number') return value
    if (node.kind !== 'field' && value.type !== 'unknown') return value
    return { ...value, sql: decimals.exact(value.sql), type }
  }

  #assumeDoubles(path: string): void {
    if (this.#context.policy.numbers === 'decimal') {
      this.#context.assumptions.add(
        'the database keeps all digits of decimals, where the rules round each result to 34 digits',
      )
      return
    }
    if (this.#context.types.of(path) === 'number') return
    this.#context.assumptions.add(
      `arithmetic with ${quote(path)} uses doubles: an integer beyond 2^53 loses digits (\`columns\`)`,
    )
  }

  /**
   * SQL that is NULL if an operand is NULL, and where the rules fail: for a division by zero, or outside the range of
   * doubles.
   */
  arithmetic(node: Binary & { readonly operator: OperatorOf<'arithmetic'> }): SqlValue {
    const { operator } = node
    if (this.#context.policy.numbers === 'decimal') return this.#decimalArithmetic(node)
    // The remainder of a division by a fraction differs between databases.
    if (operator === '%') throw inexpressible(node)
    const [left, right] = [this.number(node.left), this.number(node.right)]
    const sql = this.#context.form.arithmetic(operator, {
      left: left.sql,
      right: right.sql,
      constants: [numberOf(node.left), numberOf(node.right)],
      areShort: isLeaf(node.left) && isLeaf(node.right),
    })
    return { sql, type: 'number', canBeNull: false, canFail: true }
  }

  #decimalArithmetic(node: Binary & { readonly operator: OperatorOf<'arithmetic'> }): SqlValue {
    const { operator } = node
    if (this.decimals === undefined) throw inexactly(node)
    if (this.scaled !== undefined) return this.#scaledArithmetic(node, numberOf(node.right))
    if (operator === '/') return this.#quotient(node)
    const [left, right] = [this.number(node.left), this.number(node.right)]
    const write = (one: string, other: string) =>
      `(${one} ${operator} ${operator === '%' ? `NULLIF(${other}, 0)` : other})`
    return this.#significant(write, left, right)
  }

  /** A quotient as a value: rounded to the digits of a decimal unless it terminates. */
  #quotient(node: Binary): SqlValue {
    const [dividend, divisor] = [constantOf(node.left), constantOf(node.right)]
    if (dividend !== undefined && divisor !== undefined && isNumber(dividend) && isNumber(divisor))
      return decimalArithmetic.compare(divisor, 0) === 0
        ? { sql: 'NULL', type: 'null', canBeNull: false, canFail: true }
        : this.#context.literal(decimalArithmetic.divide(dividend, divisor))
    const { write, left, right } = this.#division(node)
    const isEnding = isTerminating(numberOf(node.right))
    const isLong = !isEnding || left.isLong === true || right.isLong === true
    const kept = isLong ? this.decimals?.keptDividend : undefined
    const divide = (one: string, other: string) =>
      kept === undefined ? write(one, other) : `(${kept(one, other)} / NULLIF(${other}, 0))`
    return this.#significant(
      (one, other) => (isEnding ? `trim_scale(${divide(one, other)})` : divide(one, other)),
      left,
      right,
      isLong,
    )
  }

  /** A quotient with enough digits to be rounded or compared exactly. */
  exactQuotient(node: Binary): SqlValue {
    const { write, left, right } = this.#division(node)
    return { sql: write(left.sql, right.sql), type: 'number', canBeNull: false, canFail: true }
  }

  #division(node: Binary): {
    readonly write: (left: string, right: string) => string
    readonly left: SqlValue
    readonly right: SqlValue
  } {
    const divided = this.decimals?.dividend
    if (divided === undefined) throw inexactly(node)
    const isNonZero = isTerminating(numberOf(node.right))
    const write = (left: string, right: string) => `(${divided(left)} / ${isNonZero ? right : `NULLIF(${right}, 0)`})`
    return { write, left: this.number(node.left), right: this.number(node.right) }
  }

  /** A result, rounded to the digits of a decimal if the operands have so many that it could exceed them. */
  #significant(
    write: (left: string, right: string) => string,
    left: SqlValue,
    right: SqlValue,
    isLong = left.isLong === true || right.isLong === true,
  ): SqlValue {
    const result = { type: 'number', canBeNull: false, canFail: true } as const
    if (!isLong) return { ...result, sql: write(left.sql, right.sql) }
    return { ...result, sql: this.#requireForm(this.decimals?.significant)(write, left.sql, right.sql), isLong: true }
  }

  #requireForm<Form>(form: Form | undefined): Form {
    if (form === undefined)
      throw new Inexpressible('this dialect has no exact form for a number of more than 15 digits')
    return form
  }

  /** `pow(base, exponent)` for integer exponents. */
  power(node: Call): SqlValue {
    const [first, second] = node.args
    if (first !== undefined && second !== undefined && this.decimals?.product !== undefined)
      return this.#product(node, first, constantOf(second), this.decimals.product)
    const form = this.decimals?.power
    if (first === undefined || second === undefined || form === undefined) throw inexactly(node)
    const [base, exponent] = [this.number(first), this.number(second)]
    if (!this.#isWhole(second))
      this.#context.assumptions.add(
        `the query fails where the exponent of ${quoteCode(print(node))} is no whole number from -999 to 999`,
      )
    return { sql: form(base.sql, exponent.sql), type: 'number', canBeNull: false, canFail: true, isLong: true }
  }

  /** A power with a proved number of digits. */
  #product(
    node: Call,
    base: Expression,
    exponent: Value | undefined,
    form: (sql: string, scale: number, times: number) => string,
  ): SqlValue {
    const value = this.number(base)
    if (typeof exponent !== 'number' || !Number.isInteger(exponent) || exponent < 1)
      throw inexactly(node, ': the exponent must be a constant whole number from 1 on')
    const { whole, scale } = sizeOf(value)
    const size = requireFitting({ whole: whole * exponent, scale: scale * exponent })
    return { sql: form(value.sql, scale, exponent), type: 'number', canBeNull: false, canFail: true, size }
  }

  /** `sqrt` of a double, which IEEE 754 rounds correctly on all platforms; NULL for a negative one. */
  #squareRoot(node: Call): SqlValue {
    const [first] = node.args
    if (first === undefined || this.#context.policy.numbers === 'decimal') throw inexactly(node)
    const { sql } = this.number(first)
    const root = (x: string) => `CASE WHEN ${x} >= 0 THEN sqrt(${x}) END`
    const isShort = isLeaf(first)
    return {
      sql: isShort ? `(${root(sql)})` : `(SELECT ${root('operand.x')} FROM (SELECT ${sql} AS x) AS operand)`,
      type: 'number',
      canBeNull: false,
      canFail: true,
    }
  }

  #isWhole(node: Expression): boolean {
    const constant = constantOf(node)
    if (typeof constant === 'number')
      return Number.isInteger(constant) && Math.abs(constant) <= decimalArithmetic.MAX_EXPONENT
    return false
  }

  /** Arithmetic with proved sizes. A quotient by a constant such as 5000 is written as a product. */
  #scaledArithmetic(
    node: Binary & { readonly operator: OperatorOf<'arithmetic'> },
    divisor: number | bigint | undefined,
  ): SqlValue {
    const isQuotient = node.operator === '/'
    if (isQuotient && (divisor === undefined || !isTerminating(divisor))) throw inexactly(node)
    const operator = isQuotient ? '*' : node.operator
    const left = this.number(node.left)
    const right =
      isQuotient && divisor !== undefined
        ? this.#sized(node.right, sizedLiteral(decimalArithmetic.divide(1, divisor)))
        : this.number(node.right)
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

  /** A numeric function, which fails for null. */
  called(node: Call): SqlValue {
    if (this.#context.policy.numbers === 'decimal' && this.decimals === undefined) throw inexactly(node)
    if (node.name === 'round') return this.#rounded(node)
    if (node.name === 'pow') return this.power(node)
    if (node.name === 'sqrt') return this.#squareRoot(node)
    const [first] = node.args
    const items = node.args.length === 1 && first?.kind === 'array' ? first.items : node.args
    const values = this.aligned(items.map((item) => this.number(item)))
    const [value, ...others] = values
    if (value === undefined) throw inexpressible(node)
    const canFail = values.some((one) => one.canBeNull || one.canFail)
    const isWhole = node.name === 'floor' || node.name === 'ceil'
    const size =
      isWhole && value.size !== undefined ? requireFitting({ whole: value.size.whole + 1, scale: 0 }) : value.size
    const isLong = !isWhole && values.some((one) => one.isLong === true)
    const sized = { ...(size === undefined ? {} : { size }), ...(isLong && { isLong }) }
    const result = { type: 'number', canBeNull: false, canFail, ...sized } as const
    if (node.name !== 'min' && node.name !== 'max') {
      const called = { ...result, sql: `${node.name}(${value.sql})` }
      return size === undefined ? called : this.#scaledTo(called, size)
    }
    // A single argument must be a list, which columns do not contain.
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
    const [first, digits, given] = node.args
    const places = digits === undefined ? 0 : constantOf(digits)
    const mode = given === undefined ? 'half_up' : constantOf(given)
    const decimals = this.decimals
    const most = decimals === undefined ? 15 : MAX_PLACES
    const isPlaces = typeof places === 'number' && Number.isInteger(places) && places >= -15 && places <= most
    if (first === undefined || !isPlaces || typeof mode !== 'string') throw inexpressible(node)
    if (mode !== 'half_up' && decimals === undefined) throw inexpressible(node)
    if (decimals?.rounded !== undefined) {
      const write = decimals.rounded
      const rounded = (sql: string) => {
        const text = write(sql, places, mode)
        if (text === undefined) throw inexpressible(node)
        return text
      }
      const isQuotient = first.kind === 'binary' && first.operator === '/'
      const value = isQuotient ? this.#roundedQuotient(first, rounded) : this.#roundedValue(first, rounded)
      return { ...value, ...(places > SHORT_DIGITS && { isLong: true }) }
    }
    const value = this.number(first)
    const canFail = value.canBeNull || value.canFail
    if (value.size !== undefined) {
      const { whole, scale } = value.size
      if (mode !== 'half_up') return this.#roundedFrom(node, value, places, mode)
      const size = requireFitting({
        whole: Math.max(whole + 1, 1 - places),
        scale: Math.max(0, Math.min(scale, places)),
      })
      const rounded = { sql: `round(${value.sql}, ${places})`, type: 'number', canBeNull: false, canFail } as const
      return this.#scaledTo(rounded, size)
    }
    const sql = this.#context.form.double(`round(CAST(CAST(${value.sql} AS text) AS numeric), ${places})`)
    return { sql, type: 'number', canBeNull: false, canFail }
  }

  #roundedValue(node: Expression, rounded: (sql: string) => string): SqlValue {
    const { sql, canBeNull, canFail } = this.number(node)
    return { sql: rounded(sql), type: 'number', canBeNull: false, canFail: canBeNull || canFail }
  }

  /** A quotient, rounded once from all its digits; a large one may then have more digits than the rules keep. */
  #roundedQuotient(node: Binary, rounded: (sql: string) => string): SqlValue {
    const { write, left, right } = this.#division(node)
    return this.#significant((one, other) => rounded(write(one, other)), left, right)
  }

  /** A number of a known size, rounded with a mode that the database does not have. */
  #roundedFrom(node: Call, value: SqlValue, places: number, mode: string): SqlValue {
    const { whole, scale } = sizeOf(value)
    const canFail = value.canBeNull || value.canFail
    if (places >= scale) return { ...value, canBeNull: false, canFail }
    const size = { whole: Math.max(whole + 1, 1 - places), scale }
    requireFitting(size)
    const sql = this.decimals?.roundedFrom?.(value.sql, scale, places, mode)
    if (sql === undefined) throw inexpressible(node)
    const rounded = { sql, type: 'number', canBeNull: false, canFail } as const
    return this.#scaledTo(rounded, { ...size, scale: Math.max(0, places) })
  }

  negated(operand: Expression): SqlValue {
    const { sql, canBeNull, canFail, size, isLong } = this.number(operand)
    return {
      // The space keeps a negative literal from starting a comment: `--1`.
      sql: `(- ${sql})`,
      type: 'number',
      canBeNull: false,
      canFail: canBeNull || canFail,
      ...(size !== undefined && { size }),
      ...(isLong === true && { isLong }),
    }
  }
}

/** Requires a size within the 38 digits of the database and the digits of the rules. */
function requireFitting(size: DecimalSize): DecimalSize {
  if (size.whole + size.scale <= MAX_DIGITS) return size
  throw new Inexpressible(
    `a result could have ${size.whole + size.scale} digits, and decimals have ${MAX_DIGITS}: state smaller types of the columns, or round it`,
  )
}

/**
 * A literal of PostgreSQL's `numeric`. An integer is written with a trailing point: otherwise it would be an `integer`,
 * whose products overflow and whose `ceil` is a double.
 */
export function decimalValue(value: NumberValue): SqlValue {
  const text = String(value)
  const digits = text.replace(/e.*$/, '').replaceAll(/\D/g, '').replace(/^0+/, '')
  return {
    ...certain(/[.e]/.test(text) ? text : `${text}.`, 'number'),
    ...(digits.length > SHORT_DIGITS && { isLong: true }),
  }
}

export function sizedLiteral(value: NumberValue): SqlValue {
  const sql = decimalLiteral(value)
  const [whole = '', fraction = ''] = sql.replace('-', '').split('.')
  return { ...certain(sql, 'number'), size: { whole: whole === '0' ? 0 : whole.length, scale: fraction.length } }
}

function sizeOf({ size }: SqlValue): DecimalSize {
  return defined(size)
}

/** The size of aligned alternatives. */
export function sizeOfAll(values: readonly SqlValue[]): { readonly size?: DecimalSize; readonly isLong?: boolean } {
  const numbers = values.filter(({ type }) => type === 'number' || type === 'unknown')
  const size = numbers.every((value) => value.size !== undefined) ? numbers[0]?.size : undefined
  const isLong = values.some((value) => value.isLong === true)
  return { ...(size !== undefined && { size }), ...(isLong && { isLong }) }
}

/** Whether a number may have more digits than a column of doubles, if the rules compute with decimals. */
export function isComputed(node: Expression): boolean {
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
