import {
  isDecimal,
  isList,
  isObject,
  type Numbers,
  type ObjectValue,
  parseJson,
  quote,
  type Value,
} from '@engine/expression'
import { createPauses } from '@engine/process'
import { describe } from '../errors.ts'
import { ConfigurationFileError } from './file-fields.ts'

/** A subject or resource with properties that the server knows. */
export interface Entity {
  /** Its properties as parsed for rulesets of either number type. */
  readonly properties: Readonly<Record<Numbers, ObjectValue>>
}

/** The known entities of one type. */
export interface EntitiesOfType {
  readonly byId: ReadonlyMap<string, Entity>
  /** Sorted by UTF-16 code units. */
  readonly ids: readonly string[]
}

/** All known entities by type. */
export type Entities = ReadonlyMap<string, EntitiesOfType>

/** Maximum number of characters of a type or id. */
const MAX_NAME_CHARACTERS = 1024
const NO_PROPERTIES: ObjectValue = {}

/**
 * Reads entities, one JSON object per line: `{"type", "id", "properties"}`. Other work runs in between. Rejects with a
 * `ConfigurationFileError` that names the first invalid line.
 */
export async function decodeEntities(text: string): Promise<Entities> {
  const types = new Map<string, Map<string, Entity>>()
  const pause = createPauses()
  let number = 0
  for (const line of linesOf(text)) {
    number++
    if (line.trim() === '') continue
    const { type, id, properties } = entityOf(line, number)
    const known = types.getOrInsertComputed(type, () => new Map<string, Entity>())
    if (known.has(id)) throw wrong(number, `repeats the entity ${quote(id)} of type ${quote(type)}`)
    known.set(id, { properties })
    const turn = pause()
    if (turn !== undefined) await turn
  }
  const entities = new Map<string, EntitiesOfType>()
  for (const [type, byId] of types) {
    entities.set(type, { byId, ids: [...byId.keys()].sort() })
    const turn = pause()
    if (turn !== undefined) await turn
  }
  return entities
}

function* linesOf(text: string): Iterable<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start)
    yield text.slice(start, end < 0 ? text.length : end)
    start = end < 0 ? text.length : end + 1
  }
}

const wrong = (number: number, message: string) => new ConfigurationFileError(`line ${number}: ${message}`)

const MEMBERS: ReadonlySet<string> = new Set(['type', 'id', 'properties'])

function entityOf(line: string, number: number): { type: string; id: string; properties: Entity['properties'] } {
  const decimal = parsed(line, number, 'decimal')
  const stranger = Object.keys(decimal).find((name) => !MEMBERS.has(name))
  if (stranger !== undefined)
    throw wrong(number, `${quote(stranger)} is unknown: an entity has \`type\`, \`id\` and \`properties\``)
  const { properties = NO_PROPERTIES } = decimal
  if (!isObject(properties)) throw wrong(number, `\`properties\` must be an object, found ${describe(properties)}`)
  const doubles = hasDecimal(properties) ? parsed(line, number, 'double')['properties'] : properties
  return {
    type: nameOf(decimal['type'], 'type', number),
    id: nameOf(decimal['id'], 'id', number),
    properties: { decimal: properties, double: doubles as ObjectValue },
  }
}

function parsed(line: string, number: number, numbers: Numbers): ObjectValue {
  const read = parseJson(line, { duplicateKeys: 'refuse', numbers })
  if (read.kind === 'failed')
    throw wrong(number, `cannot be read as JSON: ${read.problem.reason} (column ${read.problem.column})`)
  if (!isObject(read.value)) throw wrong(number, `must be an object, found ${describe(read.value)}`)
  return read.value
}

function nameOf(value: Value | undefined, member: string, number: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARACTERS) return value
  const found = typeof value === 'string' ? `one of ${value.length}` : describe(value)
  throw wrong(number, `${quote(member)} must be a string of 1 to ${MAX_NAME_CHARACTERS} characters, found ${found}`)
}

/** True if a value has a number that rulesets with doubles read differently. JSON is nested at most 128 levels deep. */
function hasDecimal(value: Value): boolean {
  if (isDecimal(value)) return true
  if (isList(value)) return value.some(hasDecimal)
  return isObject(value) && Object.values(value).some(hasDecimal)
}
