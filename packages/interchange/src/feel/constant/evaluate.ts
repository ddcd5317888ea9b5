import { decimalArithmetic, DecimalError, negateNumber, numberOfText, type NumberValue } from '@engine/expression'
import type { Arithmetic, Comparison } from '../ast.ts'
import type { FeelArgument, FeelExpression, FeelIterator } from './ast.ts'
import {
  addMonths,
  dateTimeOf,
  dateOfDays,
  epochDays,
  type FeelDate,
  type FeelDateTime,
  type FeelTime,
  floorDivide,
  instantOf,
  localNanos,
  nanosOfDay,
  NANOS,
  offsetOf,
  parseDate,
  parseDateTime,
  parseDuration,
  parseTime,
  timeOfNanos,
  weekday,
} from './temporal.ts'
import { coerced, conforms, type NamedTypes } from './types.ts'
import {
  compareValues,
  equalValues,
  type FeelContext,
  type FeelFunction,
  type FeelRange,
  type FeelValue,
  isContext,
  isFeelNumber,
  isList,
  isKind,
  kindOf,
  NotConstant,
  taggedOf,
} from './value.ts'

/** Names in scope. A lookup throws `NotConstant` for a value that the input determines, and returns undefined for no such name. */
export type Lookup = (name: string) => FeelValue | undefined

/** A built-in function. */
export interface Builtin {
  /** The names of its parameters, for each of its forms. */
  readonly parameters: readonly FeelFunction['parameters'][]
  readonly call: (args: readonly FeelValue[], evaluator: Evaluator) => FeelValue
}

/** Evaluations of one document, and items of one list. */
const MAX_EVALUATIONS = 500_000
const MAX_ITEMS = 20_000
/** Levels of calls and expressions. */
const DEEPEST = 200

/**
 * Evaluates expressions of FEEL (DMN 1.5, 10.3) at import, exactly: errors of FEEL are null. Throws `NotConstant` where the
 * value depends on the input, the meaning is not certain, or a limit is reached.
 */
export class Evaluator {
  readonly #named: NamedTypes
  readonly #builtin: (name: string) => Builtin | undefined
  #left = MAX_EVALUATIONS
  #depth = 0

  constructor(named: NamedTypes, builtin: (name: string) => Builtin | undefined) {
    this.#named = named
    this.#builtin = builtin
  }

  get types(): NamedTypes {
    return this.#named
  }

