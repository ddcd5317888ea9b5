import {
  type Call,
  constantOf,
  type Expression,
  FUNCTIONS,
  isDecimal,
  isList,
  isObject,
  type Lambda,
  OPERATORS,
  operandsOf,
  stringifyJson,
  type Value,
} from '@engine/expression'
import type { JsonForms } from './function-forms.ts'
import { comparisonOf } from './operations.ts'
import { inexpressible, type SqlContext } from './sql-context.ts'
import type { SqlNumbers } from './sql-numbers.ts'
import { chain, not, type SqlTruth, type SqlValue, unlessFailing } from './sql-truth.ts'

/** Aggregates over list elements: the aggregate of their truth values, and the result for an empty list. */
const QUANTIFIERS: ReadonlyMap<
  string,
  { readonly aggregate: string; readonly isNegated: boolean; readonly empty: string }
> = new Map([
  ['any', { aggregate: 'bool_or', isNegated: false, empty: 'FALSE' }],
  ['all', { aggregate: 'bool_and', isNegated: false, empty: 'TRUE' }],
  ['none', { aggregate: 'bool_or', isNegated: true, empty: 'FALSE' }],
])

/** List functions as SQL: a list is a JSON column. Conditions on elements compare their members with constants. */
export class SqlLists {
  readonly #context: SqlContext
  readonly #numbers: SqlNumbers
  #tables = 0

  constructor(context: SqlContext, numbers: SqlNumbers) {
    this.#context = context
    this.#numbers = numbers
  }

  static isQuantifier(name: string): boolean {
    return QUANTIFIERS.has(name)
  }

  /** Whether an expression is syntactically a list or an object. */
  isJson(node: Expression): boolean {
    const constant = constantOf(node)
    if (constant !== undefined) return typeof constant === 'object' && constant !== null && !isDecimal(constant)
    return node.kind === 'call' && FUNCTIONS.get(node.name)?.lazy === true && node.args.some((one) => this.isJson(one))
  }

  literal(value: Value): SqlValue | undefined {
    const { json, text } = this.#context.form
    if (json === undefined) return undefined
    return { sql: json.literal(text(stringifyJson(value))), type: 'json', canBeNull: false, canFail: false }
  }

  /** `count(list)`, `count(list, test)`, `len(list)`. */
  count(node: Call): SqlValue {
    const { forms, list, test } = this.#parts(node)
    if (test === undefined) return this.#numbers.ofInteger(guarded(forms, list.sql, forms.length(list.sql)))
    const { table, truth } = this.#tested(node, test)
    const counted = `(SELECT CASE WHEN bool_or(truth IS NULL) THEN NULL ELSE count(*) FILTER (WHERE truth) END FROM (SELECT ${truth.sql} AS truth FROM ${forms.elements(list.sql, table)}) AS tests)`
    return this.#numbers.ofInteger(guarded(forms, list.sql, counted))
  }

  /** `any`, `all` and `none`, which end at the first deciding element: tests that could fail are not supported. */
  quantified(node: Call): SqlTruth {
    const { forms, list, test } = this.#parts(node)
    const quantifier = QUANTIFIERS.get(node.name)
    if (quantifier === undefined || test === undefined) throw inexpressible(node)
    const { table, truth } = this.#tested(node, test)
    if (truth.canFail) throw inexpressible(node)
    const { aggregate, isNegated, empty } = quantifier
    const tested = `(SELECT COALESCE(${aggregate}(${truth.sql}), ${empty}) FROM ${forms.elements(list.sql, table)})`
    const result = { sql: guarded(forms, list.sql, tested), canFail: true }
    return isNegated ? not(result) : result
  }

  /** `is_array` and `is_object`. */
  isType(node: Call, type: 'array' | 'object'): SqlTruth {
    const [argument] = node.args
    const forms = this.#context.form.json
    if (forms === undefined || argument === undefined) throw inexpressible(node)
    const value = this.#list(argument, forms)
    return unlessFailing(`COALESCE(${forms.isType(value.sql, type)}, FALSE)`, [value])
  }

  #parts(node: Call): { readonly forms: JsonForms; readonly list: SqlValue; readonly test: Lambda | undefined } {
    const [argument, test] = node.args
    const forms = this.#context.form.json
    if (forms === undefined || argument === undefined) throw inexpressible(node)
    if (test !== undefined && (test.kind !== 'lambda' || test.parameters.length !== 1)) throw inexpressible(node)
    return { forms, list: this.#list(argument, forms), test }
  }

