import {
  type Budget,
  type Call,
  constantOf,
  defined,
  type EvaluationPolicy,
  type Expression,
  type Field,
  FUNCTIONS,
  isBinaryOf,
  isDecimal,
  isNumber,
  isObject,
  isTrue,
  operandsOf,
  OPERATORS,
  printPath,
  quoteCode,
  type Type,
  TYPE,
  type Value,
} from '@engine/expression'
import { type FieldTypes, type Kind, kindOfColumn } from './column-types.ts'
import { numberLiteral } from './number-literal.ts'
import { comparisonOf, textTestOf } from './operations.ts'
import { SqlComparisons } from './sql-comparisons.ts'
import { certain, inexpressible, joinedType, type SqlContext } from './sql-context.ts'
import { SqlDates } from './sql-dates.ts'
import type { SqlForm } from './sql-forms.ts'
import { SqlLists } from './sql-lists.ts'
import { decimalValue, sizedLiteral, sizeOfAll, SqlNumbers } from './sql-numbers.ts'
import { SqlTexts } from './sql-texts.ts'
import {
  anyFailure,
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
import { Inexpressible } from './to-predicate.ts'

export interface SqlWriting {
  readonly form: SqlForm
  readonly policy: EvaluationPolicy
  readonly types: FieldTypes
  readonly column: (path: string) => string
  readonly budget: Budget
}

/** Nesting levels of one expression after substituting variables: databases reject about a thousand. */
const MAX_DEPTH = 400

/**
 * Translates expressions to SQL with the semantics of docs/semantics.md, including null: columns hold values of the
 * type that rules use them as, or null for a missing field. Throws `Inexpressible`.
 */
export class SqlExpressions implements SqlContext {
  /** Fields that were read. */
  readonly fields = new Set<string>()
  readonly assumptions = new Set<string>()
  readonly form: SqlForm
  readonly policy: EvaluationPolicy
  readonly types: FieldTypes
  readonly budget: Budget
  readonly #column: (path: string) => string
  readonly #numbers = new SqlNumbers(this)
  readonly #comparisons = new SqlComparisons(this, this.#numbers)
  readonly #dates = new SqlDates(this, this.#numbers)
  readonly #texts = new SqlTexts(this, this.#numbers)
  readonly #lists = new SqlLists(this, this.#numbers)
  /** Values of variables that are columns of a nested query, by node name. */
  readonly #bound = new Map<string, SqlValue>()
  #depth = 0

  constructor({ form, policy, types, column, budget }: SqlWriting) {
    this.form = form
    this.policy = policy
    this.types = types
    this.#column = column
    this.budget = budget
  }

  value(node: Expression): SqlValue {
    return this.#deeper(() => this.#value(node))
  }

  #value(node: Expression): SqlValue {
    const constant = constantOf(node)
    if (constant !== undefined) return this.literal(constant)
    switch (node.kind) {
      case 'field':
        return this.field(node)
      case 'variable':
        return this.#bound.get(node.name) ?? NEVER_SET
      case 'conditional':
        return this.#conditional(node)
      case 'unary':
        if (node.operator === '-') return this.#numbers.negated(node.operand)
        break
      case 'binary':
        if (isBinaryOf('arithmetic', node)) return this.#numbers.arithmetic(node)
        break
      case 'call': {
        const called = this.#called(node)
        if (called !== undefined) return called
        break
      }
      default:
    }
    if (!isTruth(node)) throw inexpressible(node)
    return { ...this.truth(node), type: 'boolean', canBeNull: false }
  }

  /** The value of a call that does not yield a truth value; undefined if it has no form as a value. */
  #called(node: Call): SqlValue | undefined {
    if (FUNCTIONS.get(node.name)?.lazy === true) return this.#coalesce(node)
    if (SqlDates.has(node.name)) return this.#dates.called(node)
    switch (node.name) {
      case 'object_get':
        return this.#lookedUp(node)
      case 'to_string':
        return this.#texts.toText(node)
      case 'count':
        return this.#lists.count(node)
      case 'len':
        return node.args[0] !== undefined && this.#lists.isJson(node.args[0])
          ? this.#lists.count(node)
          : this.#texts.length(node)
      default:
    }
    const isScaled = (node.name === 'round' || node.name === 'pow') && this.#numbers.scaled !== undefined
    return this.form.functions.has(node.name) || isScaled ? this.#numbers.called(node) : undefined
  }

  #deeper<Result>(write: () => Result): Result {
    this.budget.spend(20)
    if (this.#depth >= MAX_DEPTH) throw new Inexpressible(`an expression is nested more than ${MAX_DEPTH} levels deep`)
    this.#depth++
    const result = write()
    this.#depth--
    return result
  }

  literal(value: Value): SqlValue {
    if (value === null) return { sql: 'NULL', type: 'null', canBeNull: true, canFail: false }
    if (typeof value === 'string') return certain(this.form.text(value), 'text')
    if (typeof value === 'boolean') return certain(value ? 'TRUE' : 'FALSE', 'boolean')
    if (isNumber(value) && this.#numbers.scaled !== undefined) return sizedLiteral(value)
    if (isNumber(value) && this.#numbers.decimals !== undefined) return decimalValue(value)
    if (isDecimal(value)) throw new Inexpressible(`${String(value)} has more digits than a column of doubles holds`)
    if (typeof value !== 'object') return certain(numberLiteral(value), 'number')
    const json = this.#lists.literal(value)
    if (json === undefined) throw new Inexpressible('a list or an object cannot be the value of a column')
    return json
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
        if (comparison !== undefined) return this.#comparisons.compared(node, comparison)
        if (container !== 'right') break
        return negates === undefined ? this.#comparisons.among(node) : not(this.#comparisons.among(node))
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
        return this.#truthOf(node, this.field(node))
      case 'variable': {
        const bound = this.#bound.get(node.name)
        return bound === undefined ? { sql: NO_TRUTH, canFail: true } : this.#truthOf(node, bound)
      }
      case 'call':
        return this.#tested(node)
      default:
    }
    throw inexpressible(node)
  }

  field(node: Field): SqlValue {
    if (node.path.length === 0 || node.path.some(({ kind }) => kind !== 'name'))
      throw new Inexpressible(`${quoteCode(printPath(node))} is not a column`)
    const path = printPath(node)
    this.fields.add(path)
    const sql = this.#column(path)
    const stated = this.types.of(path)
    const type = stated === undefined ? 'unknown' : kindOfColumn(stated)
    const { mode, defaults } = this.policy
    const standIn = mode === 'default' ? (defaults.get(path) ?? null) : null
    if (standIn !== null) {
      const given = this.literal(standIn)
      this.use(node, given.type)
      const [column, other] = this.#numbers.aligned([
        { ...certain(sql, type), ...this.#numbers.columnSize(path) },
        given,
      ])
      return {
        ...certain(`COALESCE(${column.sql}, ${other.sql})`, joinedType(type, given.type, node)),
        ...(column.size === undefined ? {} : { size: column.size }),
      }
    }
    const isStrict = mode === 'strict'
    return { sql, type, canBeNull: !isStrict, canFail: isStrict, ...this.#numbers.columnSize(path) }
  }

  use(node: Expression, type: ValueType): void {
    if (node.kind === 'field' && type !== 'unknown' && type !== 'null') this.types.use(printPath(node), type)
  }

  #truthOf(node: Expression, value: SqlValue): SqlTruth {
    if (value.type === 'json') throw inexpressible(node)
    if (value.type === 'text' || value.type === 'number') {
      const empty = value.type === 'text' ? certain("''", 'text') : certain('0', 'number')
      return chain([not(this.#comparisons.isNull(value)), not(this.#comparisons.equals(value, empty))], 'AND')
    }
    this.use(node, 'boolean')
    return this.#comparisons.equals(value, certain('TRUE', 'boolean'))
  }

  guarded(node: Expression): SqlValue {
    const value = this.value(node)
    return node.kind === 'field' && value.canFail ? { ...value, canBeNull: true, canFail: false } : value
  }

  /** The value of an output; if the rules compute with decimals, a number is exact in every row. */
  output(node: Expression): SqlValue {
    return this.#numbers.exactly(node, this.value(node))
  }

  /** An expression in a message. */
  placed(node: Expression): SqlValue {
    return this.#texts.placed(node)
  }

  /** Converts numbers to a common scale, if the database limits digits. */
  aligned<Values extends readonly SqlValue[]>(values: Values): Values {
    return this.#numbers.aligned(values)
  }

  /** Binds a name to a value that is computed in a nested query. */
  bind(name: string, value: SqlValue): void {
    this.#bound.set(name, value)
  }

  #conditional(node: Expression & { kind: 'conditional' }): SqlValue {
    const condition = this.truth(node.condition)
    const alternatives = [this.value(node.consequent), this.value(node.alternate)] as const
    this.use(node.consequent, alternatives[1].type)
    this.use(node.alternate, alternatives[0].type)
    const joined = joinedType(alternatives[0].type, alternatives[1].type, node)
    const common = numberIfAny(alternatives) ?? joined
    const exact = [
      this.#numbers.exactly(node.consequent, alternatives[0], common),
      this.#numbers.exactly(node.alternate, alternatives[1], common),
    ] as const
    const [yes, no] = this.#numbers.alternatives([node.consequent, node.alternate], exact)
    const type = joinedType(yes.type, no.type, node)
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
    const values = node.args.map((argument) => this.guarded(argument))
    if (values.some(({ canFail }) => canFail)) throw inexpressible(node)
    const typeOf = (all: readonly SqlValue[]) =>
      all.map((value) => value.type).reduce((one, other) => joinedType(one, other, node), 'null')
    const given = typeOf(values)
    for (const argument of node.args)
      this.use(argument, values.find((value) => value.type !== 'unknown')?.type ?? given)
    const exact = this.#numbers.alternatives(
      node.args,
      node.args.map((argument, index) =>
        this.#numbers.exactly(argument, defined(values[index]), numberIfAny(values) ?? given),
      ),
    )
    const type = typeOf(exact)
    return {
      sql: type === 'null' ? 'NULL' : `COALESCE(${exact.map(({ sql }) => sql).join(', ')})`,
      type,
      canBeNull: values.every(({ canBeNull }) => canBeNull),
      canFail: false,
      ...sizeOfAll(exact),
    }
  }

  /** `object_get` of a constant object: a CASE with one branch per key. */
  #lookedUp(node: Call): SqlValue {
    const [owner, name, instead] = node.args
    const object = owner === undefined ? undefined : constantOf(owner)
    if (name === undefined || !isObject(object)) throw inexpressible(node)
    const key = this.value(name)
    if (key.type !== 'text' && key.type !== 'unknown') throw inexpressible(node)
    this.use(name, 'text')
    const otherwise = instead === undefined ? this.literal(null) : this.value(instead)
    if (otherwise.canFail) throw inexpressible(node)
    const entries = Object.entries(object)
    this.budget.spend(8 * entries.length)
    const values = this.#numbers.alternatives(
      [...entries.map(() => node), instead ?? node],
      [...entries.map(([, value]) => this.literal(value)), otherwise],
    )
    const type = values.map((value) => value.type).reduce((one, other) => joinedType(one, other, node), 'null')
    const cases = entries.map(([text], index) => `WHEN ${this.form.text(text)} THEN ${defined(values[index]).sql}`)
    const last = defined(values.at(-1))
    const canFail = key.canBeNull || key.canFail
    const fails = anyFailure([{ ...key, canFail }])
    const found = cases.length === 0 ? last.sql : `CASE ${key.sql} ${cases.join(' ')} ELSE ${last.sql} END`
    return {
      sql: fails === undefined ? found : `CASE WHEN ${fails} THEN NULL ELSE ${found} END`,
      type,
      canBeNull: values.some(({ canBeNull }) => canBeNull),
      canFail,
      ...(fails === undefined ? {} : { fails }),
      ...sizeOfAll(values),
    }
  }

  #tested(node: Call): SqlTruth {
    const [first, second] = node.args
    if (first === undefined) throw inexpressible(node)
    const definition = FUNCTIONS.get(node.name)
    if (definition?.tests === TYPE.null) return this.#comparisons.isNull(this.guarded(first))
    if (definition?.argument === 'path' && first.kind === 'field') {
      const path = printPath(first)
      this.fields.add(path)
      return { sql: `(${this.#column(path)} IS NOT NULL)`, canFail: false }
    }
    if (SqlLists.isQuantifier(node.name)) return this.#lists.quantified(node)
    if (definition?.tests === TYPE.array) return this.#lists.isType(node, 'array')
    if (definition?.tests === TYPE.object) return this.#lists.isType(node, 'object')
    const tested = KINDS.get(definition?.tests ?? 0)
    if (tested !== undefined && first.kind === 'field') {
      const value = this.field(first)
      this.use(first, tested)
      if (value.type !== 'unknown' && value.type !== tested) return unlessFailing('FALSE', [value])
      return not(this.#comparisons.isNull(value))
    }
    if (second === undefined) throw inexpressible(node)
    if (node.name === 'matches') return this.#texts.matched(node, first, second)
    if (node.name === 'regex_match') return this.#texts.matched(node, second, first)
    const text = constantOf(second)
    const test = textTestOf(node.name)
    if (test === undefined || typeof text !== 'string') throw inexpressible(node)
    const value = this.value(first)
    if (value.type !== 'text' && value.type !== 'unknown') throw inexpressible(node)
    this.use(first, 'text')
    return settled(this.form.match(value.sql, test, text), [value])
  }
}

/** A boolean expression that is always NULL. */
const NO_TRUTH = 'CASE WHEN TRUE THEN NULL ELSE FALSE END'

/** Reading a variable that is never set fails. */
const NEVER_SET: SqlValue = { sql: 'NULL', type: 'null', canBeNull: false, canFail: true }

/** Columns have one type, and rules test for it: every non-null value passes. */
const KINDS: ReadonlyMap<Type, Kind> = new Map([
  [TYPE.number, 'number'],
  [TYPE.string, 'text'],
  [TYPE.boolean, 'boolean'],
])

/** A column that alternates with a number must be as exact as the number. */
function numberIfAny(values: readonly SqlValue[]): ValueType | undefined {
  return values.some(({ type }) => type === 'number') ? 'number' : undefined
}

function isTruth(node: Expression): boolean {
  if (node.kind === 'unary') return node.operator === '!'
  if (node.kind === 'binary') return !isBinaryOf('arithmetic', node)
  return node.kind === 'call'
}
