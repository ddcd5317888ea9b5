import { type Expression, isList } from '@engine/expression/core'
import { faults } from '../problems.ts'
import { between, refuse } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { decodeValue } from './expression.ts'
import { listMember, MAX_LABEL, text } from './field.ts'
import type { Fields } from './field.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'

const PAIRS = { what: 'pairs of a name and an expression', most: 1000 }
const NAME = { least: 1, most: MAX_LABEL }

/** Reads pairs of a name and an expression; undefined after a fault. */
export function* decodeNamed(
  decoding: Decoding,
  place: Place,
  fields: Fields,
  key: string,
): Pausable<readonly (readonly [string, Expression])[] | undefined> {
  const list = listMember(decoding, place, fields, key, PAIRS)
  if (list === undefined) return undefined
  const listPlace = at(place, key)
  const named = new Map<string, Expression>()
  for (const [index, item] of list.entries()) {
    yield* between(decoding)
    const itemPlace = at(listPlace, index)
    if (!isList(item) || item.length !== 2) {
      refuse(decoding, itemPlace, faults.notAPair('`["name", expression]`'))
      continue
    }
    const name = text(decoding, at(itemPlace, 0), item[0], NAME)
    const value = decodeValue(decoding, at(itemPlace, 1), item[1])
    if (name === undefined || value === undefined) continue
    if (named.has(name)) refuse(decoding, at(itemPlace, 0), faults.repeatedName(name))
    else named.set(name, value)
  }
  return named.size === list.length ? [...named] : undefined
}
