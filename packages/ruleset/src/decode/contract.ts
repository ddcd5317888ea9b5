import { isList, isNumber, MAX_DIGITS, parsePath, type Value } from '@engine/expression/core'
import { type Concepts, conceptOf, hasType, parseType } from '../contract/field-type.ts'
import type { ContractField, InputContract } from '../contract/input-contract.ts'
import { faults } from '../problems.ts'
import { countConstants, refuse } from './decoding.ts'
import type { Decoding } from './decoding.ts'
import {
  booleanMember,
  described,
  type Fields,
  fieldsAt,
  listMember,
  member,
  optionalMember,
  textMember,
  wordMember,
} from './field.ts'
import { at, type Place } from './place.ts'

const MODES: ReadonlySet<InputContract['mode']> = new Set(['off', 'warn', 'enforce'])
/** Length limits of names, paths and types. */
const LABEL = { least: 1, most: 500 }
/** Maximum number of fields of one contract, and of one concept. */
const MAX_FIELDS = 10_000
/** Maximum number of concepts of one contract. */
const MAX_CONCEPTS = 10_000

/** Reads `config.contract`; undefined if absent, or after a fault. */
export function decodeContract(decoding: Decoding, configPlace: Place, config: Fields): InputContract | undefined {
  const value = optionalMember(config, 'contract')
  if (value === undefined) return undefined
  const place = at(configPlace, 'contract')
  const fields = fieldsAt(decoding, place, value, 'an object with `mode` and `contract`')
  if (fields === undefined) return undefined
  const mode = wordMember(decoding, place, fields, 'mode', MODES, undefined)
  const contractPlace = at(place, 'contract')
  const contract = fieldsAt(decoding, contractPlace, member(fields, 'contract'), 'a contract')
  if (mode === undefined || contract === undefined) return undefined
  const name = textMember(decoding, contractPlace, contract, 'name', LABEL)
  const version = textMember(decoding, contractPlace, contract, 'version', LABEL)
  const concepts = decodeConcepts(decoding, contractPlace, contract)
  const inputPlace = at(contractPlace, 'input')
  const input = fieldsAt(decoding, inputPlace, member(contract, 'input'), 'an object with `fields`')
  if (name === undefined || version === undefined || concepts === undefined || input === undefined) return undefined
  const list = listMember(decoding, inputPlace, input, 'fields', { what: 'fields', most: MAX_FIELDS })
  const decoded = list?.map((field, index) =>
    decodeField(decoding, at(at(inputPlace, 'fields'), index), field, concepts),
  )
  if (decoded === undefined || !decoded.every((field) => field !== undefined)) return undefined
  return { mode, name, version, fields: decoded, concepts }
}

function decodeConcepts(decoding: Decoding, place: Place, contract: Fields): Concepts | undefined {
  const list = listMember(decoding, place, contract, 'concepts', { what: 'concepts', most: MAX_CONCEPTS })
  if (list === undefined) return undefined
  const concepts = new Map<string, readonly { readonly name: string; readonly type: string }[]>()
  for (const [index, item] of list.entries()) {
    const conceptPlace = at(at(place, 'concepts'), index)
    const concept = fieldsAt(decoding, conceptPlace, item, 'a concept')
    if (concept === undefined) return undefined
    const name = textMember(decoding, conceptPlace, concept, 'name', LABEL)
    const fields = listMember(decoding, conceptPlace, concept, 'fields', { what: 'fields', most: MAX_FIELDS })
    if (name === undefined || fields === undefined) return undefined
    const known: { readonly name: string; readonly type: string }[] = []
    for (const [number, one] of fields.entries()) {
      const fieldPlace = at(at(conceptPlace, 'fields'), number)
      const field = fieldsAt(decoding, fieldPlace, one, 'a field')
      const key = field && textMember(decoding, fieldPlace, field, 'name', LABEL)
      const type = field && textMember(decoding, fieldPlace, field, 'type', LABEL)
      if (key === undefined || type === undefined) return undefined
      if (parseType(type) === undefined) return refuse(decoding, at(fieldPlace, 'type'), faults.unknownFieldType(type))
      known.push({ name: key, type })
    }
    concepts.set(name, known)
  }
  return concepts
}

