import { isObject, parseJson, type Value, quote } from '@engine/expression'

/** A contract (specification 2.9): what a ruleset asks for and what it answers. */
export interface Contract {
  readonly name: string
  readonly version: string
  readonly input: readonly ContractField[]
  readonly outputs: readonly { readonly code: string; readonly fields: readonly ContractField[] }[]
}

/** A field by its dotted path. */
export interface ContractField {
  readonly name: string
  readonly type: string
  readonly required: boolean
}

/** A text is no contract. The message has the place. */
export class BadContract extends Error {}

/** Throws `BadContract`. */
export function parseContract(text: string): Contract {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new BadContract(parsed.problem.message)
  const root = fieldsAt(parsed.value, '')
  return {
    name: textAt(root['name'], '/name'),
    version: textAt(root['version'], '/version'),
    input: listAt(fieldsAt(root['input'], '/input')['fields'], '/input/fields').map(fieldAt('/input/fields')),
    outputs: listAt(root['outputs'], '/outputs').map((value, index) => {
      const place = `/outputs/${index}`
      const output = fieldsAt(value, place)
      // Declared outputs are always present: only inputs have optional fields.
      const fields = output['fields'] === undefined ? [] : listAt(output['fields'], `${place}/fields`)
      return {
        code: textAt(output['code'], `${place}/code`),
        fields: fields.map(fieldAt(`${place}/fields`)).map((field) => ({ ...field, required: true })),
      }
    }),
  }
}

const fieldAt = (list: string) => (value: Value, index: number) => {
  const place = `${list}/${index}`
  const { name, type, required } = fieldsAt(value, place)
  const text = textAt(name, `${place}/name`)
  if (!/^[^.\s]+(?:\.[^.\s]+)*$/.test(text)) throw new BadContract(`${quote(`${place}/name`)} must be a dotted path`)
  return { name: text, type: textAt(type, `${place}/type`), required: required === true }
}

function fieldsAt(value: Value | undefined, place: string): { readonly [key: string]: Value } {
  if (value === undefined || !isObject(value)) throw new BadContract(`${quote(place)} must be an object`)
  return value
}

function listAt(value: Value | undefined, place: string): readonly Value[] {
  if (!Array.isArray(value)) throw new BadContract(`${quote(place)} must be a list`)
  return value as readonly Value[]
}

function textAt(value: Value | undefined, place: string): string {
  if (typeof value !== 'string' || value === '') throw new BadContract(`${quote(place)} must be a text`)
  return value
}
