import { type Expression, isList, isQuotient, type Value } from '@engine/expression/core'
import type { Message, TerminalStep } from '../model.ts'
import { faults } from '../problems.ts'
import { countConstants, refuse, warn } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { fieldsAt, MAX_LABEL, MAX_TEXT, member, textMember } from './field.ts'
import type { Fields } from './field.ts'
import { decodeNamed } from './named-expressions.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'
import { decodeTemplate } from './template.ts'

const CODE = { least: 0, most: MAX_LABEL }
const MESSAGE = { least: 0, most: MAX_TEXT }

const NO_FIELDS: ReadonlyMap<string, Value> = new Map()
const NO_OUTPUT: TerminalStep['output'] = []

/** Reads the rest of a terminal step: its `result` (specification 2.2); undefined after a fault. */
export function* decodeTerminal(
  decoding: Decoding,
  place: Place,
  step: Fields,
  { id, name }: { readonly id: string; readonly name: string },
): Pausable<TerminalStep | undefined> {
  const resultPlace = at(place, 'result')
  const value = member(step, 'result')
  if (value === undefined) {
    return refuse(decoding, resultPlace, faults.missing('result', 'an object with `code` and `message`'))
  }
  const result = fieldsAt(decoding, resultPlace, value, 'an object with `code` and `message`')
  if (result === undefined) return undefined
  const code = textMember(decoding, resultPlace, result, 'code', CODE)
  const message = yield* decodeMessage(decoding, resultPlace, result)
  const evaluated = isEvaluated(decoding, resultPlace, result)
  const output = evaluated ? yield* decodeNamed(decoding, resultPlace, result, 'output') : NO_OUTPUT
  const fields = decodeFields(decoding, resultPlace, result, evaluated)
  if (output !== undefined) {
    refuseRepeats(decoding, at(resultPlace, 'output'), output, fields)
    warnOfQuotients(decoding, at(resultPlace, 'output'), output)
  }
  if (code === undefined || message === undefined || output === undefined) return undefined
  return { type: 'terminal', id, name, code, message, fields, output }
}

function* decodeMessage(decoding: Decoding, place: Place, result: Fields): Pausable<Message | undefined> {
  const message = textMember(decoding, place, result, 'message', MESSAGE)
  if (message === undefined) return undefined
  if (!decoding.messageTemplates) return { kind: 'text', text: message }
  return yield* decodeTemplate(decoding, at(place, 'message'), message)
}

/** True when `output` is a list of `[name, …]` pairs only, and is therefore evaluated; an empty list qualifies. */
function isEvaluated(decoding: Decoding, place: Place, result: Fields): boolean {
  const output = member(result, 'output')
  if (!isList(output)) return false
  let pairs = 0
  for (const item of output) if (isList(item) && item.length === 2 && typeof item[0] === 'string') pairs++
  if (pairs > 0 && pairs < output.length) warn(decoding, at(place, 'output'), faults.nearlyPairs())
  return pairs === output.length
}

/** The fields copied to the output unchanged: all except `code`, `message` and an evaluated `output`. */
function decodeFields(
  decoding: Decoding,
  place: Place,
  result: Fields,
  evaluated: boolean,
): ReadonlyMap<string, Value> {
  let fields: Map<string, Value> | undefined
  for (const [key, value] of Object.entries(result)) {
    if (key === 'code' || key === 'message' || (evaluated && key === 'output')) continue
    if (!countConstants(decoding, at(place, key), value)) break
    fields ??= new Map()
    fields.set(key, value)
  }
  return fields ?? NO_FIELDS
}

/** A decimal quotient may have 34 digits, which is seldom the intended output. */
function warnOfQuotients(decoding: Decoding, place: Place, output: readonly (readonly [string, Expression])[]): void {
  for (const [index, [name, value]] of output.entries())
    if (isQuotient(value, decoding.numbers)) warn(decoding, at(at(place, index), 1), faults.unroundedQuotient(name))
}

function refuseRepeats(
  decoding: Decoding,
  place: Place,
  output: readonly (readonly [string, Expression])[],
  fields: ReadonlyMap<string, Value>,
): void {
  for (const [index, [name]] of output.entries()) {
    if (fields.has(name)) refuse(decoding, at(at(place, index), 0), faults.repeatedName(name))
  }
}
