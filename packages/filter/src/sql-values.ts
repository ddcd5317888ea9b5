import {
  type Binary,
  type Call,
  constantOf,
  type Expression,
  type Field,
  isTrue,
  type MissingPolicy,
  print,
  printPath,
  type Value,
} from '@engine/expression'
import { Inexpressible } from './condition.ts'
import type { SqlForm } from './sql-forms.ts'

/** What a value is in SQL; `null` is that of the literal alone. */
export type ValueType = 'number' | 'text' | 'boolean' | 'null' | 'unknown'

/** An expression as SQL. Where the rules fail, `sql` means nothing and `fails` is true. */
export interface SqlValue {
  readonly sql: string
  readonly type: ValueType
  readonly canBeNull: boolean
  /** A condition that is never unknown; undefined: it cannot fail. */
  readonly fails: string | undefined
}

/** A truth as SQL: two conditions that are never unknown. */
export interface SqlTruth {
  readonly holds: string
  readonly isFalse: string
  readonly fails: string | undefined
}

/**
 * Writes expressions as SQL that gives what docs/semantics.md says, null by null: columns hold values of the type that
 * rules use them as, or null, which is a missing field. Throws `Inexpressible`.
 */
export class SqlExpressions {
  /** Fields that were read. */
  readonly fields = new Set<string>()
  readonly #form: SqlForm
  readonly #policy: MissingPolicy
  readonly #column: (path: string) => string

  constructor(form: SqlForm, policy: MissingPolicy, column: (path: string) => string) {
    this.#form = form
    this.#policy = policy
    this.#column = column
  }

  value(node: Expression): SqlValue {
    const constant = constantOf(node)
    if (constant !== undefined) return this.literal(constant)
    switch (node.kind) {
      case 'field':
        return this.#field(node)
      case 'conditional':
        return this.#conditional(node)
      case 'unary':
        if (node.operator === '-') return this.#negated(node.operand)
        break
      case 'binary':
        if (ARITHMETIC.has(node.operator)) return this.#arithmetic(node)
        break
      case 'call':
        if (node.name === 'coalesce') return this.#coalesce(node)
        break
      default:
    }
    if (!isTruth(node)) throw inexpressible(node)
    const { holds, fails } = this.truth(node)
    return { sql: `CASE WHEN ${holds} THEN TRUE ELSE FALSE END`, type: 'boolean', canBeNull: false, fails }
  }

  /** Throws `Inexpressible` for lists and objects. */
  literal(value: Value): SqlValue {
    if (value === null) return { sql: 'NULL', type: 'null', canBeNull: true, fails: undefined }
    if (typeof value === 'string') return certain(this.#form.text(value), 'text')
    if (typeof value === 'boolean') return certain(value ? 'TRUE' : 'FALSE', 'boolean')
    if (typeof value === 'object') throw new Inexpressible('a list or an object is no value of a column')
    return certain(Object.is(value, -0) ? '0' : String(value), 'number')
  }

  truth(node: Expression): SqlTruth {
    const constant = constantOf(node)
    if (constant !== undefined) return isTrue(constant) ? truth('TRUE', 'FALSE') : truth('FALSE', 'TRUE')
    switch (node.kind) {
      case 'unary':
        if (node.operator === '!') return swapped(this.truth(node.operand))
        break
      case 'binary':
        if (node.operator === '&&') return both(this.truth(node.left), this.truth(node.right))
        if (node.operator === '||')
          return swapped(both(swapped(this.truth(node.left)), swapped(this.truth(node.right))))
        if (node.operator in COMPARISONS) return this.#compared(node)
        if (node.operator === 'in') return this.#among(node)
        if (node.operator === 'not in') return swapped(this.#among(node))
        break
      case 'field':
        return this.#equals(node, this.#field(node), certain('TRUE', 'boolean'))
      case 'call':
        return this.#tested(node)
      default:
    }
    throw inexpressible(node)
  }

  #field(node: Field): SqlValue {
    if (node.path.length === 0 || node.path.some(({ kind }) => kind !== 'name'))
      throw new Inexpressible(`\`${printPath(node)}\` is no column`)
    const path = printPath(node)
    this.fields.add(path)
    const sql = this.#column(path)
    const { mode, defaults } = this.#policy
    const standIn = mode === 'default' ? (defaults.get(path) ?? null) : null
    if (standIn !== null) return { ...certain(`COALESCE(${sql}, ${this.literal(standIn).sql})`, 'unknown') }
    return { sql, type: 'unknown', canBeNull: true, fails: mode === 'strict' ? `${sql} IS NULL` : undefined }
  }

  /** A path that may be missing in every mode. */
  #guarded(node: Expression): SqlValue {
    const value = this.value(node)
    return node.kind === 'field' ? { ...value, fails: undefined } : value
  }

