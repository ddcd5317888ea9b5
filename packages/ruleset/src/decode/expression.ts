import {
  BudgetError,
  CountedBudget,
  fromJsonForm,
  isList,
  keysOfPointer,
  locator,
  NO_SPAN,
  print,
  read,
  readTree,
  walk,
} from '@engine/expression/core'
import type { CheckOptions, Expression, Problem, Read, Value } from '@engine/expression/core'
import { faults, type FaultText } from '../problems.ts'
import { countItems, countParts, notesOf, PARSING, refuse, tolerate, warn } from './decoding.ts'
import type { Decoding } from './decoding.ts'
import { described, isFields } from './field.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'

/** An expression with its text for traces. */
export interface Sourced {
  readonly expression: Expression
  /** The original text; the canonical text for the JSON form. */
  readonly source: string
}

const ALWAYS: Sourced = { expression: { kind: 'literal', value: true, span: NO_SPAN }, source: 'true' }
const NEVER: Sourced = { expression: { kind: 'literal', value: false, span: NO_SPAN }, source: 'false' }

/**
 * A branch's condition: text, `true`, `false`, the JSON form, or null, which counts as true (documents of other engines
 * have it) with a warning. Undefined after a fault.
 */
export function decodeCondition(decoding: Decoding, place: Place, value: Value | undefined): Sourced | undefined {
  if (value === true) return ALWAYS
  if (value === false) return NEVER
  if (value === null) {
    warn(decoding, place, faults.nullCondition())
    return ALWAYS
  }
  if (typeof value === 'string') {
    const expression = decodeText(decoding, place, value)
    return expression && { expression, source: value }
  }
  if (isFields(value)) {
    const expression = decodeForm(decoding, place, value)
    return expression && { expression, source: print(expression) }
  }
  if (value === undefined) return refuse(decoding, place, faults.missing('condition', 'the text of an expression'))
  return refuse(decoding, place, faults.wrongType('the text of an expression, `true` or `false`', described(value)))
}

/**
 * A computed value: a string is an expression, an object its JSON form; numbers, booleans and null are themselves.
 * Undefined after a fault.
 */
export function decodeValue(decoding: Decoding, place: Place, value: Value | undefined): Expression | undefined {
  if (typeof value === 'string') return decodeText(decoding, place, value)
  if (isFields(value)) return decodeForm(decoding, place, value)
  if (isList(value)) return refuse(decoding, place, faults.listAsExpression())
  if (value === undefined) {
    return refuse(decoding, place, faults.missing(String(place.key), 'an expression'))
  }
  return { kind: 'literal', value, span: NO_SPAN }
}

/** An expression written as text. Its faults have line and column in `whole`, where it starts at `offset`. */
export function decodeText(
  decoding: Decoding,
  place: Place,
  text: string,
  whole = text,
  offset = 0,
): Expression | undefined {
  decoding.work += text.length * PARSING
  if (text.trim() === '') return refuse(decoding, place, faults.emptyExpression())
  const { expressions } = decoding
  const notes = notesOf(decoding)
  const expression = expressions?.take(text) ?? readText(decoding, place, text, textFaults(decoding, whole, offset))
  if (expression === undefined) return undefined
  if (notesOf(decoding) === notes) expressions?.keep(text, expression)
  countParts(decoding, place, expression)
  if (text.includes('[')) countItems(decoding, place, expression)
  if (text.includes('$')) noteVariables(decoding, place, expression)
  return expression
}

function readText(
  decoding: Decoding,
  place: Place,
  text: string,
  faultOf: (problem: Problem) => FaultText,
): Expression | undefined {
  const found = checked(decoding, place, faultOf, (options) => read(text, options))
  if (found === undefined) return undefined
  if ('expression' in found) return found.expression
  for (const problem of found.problems) refuse(decoding, place, faultOf(problem))
  return undefined
}

/**
 * The result of checking an expression, or undefined after the fault that its patterns are too large: each is compiled,
 * which blocks the thread. The work counts as characters read.
 */
function checked(
  decoding: Decoding,
  place: Place,
  faultOf: (problem: Problem) => FaultText,
  work: (options: CheckOptions) => Read,
): Read | undefined {
  const budget = new CountedBudget(MAX_CHECKING)
  const { numbers } = decoding
  const warned = { budget, numbers, warn: (problem: Problem) => warn(decoding, place, faultOf(problem)) }
  const tolerated = (problem: Problem) => tolerate(decoding, place, faultOf(problem))
  try {
    return work(decoding.isStored ? { ...warned, tolerate: tolerated } : warned)
  } catch (error) {
    if (error instanceof BudgetError) return refuse(decoding, place, faults.tooLargePatterns())
    throw error
  } finally {
    decoding.work += budget.spent / UNITS_PER_CHARACTER
  }
}

/** Units to check one expression: some 40 ms, as much as one evaluation may take. */
const MAX_CHECKING = 20_000_000
/** Units of work that take about as long as reading one character of JSON. */
const UNITS_PER_CHARACTER = 50

/**
 * Maps a problem of the part of `whole` at `offset` to a fault. A template may have thousands of parts with problems.
 */
function textFaults(decoding: Decoding, whole: string, offset: number) {
  return (problem: Problem) => {
    if (decoding.located?.text !== whole) decoding.located = { text: whole, placeOf: locator(whole) }
    return faults.badExpression(problem, decoding.located.placeOf(problem.at.start + offset))
  }
}

/** The JSON form of an expression (specification 2.8). */
function decodeForm(decoding: Decoding, place: Place, form: Value): Expression | undefined {
  decoding.work += charactersOf(form) * PARSING
  const parsed = fromJsonForm(form, decoding.numbers)
  if (parsed.kind !== 'parsed') {
    for (const problem of parsed.problems) {
      refuse(decoding, inside(place, problem.path), faults.badForm(problem))
    }
    return undefined
  }
  const faultOf = (problem: Problem) => faults.badForm(problem)
  const found = checked(decoding, place, faultOf, (options) => readTree(parsed.expression, options))
  if (found === undefined) return undefined
  if ('problems' in found) {
    for (const problem of found.problems) refuse(decoding, place, faultOf(problem))
    return undefined
  }
  const { expression } = found
  countParts(decoding, place, expression)
  countItems(decoding, place, expression)
  noteVariables(decoding, place, expression)
  return expression
}

/** Characters of a form: its names and texts, plus a constant per value. */
function charactersOf(form: Value): number {
  if (typeof form === 'string') return form.length
  if (typeof form !== 'object' || form === null) return 1
  let characters = 8
  for (const [key, part] of Object.entries(form)) characters += key.length + charactersOf(part)
  return characters
}

/** The place of a JSON pointer relative to `place`. */
function inside(place: Place, path: string): Place {
  let inner = place
  for (const key of keysOfPointer(path)) inner = at(inner, key)
  return inner
}

function noteVariables(decoding: Decoding, place: Place, expression: Expression): void {
  const { variablesRead } = decoding.scope
  walk(expression, (node) => {
    if (node.kind === 'variable' && !variablesRead.has(node.name)) variablesRead.set(node.name, place)
  })
}
