import { DecimalError, numberOfText } from '@engine/expression'
import { arithmetic, negated } from './arithmetic.ts'
import type { FeelArgument, FeelExpression, FeelIterator } from './ast.ts'
import { atLiteral } from './at-literal.ts'
import { indexed, itemsOf, MAX_ITEMS, steps } from './items.ts'
import { and, compared, or } from './logic.ts'
import { memberOf } from './members.ts'
import { halfRange, isIn, rangeOf } from './ranges.ts'
import { coerced, conforms, type NamedTypes } from './types.ts'
import {
  type FeelContext,
  type FeelFunction,
  type FeelValue,
  isContext,
  isFeelNumber,
  isKind,
  isList,
  NotConstant,
} from './value.ts'

/**
 * Names in scope. A lookup throws `NotConstant` for a value that depends on the input, and returns undefined for an
 * unknown name.
 */
export type Lookup = (name: string) => FeelValue | undefined

/** A built-in function. */
export interface Builtin {
  /** The parameter names of each signature. */
  readonly parameters: readonly FeelFunction['parameters'][]
  readonly call: (args: readonly FeelValue[], evaluator: Evaluator) => FeelValue
}

/** Maximum number of evaluations per document. */
const MAX_EVALUATIONS = 500_000
/** Maximum depth of calls and expressions. */
const MAX_DEPTH = 200

/**
 * Evaluates FEEL expressions (DMN 1.5, 10.3) exactly at import; FEEL errors yield null. Throws `NotConstant` if the
 * value depends on the input, the meaning is ambiguous, or a limit is reached.
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
    if (++this.#depth > MAX_DEPTH) throw new NotConstant('functions or expressions are nested too deeply')
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
        // The prefix 0 adds the digits before the point that a number needs here.
        return numberOfText(`0${expression.text}`) ?? null
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

  /** A type without its allowed values, which `instance of` ignores. */
  #shapeOf(name: string): ReturnType<NamedTypes> {
    const item = this.#named(name)
    return item && { type: item.type, isAllowed: undefined }
  }

  /** A function whose parameters hide outer names. */
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

  /** `list[test]`: the item at an index, or the items for which a test is true. */
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

  /** The results of a `for`, with the previous results as `partial`; null if an iterator is not iterable. */
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

/** A lookup in a map first, then in another lookup. */
export const hiding =
  (names: FeelContext, around: Lookup): Lookup =>
  (name) =>
    names.has(name) ? (names.get(name) ?? null) : around(name)