  #number(node: Expression): SqlValue {
    const value = this.value(node)
    if (value.type !== 'number' && value.type !== 'unknown') throw inexpressible(node)
    return { ...value, sql: isLeaf(node) ? this.#form.double(value.sql) : value.sql }
  }

  #arithmetic(node: Binary): SqlValue {
    const { operator } = node
    // What is left of a division by a fraction differs between databases.
    if (operator === '%') throw inexpressible(node)
    const [left, right] = [this.#number(node.left), this.#number(node.right)]
    const isDivision = operator === '/' && !isNonZero(node.right)
    const fails = any([
      left.fails,
      left.canBeNull ? `${left.sql} IS NULL` : undefined,
      right.fails,
      right.canBeNull ? `${right.sql} IS NULL` : undefined,
      isDivision ? `COALESCE(${right.sql}, 0) = 0` : undefined,
    ])
    const divisor = isDivision ? `NULLIF(${right.sql}, 0)` : right.sql
    return { sql: `(${left.sql} ${operator} ${divisor})`, type: 'number', canBeNull: false, fails }
  }

  #negated(operand: Expression): SqlValue {
    const value = this.#number(operand)
    const fails = any([value.fails, value.canBeNull ? `${value.sql} IS NULL` : undefined])
    return { sql: `(-${value.sql})`, type: 'number', canBeNull: false, fails }
  }

  #conditional(node: Expression & { kind: 'conditional' }): SqlValue {
    const condition = this.truth(node.condition)
    const [yes, no] = [this.value(node.consequent), this.value(node.alternate)]
    const type = joinedType(yes.type, no.type, node)
    return {
      sql: type === 'null' ? 'NULL' : `CASE WHEN ${condition.holds} THEN ${yes.sql} ELSE ${no.sql} END`,
      type,
      canBeNull: yes.canBeNull || no.canBeNull,
      fails: any([
        condition.fails,
        yes.fails === undefined ? undefined : `(${condition.holds} AND ${yes.fails})`,
        no.fails === undefined ? undefined : `(${condition.isFalse} AND ${no.fails})`,
      ]),
    }
  }

  #coalesce(node: Call): SqlValue {
    const values = node.args.map((argument) => this.#guarded(argument))
    if (values.some(({ fails }) => fails !== undefined)) throw inexpressible(node)
    const type = values.map((value) => value.type).reduce((one, other) => joinedType(one, other, node), 'null')
    return {
      sql: type === 'null' ? 'NULL' : `COALESCE(${values.map(({ sql }) => sql).join(', ')})`,
      type,
      canBeNull: values.every(({ canBeNull }) => canBeNull),
      fails: undefined,
    }
  }

  #compared(node: Binary): SqlTruth {
    const [left, right] = [this.value(node.left), this.value(node.right)]
    if (node.operator === '==') return this.#equals(node, left, right)
    if (node.operator === '!=') return swapped(this.#equals(node, left, right))
    if (left.type === 'null' || right.type === 'null')
      return { ...truth('FALSE', 'TRUE'), fails: any([left.fails, right.fails]) }
    requireOrder(node, left, right)
    const isText = left.type === 'text' || right.type === 'text'
    const test = `${left.sql} ${node.operator} ${isText ? this.#form.ordered(right.sql) : right.sql}`
    return settled(test, [left, right], false, any([left.fails, right.fails]))
  }

  #equals(node: Expression, left: SqlValue, right: SqlValue): SqlTruth {
    const fails = any([left.fails, right.fails])
    if (left.type === 'null') return this.#isNull(right, fails)
    if (right.type === 'null') return this.#isNull(left, fails)
    // Values of two types are never equal.
    if (left.type !== 'unknown' && right.type !== 'unknown' && left.type !== right.type) {
      if (left.canBeNull && right.canBeNull) throw inexpressible(node)
      return { ...truth('FALSE', 'TRUE'), fails }
    }
    const test = `${left.sql} = ${right.sql}`
    if (!left.canBeNull || !right.canBeNull) return settled(test, [left, right], false, fails)
    const bothNull = `(${left.sql} IS NULL AND ${right.sql} IS NULL)`
    const holds = `(COALESCE(${test}, FALSE) OR ${bothNull})`
    return withoutFailures({ holds, isFalse: `(NOT ${holds})`, fails })
  }

  #isNull(value: SqlValue, fails: string | undefined): SqlTruth {
    if (value.type === 'null') return { ...truth('TRUE', 'FALSE'), fails }
    if (!value.canBeNull) return { ...truth('FALSE', 'TRUE'), fails }
    return withoutFailures({ holds: `${value.sql} IS NULL`, isFalse: `${value.sql} IS NOT NULL`, fails })
  }

  #among(node: Binary): SqlTruth {
    const list = constantOf(node.right)
    if (list === null) return truth('FALSE', 'TRUE')
    if (!Array.isArray(list)) throw inexpressible(node)
    const item = this.value(node.left)
    const values = (list as readonly Value[]).filter((value) => value !== null).map((value) => this.literal(value).sql)
    const includesNull = values.length < list.length && item.canBeNull
    if (values.length === 0)
      return includesNull ? this.#isNull(item, item.fails) : { ...truth('FALSE', 'TRUE'), fails: item.fails }
    return settled(`${item.sql} IN (${values.join(', ')})`, [item], includesNull, item.fails)
  }

  #tested(node: Call): SqlTruth {
    const [first, second] = node.args
    if (first === undefined) throw inexpressible(node)
    if (node.name === 'is_null') {
      const value = this.#guarded(first)
      return this.#isNull(value, value.fails)
    }
    if (node.name === 'exists' && first.kind === 'field') {
      const path = printPath(first)
      this.fields.add(path)
      const column = this.#column(path)
      return { holds: `${column} IS NOT NULL`, isFalse: `${column} IS NULL`, fails: undefined }
    }
    if (TYPE_TESTS.has(node.name) && first.kind === 'field') {
      const value = this.#field(first)
      return swapped(this.#isNull(value, value.fails))
    }
    const text = second === undefined ? undefined : constantOf(second)
    if (!TEXT_TESTS.has(node.name) || typeof text !== 'string') throw inexpressible(node)
    const value = this.value(first)
    const test = this.#form.match(value.sql, node.name as 'contains', text)
    return settled(test, [value], false, value.fails)
  }
}

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%'])
const COMPARISONS = { '==': true, '!=': true, '<': true, '<=': true, '>': true, '>=': true }
const TEXT_TESTS: ReadonlySet<string> = new Set(['contains', 'starts_with', 'ends_with'])
/** Columns have one type, and rules ask for it: what is there is of it. */
const TYPE_TESTS: ReadonlySet<string> = new Set(['is_number', 'is_string', 'is_bool'])

