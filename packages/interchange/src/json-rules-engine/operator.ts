import { isList, isNumber, stringifyJson, type Value } from '@engine/expression'
import type { Right } from './condition.ts'

/** Why there is no equivalent. */
interface Lost {
  readonly lost: string
}

/** Writes a comparison of a fact. The result is one or more operands of `&&`. */
type Operator = (fact: string, right: Right) => string | Lost

const isScalar = (value: Value) => value === null || typeof value !== 'object'

const text = (value: Value) => stringifyJson(value)

const IDENTITY = {
  lost: 'a list or an object is only equal to itself in json-rules-engine, and never to a value of a document',
}

/** An absent fact is not equal to any value, not even null; two absent ones are equal. */
function equality(is: boolean): Operator {
  const operator = is ? '==' : '!='
  return (fact, right) => {
    if (right.kind === 'fact') return `${fact} ${operator} ${right.text}`
    if (!isScalar(right.value)) return IDENTITY
    if (right.value !== null) return `${fact} ${operator} ${text(right.value)}`
    return is ? `exists(${fact}) && ${fact} == null` : `(!exists(${fact}) || ${fact} != null)`
  }
}

function order(operator: '<' | '<=' | '>' | '>='): Operator {
  return (fact, right) => {
    if (right.kind === 'fact') return `${fact} ${operator} ${right.text}`
    if (!isNumber(right.value)) return { lost: 'texts are compared as numbers in json-rules-engine' }
    return `${fact} ${operator} ${text(right.value)}`
  }
}

/** In json-rules-engine a text on the right side contains substrings, a list its items. */
function within(is: boolean): Operator {
  const operator = is ? 'in' : 'not in'
  return (fact, right) => {
    if (right.kind === 'fact') return { lost: 'a list that is a fact: use `contains`' }
    if (!isList(right.value)) return { lost: 'the right side is not a list' }
    if (!right.value.every(isScalar)) return IDENTITY
    if (!right.value.includes(null)) return `${fact} ${operator} ${text(right.value)}`
    return { lost: 'a list with null: an absent fact is not null in json-rules-engine' }
  }
}

/** For a fact that is not a list, both tests are false. */
function containing(is: boolean): Operator {
  return (fact, right) => {
    if (right.kind === 'constant' && !isScalar(right.value)) return IDENTITY
    const item = right.kind === 'fact' ? right.text : text(right.value)
    return is ? `is_array(${fact}) && ${fact} contains ${item}` : `is_array(${fact}) && ${item} not in ${fact}`
  }
}

export const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['equal', equality(true)],
  ['notEqual', equality(false)],
  ['lessThan', order('<')],
  ['lessThanInclusive', order('<=')],
  ['greaterThan', order('>')],
  ['greaterThanInclusive', order('>=')],
  ['in', within(true)],
  ['notIn', within(false)],
  ['contains', containing(true)],
  ['doesNotContain', containing(false)],
])
