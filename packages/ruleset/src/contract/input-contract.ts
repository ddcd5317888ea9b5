import {
  type Budget,
  type DigitLimits,
  escapedKey,
  exceededLimit,
  isList,
  isNumber,
  isObject,
  type NumberValue,
  orderOf,
  stringifyJson,
  typeName,
  type Value,
} from '@engine/expression/core'
import { type Concepts, type FieldType, hasType, parseType, typeText } from './field-type.ts'

/** `config.contract`: the requirements on inputs, and the treatment of violations. */
export interface InputContract {
  /**
   * `enforce`: an invalid input is rejected. `warn`: it is decided, and the violation is counted. `off`: nothing is
   * checked.
   */
  readonly mode: 'off' | 'warn' | 'enforce'
  readonly name: string
  readonly version: string
  readonly fields: readonly ContractField[]
  readonly concepts: Concepts
}

export interface ContractField {
  /** The dotted path, as written. */
  readonly name: string
  /** The names that lead to it. */
  readonly path: readonly string[]
  readonly type: FieldType
  readonly required: boolean
  /** The value if an input omits the field; undefined for none. */
  readonly default: Value | undefined
  readonly values: readonly Value[] | undefined
  readonly minimum: NumberValue | undefined
  readonly maximum: NumberValue | undefined
  /** Digit limits of a `decimal`. */
  readonly limits: DigitLimits | undefined
  /** True if its values must not be shown. */
  readonly sensitive: boolean
}

/**
 * Maximum number of violations of one input that are returned, recorded, audited and compared; the error message states
 * their total.
 */
export const MAX_SHOWN_VIOLATIONS = 100

/** A violation of a contract by an input. */
export interface Violation {
  /** JSON pointer (RFC 6901) from the request: `/input/applicant/age`. */
  readonly path: string
  readonly rule: 'required' | 'type' | 'digits' | 'decimals' | 'enum' | 'range'
  readonly expected: string
  readonly found: string
}

/** Maximum length of a value shown in a violation. */
const MAX_SHOWN = 64

/**
 * All violations of an input, in the order of the contract. Cost: the contract and the items of typed lists, which are
 * charged. Throws `BudgetError`.
 */
export function violationsOf(contract: InputContract, input: Value, budget: Budget): readonly Violation[] {
  let violations: Violation[] | undefined
  for (const field of contract.fields) {
    const value = valueAt(input, field.path)
    budget.spend(2)
    if (value === undefined || value === null) {
      if (!field.required || (value === undefined && field.default !== undefined)) continue
      violations ??= []
      violations.push(
        violation(field, 'required', withArticle(typeText(field.type)), value === null ? 'null' : 'nothing'),
      )
      continue
    }
    if (holdsField(field, value, contract.concepts, budget)) continue
    violations ??= []
    const before = violations.length
    addWrongTypes(violations, value, field.type, pointerOf(field), contract.concepts)
    if (violations.length > before) continue
    const broken = brokenLimit(field, value)
    if (broken !== undefined) violations.push(broken)
  }
  return violations ?? NONE
}

const NONE: readonly Violation[] = []

/** Whether a non-null value satisfies the rules of a field. */
export function holdsField(field: ContractField, value: Value, concepts: Concepts, budget: Budget): boolean {
  if (Array.isArray(value)) budget.spend(2 * value.length)
  return hasType(value, field.type, concepts) && brokenLimit(field, value) === undefined
}

/** Adds each part of a value with a wrong type: items of a list, or fields of a concept. Linear in the value. */
function addWrongTypes(found: Violation[], value: Value, type: FieldType, path: string, concepts: Concepts): void {
  if (type.kind === 'array' && isList(value)) {
    for (const [index, item] of value.entries()) addWrongTypes(found, item, type.item, `${path}/${index}`, concepts)
  } else if (type.kind === 'concept' && isObject(value)) {
    for (const { name, type: text } of concepts.get(type.name) ?? []) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined
      const known = parseType(text)
      if (given === undefined || known === undefined) continue
      addWrongTypes(found, given, known, `${path}/${escapedKey(name)}`, concepts)
    }
  } else if (!hasType(value, type, concepts))
    found.push({ path, rule: 'type', expected: withArticle(typeText(type)), found: typeName(value) })
}

/** Undefined if the value satisfies the limits of its field. */
function brokenLimit(field: ContractField, value: Value): Violation | undefined {
  const { values, minimum, maximum, limits } = field
  if (values !== undefined && !values.some((one) => isSame(one, value))) {
    const allowed = values.map((one) => stringifyJson(one)).join(', ')
    return violation(field, 'enum', `one of ${allowed.slice(0, 8 * MAX_SHOWN)}`, shown(field, value))
  }
  if (!isNumber(value)) return undefined
  const exceeded = limits && exceededLimit(value, limits)
  if (limits !== undefined && exceeded !== undefined)
    return violation(field, exceeded, digitsText(limits, exceeded), shown(field, value))
  if (minimum !== undefined && orderOf(value, minimum) < 0)
    return violation(field, 'range', `at least ${String(minimum)}`, shown(field, value))
  if (maximum !== undefined && orderOf(value, maximum) > 0)
    return violation(field, 'range', `at most ${String(maximum)}`, shown(field, value))
  return undefined
}

/** Describes the digit limit of a value. */
export function digitsText({ digits = 0, decimals }: DigitLimits, limit: 'digits' | 'decimals'): string {
  const [count, rest] =
    limit === 'decimals'
      ? [decimals ?? 0, 'after the point']
      : [digits - (decimals ?? 0), decimals === undefined ? 'in all' : 'before the point']
  return `at most ${count} ${count === 1 ? 'digit' : 'digits'} ${rest}`
}

function violation(field: ContractField, rule: Violation['rule'], expected: string, found: string): Violation {
  return { path: pointerOf(field), rule, expected, found }
}

const pointerOf = ({ path }: ContractField): string => `/input/${path.map(escapedKey).join('/')}`

function shown({ sensitive }: ContractField, value: Value): string {
  return sensitive ? `a ${typeName(value)}` : stringifyJson(value).slice(0, MAX_SHOWN)
}

function withArticle(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}

function valueAt(input: Value, path: readonly string[]): Value | undefined {
  let value: Value | undefined = input
  for (const key of path) {
    if (value === undefined || !isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

function isSame(one: Value, other: Value): boolean {
  if (isNumber(one) && isNumber(other)) return orderOf(one, other) === 0
  if (typeof one !== 'object' || typeof other !== 'object') return one === other
  return stringifyJson(one) === stringifyJson(other)
}