function isTruth(node: Expression): boolean {
  if (node.kind === 'unary') return node.operator === '!'
  if (node.kind === 'binary') return !ARITHMETIC.has(node.operator)
  return node.kind === 'call'
}

function isLeaf(node: Expression): boolean {
  return node.kind === 'field' || node.kind === 'literal'
}

function isNonZero(node: Expression): boolean {
  const value = constantOf(node)
  return typeof value === 'number' && value !== 0
}

function certain(sql: string, type: ValueType): SqlValue {
  return { sql, type, canBeNull: false, fails: undefined }
}

function truth(holds: string, isFalse: string): SqlTruth {
  return { holds, isFalse, fails: undefined }
}

function swapped({ holds, isFalse, fails }: SqlTruth): SqlTruth {
  return { holds: isFalse, isFalse: holds, fails }
}

/** `left && right`: the right is not evaluated where the left is false. */
function both(left: SqlTruth, right: SqlTruth): SqlTruth {
  return {
    holds: `(${left.holds} AND ${right.holds})`,
    isFalse: `(${left.isFalse} OR (${left.holds} AND ${right.isFalse}))`,
    fails: any([left.fails, right.fails === undefined ? undefined : `(${left.holds} AND ${right.fails})`]),
  }
}

/** A test that is unknown where an operand is null: what it is then. */
function settled(test: string, operands: readonly SqlValue[], ofNull: boolean, fails: string | undefined): SqlTruth {
  const isCertain = operands.every(({ canBeNull }) => !canBeNull)
  const holds = isCertain ? `(${test})` : `COALESCE(${test}, ${ofNull ? 'TRUE' : 'FALSE'})`
  return withoutFailures({ holds, isFalse: `(NOT ${holds})`, fails })
}

/** A row that fails is neither. */
function withoutFailures({ holds, isFalse, fails }: SqlTruth): SqlTruth {
  if (fails === undefined) return { holds, isFalse, fails }
  return { holds: `(NOT ${fails} AND ${holds})`, isFalse: `(NOT ${fails} AND ${isFalse})`, fails }
}

function any(conditions: readonly (string | undefined)[]): string | undefined {
  const given = [...new Set(conditions.filter((condition) => condition !== undefined))]
  if (given.length === 0) return undefined
  return given.length === 1 ? `(${given[0]})` : `(${given.join(' OR ')})`
}

/** The type of what may be one or the other. Throws when a column could not hold both. */
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

function inexpressible(node: Expression): Inexpressible {
  return new Inexpressible(`\`${print(node)}\` cannot be written in SQL`)
}
