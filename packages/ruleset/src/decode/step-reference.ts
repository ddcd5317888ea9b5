import type { Value } from '@engine/expression/core'
import { faults } from '../problems.ts'
import { refuse, suggest } from './decoding.ts'
import type { Decoding } from './decoding.ts'
import { MAX_LABEL, text } from './field.ts'
import type { Place } from './place.ts'

const LABEL = { least: 1, most: MAX_LABEL }

/** The id of a step of the same graph; undefined after a fault. */
export function stepReference(decoding: Decoding, place: Place, value: Value | undefined): string | undefined {
  if (value === undefined) return refuse(decoding, place, faults.missing(String(place.key), 'the id of a step'))
  const id = text(decoding, place, value, LABEL)
  if (id === undefined || decoding.scope.stepIds.has(id)) return id
  return refuse(decoding, place, faults.unknownStep(id, suggest(decoding, id, decoding.scope.stepIds)))
}