function decodeField(decoding: Decoding, place: Place, value: Value, concepts: Concepts): ContractField | undefined {
  const field = fieldsAt(decoding, place, value, 'a field')
  if (field === undefined) return undefined
  const name = textMember(decoding, place, field, 'name', LABEL)
  const typeText = textMember(decoding, place, field, 'type', LABEL)
  const required = booleanMember(decoding, place, field, 'required')
  const sensitive = booleanMember(decoding, place, field, 'sensitive')
  const minimum = bound(decoding, place, field, 'minimum')
  const maximum = bound(decoding, place, field, 'maximum')
  const limits = digitLimits(decoding, place, field)
  const values = optionalMember(field, 'enum')
  if (name === undefined || typeText === undefined || required === undefined || sensitive === undefined)
    return undefined
  if (minimum === 'wrong' || maximum === 'wrong' || limits === 'wrong') return undefined
  const path = pathOf(name)
  if (path === undefined) return refuse(decoding, at(place, 'name'), faults.badFieldPath(name))
  const type = parseType(typeText)
  if (type === undefined) return refuse(decoding, at(place, 'type'), faults.unknownFieldType(typeText))
  const concept = conceptOf(type)
  if (concept !== undefined && !concepts.has(concept))
    return refuse(decoding, at(place, 'type'), faults.unknownConcept(concept))
  if (values !== undefined && !isList(values))
    return refuse(decoding, at(place, 'enum'), faults.wrongType('a list of values', described(values)))
  if (values !== undefined && !countConstants(decoding, at(place, 'enum'), values)) return undefined
  if (limits !== undefined && type.kind !== 'decimal')
    return refuse(decoding, at(place, 'type'), faults.digitsOfOtherType(typeText))
  const standIn = member(field, 'default')
  if (standIn !== undefined && !hasType(standIn, type, concepts))
    return refuse(decoding, at(place, 'default'), faults.wrongType(typeText, described(standIn)))
  if (standIn !== undefined && !countConstants(decoding, at(place, 'default'), standIn)) return undefined
  return { name, path, type, required, default: standIn, values, minimum, maximum, limits, sensitive }
}

function digitLimits(decoding: Decoding, place: Place, field: Fields) {
  const [digits, decimals] = (['digits', 'decimals'] as const).map((key) => {
    const value = optionalMember(field, key)
    const least = key === 'digits' ? 1 : 0
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= MAX_DIGITS) return value
    refuse(decoding, at(place, key), faults.outOfRange(least, MAX_DIGITS, described(value)))
    return 'wrong' as const
  })
  if (digits === 'wrong' || decimals === 'wrong') return 'wrong' as const
  if (digits !== undefined && decimals !== undefined && decimals > digits) {
    refuse(decoding, at(place, 'decimals'), faults.outOfRange(0, digits, described(decimals)))
    return 'wrong' as const
  }
  return digits === undefined && decimals === undefined ? undefined : { digits, decimals }
}

function bound(decoding: Decoding, place: Place, field: Fields, key: string) {
  const value = optionalMember(field, key)
  if (value === undefined || isNumber(value)) return value
  refuse(decoding, at(place, key), faults.wrongType('a number', described(value)))
  return 'wrong' as const
}

/** The names of a dotted path to an input field. */
function pathOf(name: string): readonly string[] | undefined {
  const parsed = parsePath(name)
  if (parsed.kind !== 'parsed' || parsed.expression.kind !== 'field') return undefined
  const names = parsed.expression.path.flatMap((segment) => (segment.kind === 'name' ? [segment.name] : []))
  return names.length === parsed.expression.path.length && names.length > 0 ? names : undefined
}