  evaluate(expression: FeelExpression, lookup: Lookup): FeelValue {
    if (--this.#left < 0) throw new NotConstant('it takes too many evaluations')
    if (++this.#depth > DEEPEST) throw new NotConstant('functions or expressions are nested too deeply')
    try {
      return this.#value(expression, lookup)
    } catch (error) {
      if (error instanceof DecimalError) return null
      throw error
    } finally {
      this.#depth--
    }
  }

  #value(expression: FeelExpression, lookup: Lookup): FeelValue {
    const value = (one: FeelExpression) => this.evaluate(one, lookup)
    switch (expression.kind) {
      case 'null':
        return null
      case 'boolean':
      case 'string':
        return expression.value
      case 'number':
        return numberOfText(expression.text.startsWith('.') ? `0${expression.text}` : expression.text) ?? null
      case 'at':
        return atLiteral(expression.text)
      case 'name':
        return this.#name(expression.name, lookup)
      case 'member':
        return memberOf(value(expression.object), expression.name)
      case 'filter':
        return this.#filter(value(expression.list), expression.test, lookup)
      case 'call':
        return this.#call(expression.target, expression.args, lookup)
      case 'negation':
        return negated(value(expression.operand))
      case 'arithmetic':
        return arithmetic(expression.operator, value(expression.left), value(expression.right))
      case 'comparison':
        return compared(expression.operator, value(expression.left), value(expression.right))
      case 'logic':
        return this.#logic(expression, lookup)
      case 'between': {
        const [one, low, high] = [value(expression.value), value(expression.low), value(expression.high)]
        return and(compared('>=', one, low), compared('<=', one, high))
      }
      case 'in': {
        const one = value(expression.value)
        return expression.tests.map((test) => isIn(one, value(test))).reduce(or, false)
      }
      case 'half-range':
        return halfRange(expression.operator, value(expression.value))
      case 'range':
        return rangeOf(value(expression.low), value(expression.high), expression)
      case 'instance': {
        const one = value(expression.value)
        const { type } = expression
        if (one === null) return type.kind === 'named' && type.name === 'Null'
        return conforms(one, type, (name) => this.#shapeOf(name))
      }
      case 'if':
        return value(value(expression.condition) === true ? expression.consequent : expression.alternate)
      case 'for':
        return this.#for(expression.iterators, expression.body, lookup)
      case 'quantified':
        return this.#quantified(expression, lookup)
      case 'list':
        return expression.items.map(value)
      case 'context':
        return this.#context(expression.entries, lookup)
      case 'function': {
        const { parameters, body } = expression
        return this.closure(parameters, undefined, (inner) => this.evaluate(body, inner), lookup)
      }
    }
  }

  /** A type without the values that it allows, which `instance of` ignores. */
  #shapeOf(name: string): ReturnType<NamedTypes> {
    const item = this.#named(name)
    return item && { type: item.type, isAllowed: undefined }
  }

  /** A function with parameters that hide the names around it. */
  closure(
    parameters: FeelFunction['parameters'],
    result: FeelFunction['result'],
    body: (lookup: Lookup) => FeelValue,
    around: Lookup,
  ): FeelFunction {
    const call = (args: readonly FeelValue[]): FeelValue => {
      if (args.length !== parameters.length) return null
      const bound = new Map<string, FeelValue>()
      for (const [index, { name, type }] of parameters.entries()) {
        const given = args[index] ?? null
        const arg = coerced(given, type, this.#named)
        if (given !== null && arg === null) return null
        bound.set(name, arg)
      }
      return coerced(body(hiding(bound, around)), result, this.#named)
    }
    return { kind: 'function', parameters, result, call }
  }

  #name(name: string, lookup: Lookup): FeelValue {
    const found = lookup(name)
    if (found !== undefined) return found
    const own = this.#builtin(name)
    if (own === undefined) throw new NotConstant(`the name ${name}`)
    return {
      kind: 'function',
      parameters: own.parameters[0] ?? [],
      result: undefined,
      call: (args) => own.call(args, this),
    }
  }

  #call(target: FeelExpression, args: readonly FeelArgument[], lookup: Lookup): FeelValue {
    const own = target.kind === 'name' && lookup(target.name) === undefined ? this.#builtin(target.name) : undefined
    const values = args.map(({ value }) => this.evaluate(value, lookup))
    const isNamed = args.some(({ name }) => name !== undefined)
    if (isNamed && !args.every(({ name }) => name !== undefined)) return null
    if (own !== undefined) {
      if (!isNamed) return own.call(values, this)
      const names = args.map(({ name = '' }) => name)
      const form = own.parameters.find((one) => names.every((name) => one.some((parameter) => parameter.name === name)))
      if (form === undefined || new Set(names).size < names.length) return null
      if (
        own.parameters.some(
          (one) => one !== own.parameters[0] && one.length > 1 && one.length === own.parameters[0]?.length,
        )
      )
        throw new NotConstant('named arguments of a function with several forms')
      if (form.length > names.length && target.kind === 'name' && target.name === 'is')
        throw new NotConstant('left-out arguments')
      const last = Math.max(...names.map((name) => form.findIndex((one) => one.name === name)))
      const given = form.slice(0, last + 1).map(({ name }) => names.indexOf(name))
      if (given.includes(-1)) throw new NotConstant('left-out named arguments')
      return own.call(
        given.map((index) => values[index] ?? null),
        this,
      )
    }
    const found = this.evaluate(target, lookup)
    if (!isKind(found, 'function')) return null
    const { parameters, call } = found
    if (!isNamed) return call(values)
    const ordered = parameters.map(({ name }) => args.findIndex((arg) => arg.name === name))
    if (ordered.includes(-1) || args.length !== parameters.length) return null
    return call(ordered.map((index) => values[index] ?? null))
  }

  #logic({ operator, left, right }: FeelExpression & { readonly kind: 'logic' }, lookup: Lookup): FeelValue {
    const one = this.evaluate(left, lookup)
    if (one === (operator === 'or')) return one
    const other = this.evaluate(right, lookup)
    return operator === 'and' ? and(one, other) : or(one, other)
  }

