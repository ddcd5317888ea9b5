import { type Contract, parseType } from '@engine/authoring'
import { isList, isObject, parseJson, quote, type Value } from '@engine/expression'

/** A text is not a contract. The message has the place. */
export class BadContract extends Error {}

/** Reads the parts of a contract that types are generated from; the others may be missing. Throws `BadContract`. */
export function parseContract(text: string): Contract {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new BadContract(parsed.problem.message)
  const root = fieldsAt(parsed.value, '')
  return {
    name: textAt(root['name'], '/name'),
    version: textAt(root['version'], '/version'),
    input: { fields: inputFields(listAt(fieldsAt(root['input'], '/input')['fields'], '/input/fields')) },
    outputs: listAt(root['outputs'], '/outputs').map((value, index) => {
      const place = `/outputs/${index}`
      const output = fieldsAt(value, place)
      // Declared outputs are always present: only inputs have optional fields.
      const fields = output['fields'] === undefined ? [] : listAt(output['fields'], `${place}/fields`)
      return {
        code: textAt(output['code'], `${place}/code`),
        fields: fields.map(fieldAt(`${place}/fields`)),
      }
    }),
  }
}

/** Paths are unique, and none leads through a non-object. */
function inputFields(list: readonly Value[]): Contract['input']['fields'] {
  const fields = list.map(fieldAt('/input/fields'))
  const types = new Map<string, string>()
  for (const { name, type } of fields) {
    if (types.has(name)) throw new BadContract(`${quote(name)} is given twice`)
    types.set(name, type)
  }
  for (const { name } of fields) {
    const parents = name.split('.').slice(0, -1)
    for (const index of parents.keys()) {
      const type = types.get(parents.slice(0, index + 1).join('.')) ?? 'object'
      if (type !== 'object' && type !== 'any' && !type.startsWith('concept:'))
        throw new BadContract(`${quote(name)}: ${quote(parents[index] ?? '')} is not an object`)
    }
  }
  return fields
}

const fieldAt = (list: string) => (value: Value, index: number) => {
  const place = `${list}/${index}`
  const { name, type, required } = fieldsAt(value, place)
  const text = textAt(name, `${place}/name`)
  if (!/^[^.\s]+(?:\.[^.\s]+)*$/.test(text)) throw new BadContract(`${quote(`${place}/name`)} must be a dotted path`)
  const typeText = textAt(type, `${place}/type`)
  if (parseType(typeText) === undefined)
    throw new BadContract(`${quote(text)}: the type ${quote(typeText)} is not known: expected ${TYPES}`)
  return { name: text, type: typeText, ...(required === true && { required }) }
}

const TYPES = 'string, number, integer, boolean, object, any, array<…>, concept:…'

function fieldsAt(value: Value | undefined, place: string): { readonly [key: string]: Value } {
  if (value === undefined || !isObject(value)) throw new BadContract(`${quote(place)} must be an object`)
  return value
}

function listAt(value: Value | undefined, place: string): readonly Value[] {
  if (!isList(value)) throw new BadContract(`${quote(place)} must be a list`)
  return value
}

function textAt(value: Value | undefined, place: string): string {
  if (typeof value !== 'string' || value === '') throw new BadContract(`${quote(place)} must be a text`)
  return value
}
