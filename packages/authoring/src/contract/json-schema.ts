import { escapedKey, type Value } from '@engine/expression'
import type { Contract, InputField, Output, OutputField } from './contract.ts'
import { type FieldNode, fieldTree, isNeeded, takesNull } from './field-tree.ts'
import { type Concepts, conceptNamed, type FieldType, parseType } from '@engine/ruleset'
import { conceptsNamedBy } from './contract-use.ts'

/** A JSON Schema, or a part of one. */
export type Schema = { readonly [key: string]: Value }

/** The reference to a concept's schema. */
export type ReferenceTo = (concept: string) => string

const CONCEPT = 'concept.'

/** Matches no value. An empty `oneOf` is not a valid schema, and validators reject an empty `enum`. */
const NOTHING: Schema = { not: {} }

/**
 * The input of a contract as JSON Schema 2020-12; `#/$defs/decision` is its promised result. An object satisfies it
 * exactly when `checkInput` finds no problem (json-schema.test.ts), apart from digits: validators compare numbers as doubles.
 * Linear in the contract and its reachable concepts.
 */
export function contractSchema(contract: Contract, concepts: Concepts): Schema {
  const to: ReferenceTo = (name) => `#/$defs/${encodeURIComponent(CONCEPT + escapedKey(name))}`
  const definitions = reachedConcepts(contract, concepts).map((name): [string, Schema] => [
    CONCEPT + name,
    conceptSchema(concepts, name, to),
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: contract.name,
    ...described(contract),
    'x-contract-version': contract.version,
    ...inputSchema(contract, to),
    $defs: { decision: decisionSchema(contract, to), ...Object.fromEntries(definitions) },
  }
}

/** The schema of the input. */
export function inputSchema(contract: Contract, to: ReferenceTo): Schema {
  return { type: 'object', ...membersSchema(fieldTree(contract), to) }
}

/** The schema of the results, discriminated by code. */
export function decisionSchema({ outputs }: Contract, to: ReferenceTo): Schema {
  return outputs.length === 0 ? NOTHING : { oneOf: outputs.map((output) => resultSchema(output, to)) }
}

function resultSchema(output: Output, to: ReferenceTo): Schema {
  return {
    type: 'object',
    ...described(output),
    required: ['code', 'message', 'output'],
    properties: {
      code: { const: output.code },
      message: { type: 'string' },
      output: {
        type: 'object',
        required: output.fields.map(({ name }) => name),
        ...propertiesOf(output.fields, to),
      },
    },
  }
}

/** The schema of a concept: each field has its type when present. */
export function conceptSchema(concepts: Concepts, name: string, to: ReferenceTo): Schema {
  return { type: 'object', ...propertiesOf(concepts.get(name) ?? [], to) }
}

function propertiesOf(fields: readonly OutputField[], to: ReferenceTo): Schema {
  const properties = fields.map((field): [string, Schema] => {
    const type = parseType(field.type)
    return [field.name, { ...(type === undefined ? {} : typeSchema(type, to)), ...described(field) }]
  })
  return { properties: Object.fromEntries(properties) }
}

function membersSchema({ members }: FieldNode, to: ReferenceTo): Schema {
  const all = [...members]
  const needed = all.filter(([, node]) => isNeeded(node)).map(([key]) => key)
  return {
    properties: Object.fromEntries(all.map(([key, node]) => [key, nodeSchema(node, to)])),
    ...(needed.length > 0 && { required: needed }),
  }
}

function nodeSchema(node: FieldNode, to: ReferenceTo): Schema {
  const own = node.own === undefined ? undefined : fieldSchema(node.own, to)
  if (node.members.size === 0) return own ?? {}
  // A non-object has no members: it matters only when a member is required.
  const below: Schema = { ...(isNeededBelow(node) && { type: 'object' }), ...membersSchema(node, to) }
  return own === undefined ? below : { allOf: [own, below] }
}

const isNeededBelow = ({ members }: FieldNode) => Array.from(members.values()).some(isNeeded)

function fieldSchema(field: InputField, to: ReferenceTo): Schema {
  const { enum: values, minimum, maximum, digits, decimals, default: given, sensitive } = field
  const type = parseType(field.type)
  const limits: Schema = {
    ...(type === undefined ? {} : typeSchema(type, to)),
    ...(values !== undefined && (values.length === 0 ? NOTHING : { enum: values })),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  }
  return {
    ...(takesNull(field) ? { anyOf: [limits, { type: 'null' }] } : limits),
    ...described(field),
    ...(given !== undefined && { default: given }),
    ...(sensitive === true && { 'x-sensitive': true }),
    ...(digits !== undefined && { 'x-digits': digits }),
    ...(decimals !== undefined && { 'x-decimals': decimals }),
  }
}

function typeSchema(type: FieldType, to: ReferenceTo): Schema {
  switch (type.kind) {
    case 'any':
      return {}
    case 'array':
      return { type: 'array', items: typeSchema(type.item, to) }
    case 'concept':
      return { $ref: to(type.name) }
    case 'decimal':
      return { type: 'number' }
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'object':
      return { type: type.kind }
  }
}

/** Descriptions are kept unchanged, since they do not affect values. */
function described(whole: object): Schema {
  const description = 'description' in whole ? whole.description : undefined
  return typeof description === 'string' && description !== '' ? { description } : {}
}

/** The concepts used by a contract, directly or through other concepts. */
export function reachedConcepts(contract: Contract, concepts: Concepts): readonly string[] {
  const found = new Set(conceptsNamedBy(contract))
  // Iteration also visits names added here.
  for (const name of found)
    for (const { type } of concepts.get(name) ?? []) {
      const inner = conceptNamed(type)
      if (inner !== undefined) found.add(inner)
    }
  return [...found].toSorted()
}