  #context(entries: readonly (readonly [string, FeelExpression])[], lookup: Lookup): FeelValue {
    const found = new Map<string, FeelValue>()
    for (const [key, expression] of entries) {
      if (found.has(key)) return null
      found.set(key, this.evaluate(expression, hiding(found, lookup)))
    }
    return found
  }

  /** `list[test]`: the item of an index, or the items for which a test is true. */
  #filter(given: FeelValue, test: FeelExpression, lookup: Lookup): FeelValue {
    const list = given === null ? [] : isList(given) ? given : [given]
    return this.filtered(list, (inner) => this.evaluate(test, inner), lookup)
  }

  filtered(list: readonly FeelValue[], test: (lookup: Lookup) => FeelValue, around: Lookup): FeelValue {
    const kept: FeelValue[] = []
    for (const item of list) {
      const bound = new Map<string, FeelValue>([
        ...(isContext(item) ? item : []),
        ['item', isContext(item) && item.has('item') ? (item.get('item') ?? null) : item],
      ])
      const result = test(hiding(bound, around))
      if (isFeelNumber(result)) return indexed(list, result)
      if (result === true) kept.push(item)
      else if (result !== false && result !== null) return null
    }
    return kept
  }

  #for(iterators: readonly FeelIterator[], body: FeelExpression, lookup: Lookup): FeelValue {
    return this.iterated(
      iterators.map(({ name, from, to }) => ({ name, items: (inner) => this.#items(from, to, inner) })),
      (inner) => this.evaluate(body, inner),
      lookup,
    )
  }

  /** The results of a `for`, with those so far as `partial`; null where an iterator has no items. */
  iterated(
    iterators: readonly {
      readonly name: string
      readonly items: (lookup: Lookup) => readonly FeelValue[] | undefined
    }[],
    body: (lookup: Lookup) => FeelValue,
    around: Lookup,
  ): FeelValue {
    const results: FeelValue[] = []
    const visit = (index: number, lookup: Lookup): boolean => {
      const iterator = iterators[index]
      if (iterator === undefined) {
        if (results.length >= MAX_ITEMS) throw new NotConstant('a list has too many items')
        results.push(body(hiding(new Map([['partial', [...results]]]), lookup)))
        return true
      }
      const items = iterator.items(lookup)
      if (items === undefined) return false
      return items.every((item) => visit(index + 1, hiding(new Map([[iterator.name, item]]), lookup)))
    }
    return visit(0, around) ? results : null
  }

  #items(from: FeelExpression, to: FeelExpression | undefined, lookup: Lookup): readonly FeelValue[] | undefined {
    const first = this.evaluate(from, lookup)
    return to === undefined ? itemsOf(first) : steps(first, this.evaluate(to, lookup))
  }

  #quantified(expression: FeelExpression & { readonly kind: 'quantified' }, lookup: Lookup): FeelValue {
    const { quantifier, iterators, test } = expression
    return this.quantified(
      quantifier,
      iterators.map(({ name, from, to }) => ({ name, items: (inner) => this.#items(from, to, inner) })),
      (inner) => this.evaluate(test, inner),
      lookup,
    )
  }

  quantified(
    quantifier: 'some' | 'every',
    iterators: Parameters<Evaluator['iterated']>[0],
    test: (lookup: Lookup) => FeelValue,
    around: Lookup,
  ): FeelValue {
    const results = this.iterated(iterators, test, around)
    if (results === null || !isList(results)) return null
    if (results.some((one) => one !== null && typeof one !== 'boolean'))
      throw new NotConstant('a test that is no boolean')
    return quantifier === 'some' ? results.reduce(or, false) : results.reduce(and, true)
  }
}

/** The names of a map in front of others. */
export const hiding =
  (names: FeelContext, around: Lookup): Lookup =>
  (name) =>
    names.has(name) ? (names.get(name) ?? null) : around(name)

/** The items that `for` goes over; undefined for a value that is none. */
export function itemsOf(value: FeelValue): readonly FeelValue[] | undefined {
  if (value === null) return undefined
  if (isList(value)) return value
  if (!isKind(value, 'range')) return [value]
  const { low, high, isLowIncluded, isHighIncluded } = value
  if ((compareValues(low, high) ?? 1) > 0) return undefined
  const all = steps(low, high)
  return all?.slice(isLowIncluded ? 0 : 1, isHighIncluded ? all.length : all.length - 1)
}

/** Whole numbers or days from one to another, in either direction. */
function steps(from: FeelValue, to: FeelValue): readonly FeelValue[] | undefined {
  if (isFeelNumber(from) && isFeelNumber(to)) {
    const [first, last] = [Number(from), Number(to)]
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) throw new NotConstant('a range of fractions')
    return counted(first, last)
  }
  if (!isKind(from, 'date') || !isKind(to, 'date')) return undefined
  return counted(epochDays(from), epochDays(to)).map((days) => dateOfDays(days) ?? null)
}

function counted(first: number, last: number): readonly number[] {
  const length = Math.abs(last - first) + 1
  if (length > MAX_ITEMS) throw new NotConstant('a range has too many numbers')
  return Array.from({ length }, (_, index) => (last >= first ? first + index : first - index))
}

function indexed(list: readonly FeelValue[], index: NumberValue): FeelValue {
  const at = Number(index)
  if (!Number.isInteger(at) || at === 0) return null
  return list.at(at > 0 ? at - 1 : at) ?? null
}

function atLiteral(text: string): FeelValue {
  refuseMidnight24(text)
  return (
    parseDate(text) ??
    (text.includes('T') && /^-?\d{4}/.test(text) ? parseDateTime(text) : undefined) ??
    parseTime(text) ??
    parseDuration(text) ??
    null
  )
}

/** Whether `24:00:00` is the end of the day or no time differs between products. */
export function refuseMidnight24(text: string): void {
  if (/(?:^|T)24:/.test(text)) throw new NotConstant('the hour 24')
}

export function and(left: FeelValue, right: FeelValue): FeelValue {
  if (left === false || right === false) return false
  return left === true && right === true ? true : null
}

export function or(left: FeelValue, right: FeelValue): FeelValue {
  if (left === true || right === true) return true
  return left === false && right === false ? false : null
}

export function compared(operator: Comparison, left: FeelValue, right: FeelValue): FeelValue {
  if (operator === '=' || operator === '!=') {
    const equal = equalValues(left, right)
    return equal === null ? null : equal === (operator === '=')
  }
  const order = compareValues(left, right)
  if (order === undefined) return null
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

export function rangeOf(
  low: FeelValue,
  high: FeelValue,
  { isLowIncluded, isHighIncluded }: { readonly isLowIncluded: boolean; readonly isHighIncluded: boolean },
): FeelValue {
  if (low !== null && high !== null && compareValues(low, high) === undefined) return null
  return { kind: 'range', low, high, isLowIncluded, isHighIncluded }
}

function halfRange(operator: Comparison, value: FeelValue): FeelValue {
  switch (operator) {
    case '=':
      return { kind: 'range', low: value, high: value, isLowIncluded: true, isHighIncluded: true, isTest: true }
    case '<':
    case '<=':
      return {
        kind: 'range',
        low: null,
        high: value,
        isLowIncluded: false,
        isHighIncluded: operator === '<=',
        isTest: true,
      }
    case '>':
    case '>=':
      return {
        kind: 'range',
        low: value,
        high: null,
        isLowIncluded: operator === '>=',
        isHighIncluded: false,
        isTest: true,
      }
    case '!=':
      throw new NotConstant('`!=` as a test')
  }
}

/** Whether a value is in a range. */
export function inRange(value: FeelValue, range: FeelRange): FeelValue {
  const { low, high, isLowIncluded, isHighIncluded } = range
  if (range.isTest !== true && (low === null || high === null)) return null
  if (low !== null && low === high) return equalValues(value, low)
  const above = low === null ? true : compared(isLowIncluded ? '>=' : '>', value, low)
  const below = high === null ? true : compared(isHighIncluded ? '<=' : '<', value, high)
  return and(above, below)
}

function isIn(value: FeelValue, test: FeelValue): FeelValue {
  if (isKind(test, 'range') && !isKind(value, 'range')) return inRange(value, test)
  if (isList(test)) {
    if (isList(value)) {
      if (equalValues(value, test) === true) return true
      return test.some((one) => isList(one) && equalValues(value, one) === true)
    }
    return test.some(
      (one) =>
        (isKind(one, 'range') && !isKind(value, 'range') ? inRange(value, one) : equalValues(value, one)) === true,
    )
  }
  return equalValues(value, test)
}

function negated(value: FeelValue): FeelValue {
  if (isFeelNumber(value)) return negateNumber(value)
  if (isKind(value, 'dayTime')) return { kind: 'dayTime', nanos: -value.nanos }
  if (isKind(value, 'yearMonth')) return { kind: 'yearMonth', months: -value.months || 0 }
  return null
}

/** Largest size of an exponent: FEEL numbers have the exponents of decimal128. */
const MAX_POWER = 999

function arithmetic(operator: Arithmetic, left: FeelValue, right: FeelValue): FeelValue {
  if (left === null || right === null) return null
  if (isFeelNumber(left) && isFeelNumber(right)) return ofNumbers(operator, left, right)
  if (typeof left === 'string' && typeof right === 'string') return operator === '+' ? left + right : null
  return temporalArithmetic(operator, left, right)
}

function ofNumbers(operator: Arithmetic, left: NumberValue, right: NumberValue): FeelValue {
  switch (operator) {
    case '+':
      return decimalArithmetic.add(left, right)
    case '-':
      return decimalArithmetic.subtract(left, right)
    case '*':
      return decimalArithmetic.multiply(left, right)
    case '/':
      return decimalArithmetic.divide(left, right)
    case '**': {
      const exponent = Number(right)
      if (Number(left) === 0 && exponent < 0) return null
      if (!Number.isInteger(exponent) || Math.abs(exponent) > MAX_POWER) {
        const power = Number(left) ** exponent
        return Number.isFinite(power) ? power : null
      }
      return decimalArithmetic.power(left, exponent)
    }
  }
}

function temporalArithmetic(operator: Arithmetic, left: FeelValue, right: FeelValue): FeelValue {
  const [one, other] = [kindOf(left), kindOf(right)]
  switch (operator) {
    case '+':
      return one === 'dayTime' || (one === 'yearMonth' && other !== 'yearMonth')
        ? added(right, left)
        : added(left, right)
    case '-':
      if (one === other && (one === 'date' || one === 'dateTime' || one === 'time')) return difference(left, right)
      if ((one === 'date' && other === 'dateTime') || (one === 'dateTime' && other === 'date'))
        return difference(left, right)
      return other === 'dayTime' || other === 'yearMonth' ? added(left, negated(right)) : null
    case '*':
      if (isFeelNumber(left)) return scaled(right, left)
      return isFeelNumber(right) ? scaled(left, right) : null
    case '/':
      if (isFeelNumber(right))
        return Number(right) === 0 ? null : scaled(left, decimalArithmetic.divide(1, right), right)
      if (one !== other) return null
      if (isKind(left, 'yearMonth') && isKind(right, 'yearMonth'))
        return right.months === 0 ? null : decimalArithmetic.divide(left.months, right.months)
      if (!isKind(left, 'dayTime') || !isKind(right, 'dayTime') || right.nanos === 0n) return null
      return decimalArithmetic.divide(integer(left.nanos), integer(right.nanos))
    case '**':
      return null
  }
}

const integer = (value: bigint): NumberValue => numberOfText(String(value)) ?? 0

function scaled(value: FeelValue, factor: NumberValue, divisor?: NumberValue): FeelValue {
  const by = (size: bigint): bigint => {
    const exact =
      divisor === undefined
        ? decimalArithmetic.multiply(integer(size), factor)
        : decimalArithmetic.divide(integer(size), divisor)
    const [whole = '0'] = String(exact).split('.')
    if (/e/.test(String(exact))) throw new NotConstant('such a long duration')
    return BigInt(whole)
  }
  if (isKind(value, 'dayTime')) return { kind: 'dayTime', nanos: by(value.nanos) }
  if (isKind(value, 'yearMonth')) {
    const months = Number(by(BigInt(value.months)))
    return Number.isSafeInteger(months) ? { kind: 'yearMonth', months } : null
  }
  return null
}

function added(value: FeelValue, duration: FeelValue): FeelValue {
  const tagged = taggedOf(value)
  if (isKind(duration, 'yearMonth')) {
    const { months } = duration
    if (tagged?.kind === 'yearMonth') return { kind: tagged.kind, months: tagged.months + months }
    if (tagged?.kind === 'date') return addMonths(tagged, months) ?? null
    if (tagged?.kind !== 'dateTime') return null
    const date = addMonths(tagged.date, months)
    return date === undefined ? null : { ...tagged, date }
  }
  if (!isKind(duration, 'dayTime')) return null
  const { nanos } = duration
  switch (tagged?.kind) {
    case 'dayTime':
      return { kind: 'dayTime', nanos: tagged.nanos + nanos }
    case 'date':
      return dateOfDays(epochDays(tagged) + Number(floorDivide(nanos, 86_400n * NANOS))) ?? null
    case 'dateTime':
      if (tagged.time.zone !== undefined) throw new NotConstant('arithmetic with a time of a zone')
      return dateTimeOf(localNanos(tagged) + nanos, tagged.time) ?? null
    case 'time':
      return timeOfNanos(nanosOfDay(tagged) + nanos, tagged)
    default:
      return null
  }
}

const midnight = (date: FeelDate): FeelDateTime => ({
  kind: 'dateTime',
  date,
  time: { kind: 'time', hour: 0, minute: 0, second: 0, nanos: 0, offset: 0 },
})

/** Values of a local time and of one with an offset have no difference. */
function difference(left: FeelValue, right: FeelValue): FeelValue {
  if (isKind(left, 'time') && isKind(right, 'time')) {
    const offsets = [left, right].map((time) => (time.zone === undefined ? time.offset : NaN))
    if (offsets.some((offset) => Number.isNaN(offset))) throw new NotConstant('arithmetic with a time of a zone')
    if ((offsets[0] === undefined) !== (offsets[1] === undefined)) return null
    return {
      kind: 'dayTime',
      nanos: nanosOfDay(left) - nanosOfDay(right) - BigInt((offsets[0] ?? 0) - (offsets[1] ?? 0)) * NANOS,
    }
  }
  const [one, other] = [left, right].map((value) =>
    isKind(value, 'date') ? midnight(value) : isKind(value, 'dateTime') ? value : undefined,
  )
  if (one === undefined || other === undefined) return null
  const isLocal = (value: FeelDateTime) => offsetOf(value.time, value.date) === undefined
  if (isLocal(one) !== isLocal(other)) return null
  return { kind: 'dayTime', nanos: instantOf(one) - instantOf(other) }
}

/** A member: an entry of a context, of each item of a list, or a part of a date, time, duration or range. */
function memberOf(value: FeelValue, name: string): FeelValue {
  if (isContext(value)) return value.get(name) ?? null
  if (isList(value)) return value.map((item) => memberOf(item, name))
  const tagged = taggedOf(value)
  switch (tagged?.kind) {
    case 'date':
      return dateMember(tagged, name)
    case 'time':
      return timeMember(tagged, name)
    case 'dateTime': {
      const { date, time } = tagged
      return dateMember(date, name) ?? timeMember(time, name, date)
    }
    case 'dayTime':
      return dayTimeMember(tagged.nanos, name)
    case 'yearMonth': {
      const { months } = tagged
      return name === 'years' ? Math.trunc(months / 12) || 0 : name === 'months' ? months % 12 || 0 : null
    }
    case 'range': {
      const members: { readonly [name: string]: FeelValue } = {
        start: tagged.low,
        end: tagged.high,
        'start included': tagged.isLowIncluded,
        'end included': tagged.isHighIncluded,
      }
      return Object.hasOwn(members, name) ? (members[name] ?? null) : null
    }
    default:
      return null
  }
}

function dateMember(date: FeelDate, name: string): FeelValue {
  if (name === 'weekday') return weekday(date)
  return name === 'year' || name === 'month' || name === 'day' ? date[name] : null
}

function timeMember(
  time: FeelTime,
  name: string,
  date: FeelDate = { kind: 'date', year: 1970, month: 1, day: 1 },
): FeelValue {
  switch (name) {
    case 'hour':
    case 'minute':
      return time[name]
    case 'second':
      return time.nanos === 0
        ? time.second
        : (numberOfText(`${time.second}.${String(time.nanos).padStart(9, '0')}`) ?? null)
    case 'time offset': {
      const offset = offsetOf(time, date)
      return offset === undefined ? null : { kind: 'dayTime', nanos: BigInt(offset) * NANOS }
    }
    case 'timezone':
      return time.zone ?? null
    default:
      return null
  }
}

function dayTimeMember(nanos: bigint, name: string): FeelValue {
  const seconds = nanos / NANOS
  switch (name) {
    case 'days':
      return Number(seconds / 86_400n)
    case 'hours':
      return Number((seconds / 3600n) % 24n)
    case 'minutes':
      return Number((seconds / 60n) % 60n)
    case 'seconds':
      return decimalArithmetic.divide(integer(nanos % (60n * NANOS)), Number(NANOS))
    default:
      return null
  }
}