  /** A list as JSON: NULL if it is missing or null, or if the rules fail. */
  #list(node: Expression, forms: JsonForms, read = (field: Expression) => this.#context.value(field)): SqlValue {
    if (node.kind === 'call' && FUNCTIONS.get(node.name)?.lazy === true) {
      const values = node.args.map((argument) => this.#list(argument, forms, (field) => this.#context.guarded(field)))
      return {
        sql: `COALESCE(${values.map(({ sql }) => sql).join(', ')})`,
        type: 'json',
        canBeNull: values.every(({ canBeNull }) => canBeNull),
        canFail: false,
      }
    }
    const constant = constantOf(node)
    if (constant === null) return { sql: 'NULL', type: 'json', canBeNull: true, canFail: false }
    if (node.kind !== 'field' && (constant === undefined || !(isList(constant) || isObject(constant))))
      throw inexpressible(node)
    const value = read(node)
    if (value.type !== 'unknown' && value.type !== 'json') throw inexpressible(node)
    this.#context.use(node, 'json')
    if (constant !== undefined) return value
    const fails = value.canFail ? { fails: `${value.sql} IS NULL` } : {}
    return { ...value, sql: forms.value(value.sql), type: 'json', ...fails }
  }

  #tested(node: Call, test: Lambda): { readonly table: string; readonly truth: SqlTruth } {
    const table = `element_${++this.#tables}`
    const element: Element = { name: test.parameters[0] ?? '', sql: `${table}.value`, node }
    return { table, truth: this.#truth(test.body, element) }
  }

  /** A condition on members of an element and constants. */
  #truth(node: Expression, element: Element): SqlTruth {
    this.#context.budget.spend(20)
    const constant = constantOf(node)
    if (typeof constant === 'boolean') return { sql: constant ? 'TRUE' : 'FALSE', canFail: false }
    if (node.kind === 'unary' && node.operator === '!') return not(this.#truth(node.operand, element))
    if (node.kind !== 'binary') throw inexpressible(element.node)
    const { decidedBy, container, negates } = OPERATORS[node.operator]
    if (decidedBy !== undefined) {
      const operands = operandsOf(node, node.operator).map((operand) => this.#truth(operand, element))
      return chain(operands, decidedBy ? 'OR' : 'AND')
    }
    if (container === 'right') {
      const values = constantOf(node.right)
      if (!isList(values)) throw inexpressible(element.node)
      this.#context.budget.spend(8 * values.length)
      const tests = values.map((value) => this.#equals(node.left, value, element))
      return negates === undefined ? chain(tests, 'OR') : not(chain(tests, 'OR'))
    }
    const comparison = comparisonOf(node.operator)
    if (comparison !== 'eq' && comparison !== 'ne') throw inexpressible(element.node)
    const [left, right] = [constantOf(node.left), constantOf(node.right)]
    const equals =
      right !== undefined
        ? this.#equals(node.left, right, element)
        : left !== undefined
          ? this.#equals(node.right, left, element)
          : undefined
    if (equals === undefined) throw inexpressible(element.node)
    return comparison === 'eq' ? equals : not(equals)
  }

  #equals(node: Expression, value: Value, element: Element): SqlTruth {
    const { json: forms, text } = this.#context.form
    if (forms === undefined || node.kind !== 'local' || node.name !== element.name) throw inexpressible(element.node)
    const keys = node.path.map((segment) => {
      if (segment.kind !== 'name') throw inexpressible(element.node)
      return text(segment.name)
    })
    const member = forms.member(element.sql, keys)
    const canFail = this.#context.policy.mode === 'strict' && keys.length > 0
    // A null member exists, but `member` does not distinguish it from a missing one.
    if (canFail) return this.#strictly(element, keys, value, forms)
    if (value === null) return { sql: `(${member} IS NULL)`, canFail: false }
    return { sql: `COALESCE(${member} = ${this.#json(value, element, forms)}, FALSE)`, canFail: false }
  }

  /** A comparison that fails if the member is missing. */
  #strictly(element: Element, keys: readonly string[], value: Value, forms: JsonForms): SqlTruth {
    const member = [element.sql, ...keys].join(' -> ')
    return { sql: `(${member} = ${this.#json(value, element, forms)})`, canFail: true }
  }

  #json(value: Value, element: Element, forms: JsonForms): string {
    if (typeof value === 'number' && this.#context.policy.numbers === 'double')
      this.#context.assumptions.add('numbers in JSON are compared by all their digits, where the rules read doubles')
    else if (typeof value === 'object' && value !== null && !isDecimal(value)) throw inexpressible(element.node)
    return forms.literal(this.#context.form.text(stringifyJson(value)))
  }
}

/** The element under test. */
interface Element {
  readonly name: string
  readonly sql: string
  /** The call, for messages. */
  readonly node: Call
}

/** SQL that reads a list; NULL for any other value. */
function guarded(forms: JsonForms, list: string, sql: string): string {
  return `CASE WHEN ${forms.isType(list, 'array')} THEN ${sql} END`
}
