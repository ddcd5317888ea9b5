import {
  type Contract,
  convertDraft,
  convertHeld,
  decodeContract,
  deriveContract,
  type DraftRuleset,
  type InputField,
  type Problem,
} from '@engine/authoring'
import { parseJson, quote, type Value } from '@engine/expression'
import { at, decodeRuleset, type Fields, isFields, member, type Place } from '@engine/ruleset'
import { schemaFields } from '../json-schema.ts'
import type { Losses } from '../losses.ts'
import type { JdmNode } from './document.ts'

/**
 * The contract that the JSON Schemas of input and output nodes describe: the fields of the input schema, `any` for
 * other fields that the ruleset reads, and the result codes of the ruleset. Undefined without a schema, and for a draft
 * with errors. Cost: a conversion of the draft.
 */
export function contractOf(nodes: readonly JdmNode[], draft: DraftRuleset, losses: Losses): Contract | undefined {
  const inputs = schemasOf(nodes, 'inputNode', losses)
  const outputs = schemasOf(nodes, 'outputNode', losses)
  if (inputs.length + outputs.length === 0) return undefined
  const { ruleset: document, problems } = convertDraft(draft)
  if (document === undefined || problems.some(isError)) return undefined
  const { ruleset } = decodeRuleset(document)
  if (ruleset === undefined) return undefined
  const derived = deriveContract(ruleset, [])
  const fields = fieldsOf(inputs, losses)
  if (outputs[0] !== undefined)
    losses.warn(outputs[0].place, { code: 'schema', message: 'a result is not checked against the output schema' })
  const contract: Contract = {
    ...derived,
    input: {
      fields: [...fields, ...derived.input.fields.filter(({ name }) => !isCovered(name, fields)).map(anyField)],
    },
    outputs: derived.outputs.map(({ code, fields: own }) => ({ code, fields: own.map(typedBy(outputs)) })),
  }
  const place = (inputs[0] ?? outputs[0])?.place
  const faults = [
    ...decodeContract(contract as unknown as Value).problems,
    ...convertHeld(draft, { subRules: new Map(), contract: { contract, concepts: new Map() } }).problems,
  ].filter(isError)
  if (faults[0] === undefined) return contract
  losses.warn(place, {
    code: 'schema',
    message: `the schema does not become the contract, because the decision contradicts it: ${faults[0].message}`,
  })
  return undefined
}

const isError = ({ severity }: Problem) => severity === 'error'

interface Schema {
  readonly schema: Fields
  readonly place: Place
}

/** The schemas of nodes of a type, which the document stores as text. */
function schemasOf(nodes: readonly JdmNode[], type: string, losses: Losses): readonly Schema[] {
  return nodes.flatMap((node) => {
    const text = node.type === type ? member(node.content, 'schema') : undefined
    if (text === undefined || text === null || text === '') return []
    const place = at(at(node.place, 'content'), 'schema')
    const parsed = typeof text === 'string' ? parseJson(text, { duplicateKeys: 'last' }) : undefined
    if (parsed?.kind === 'parsed' && isFields(parsed.value)) {
      if (Object.keys(parsed.value).length === 0) return []
      return [{ schema: parsed.value, place }]
    }
    losses.warn(place, { code: 'schema', message: 'the schema is not the text of a JSON object and was omitted' })
    return []
  })
}

/** Each keyword is reported once, at the schema: pointers into the schema text are not pointers into the document. */
function fieldsOf(inputs: readonly Schema[], losses: Losses): readonly InputField[] {
  return inputs.flatMap(({ schema, place }) => {
    const unchecked = new Set<string>()
    const fields = schemaFields(schema, (keyword) => unchecked.add(keyword))
    const names = Array.from(unchecked, (keyword) => quote(keyword)).join(', ')
    if (names !== '')
      losses.warn(place, { code: 'schema', message: `the contract does not check these parts of the schema: ${names}` })
    return fields
  })
}

/** Whether the fields include the path, a prefix of it or paths below it. */
function isCovered(path: string, fields: readonly InputField[]): boolean {
  return fields.some(({ name }) => path === name || path.startsWith(`${name}.`) || name.startsWith(`${path}.`))
}

const anyField = ({ name }: InputField): InputField => ({ name, type: 'any' })

/** Adds the schema's type to outputs of unknown type. */
function typedBy(outputs: readonly Schema[]) {
  const types = new Map(
    outputs.flatMap(({ schema }) => schemaFields(schema, () => undefined)).map(({ name, type }) => [name, type]),
  )
  return ({ name, type }: Contract['outputs'][number]['fields'][number]) => ({
    name,
    type: type === 'any' ? (types.get(name) ?? type) : type,
  })
}
