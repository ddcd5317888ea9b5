import { parsePath } from '@engine/expression/core'
import { faults } from '../problems.ts'
import { refuse } from './decoding.ts'
import type { Decoding } from './decoding.ts'
import { MAX_LABEL, member, textMember } from './field.ts'
import type { Fields } from './field.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'

const NAME = { least: 1, most: MAX_LABEL }
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The name of a variable to set, spelled `x` or `$x`; undefined after a fault. */
export function variableMember(decoding: Decoding, place: Place, fields: Fields, key: string): string | undefined {
  const given = textMember(decoding, place, fields, key, NAME)
  const name = given === undefined ? undefined : variableName(decoding, at(place, key), given)
  if (name !== undefined) decoding.scope.variablesSet.add(name)
  return name
}

/** A variable spelled `x` or `$x`; undefined after a fault. */
export function variableName(decoding: Decoding, place: Place, given: string): string | undefined {
  const name = given.startsWith('$') ? given.slice(1) : given
  return isVariableName(name) ? name : refuse(decoding, place, faults.badVariableName(given))
}

/** An optional `result_variable`, possibly null; undefined after a fault. */
export function optionalVariableMember(
  decoding: Decoding,
  place: Place,
  fields: Fields,
): { readonly name: string | undefined } | undefined {
  const given = member(fields, 'result_variable')
  if (given === undefined || given === null) return { name: undefined }
  const name = variableMember(decoding, place, fields, 'result_variable')
  return name === undefined ? undefined : { name }
}

/** Whether an expression can read the name as `$name`, according to the expression grammar. */
function isVariableName(name: string): boolean {
  if (PLAIN_NAME.test(name)) return true
  const parsed = parsePath(`$${name}`)
  if (parsed.kind !== 'parsed' || parsed.expression.kind !== 'variable') return false
  return parsed.expression.path.length === 0 && parsed.expression.name === name
}
