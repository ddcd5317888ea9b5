import { isNumber, stringifyJson, type Value } from '@engine/expression'
import { isList } from '@engine/ruleset'
import type { Right } from './condition.ts'

/** Why there is no counterpart. */
interface Lost {
  readonly lost: string
}

/** Writes a comparison of a fact. Each of them is one operand of `&&`, or several. */
type Operator = (fact: string, right: Right) => string | Lost

const isScalar = (value: Value) => value === null || typeof value !== 'object'

const text = (value: Value) => stringifyJson(value)

const IDENTITY = { lost: 'a list or an object is equal to itself only there, and never to a value of a document' }

/** A fact that is absent is equal to no value there, not to null either; two that are absent are. */
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
    if (!isNumber(right.value)) return { lost: 'texts are compared as numbers there' }
    return `${fact} ${operator} ${text(right.value)}`
  }
}

/** A text on the right side holds parts there; a list its items. */
function within(is: boolean): Operator {
  const operator = is ? 'in' : 'not in'
  return (fact, right) => {
    if (right.kind === 'fact') return { lost: 'a list that is a fact: use `contains`' }
    if (!isList(right.value)) return { lost: 'the right side is no list' }
    if (!right.value.every(isScalar)) return IDENTITY
    if (!right.value.includes(null)) return `${fact} ${operator} ${text(right.value)}`
    return { lost: 'a list with null: an absent fact is not null there' }
  }
}

/** A fact that is no list holds nothing, and lacks nothing either. */
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
