import { quote, type Value } from '@engine/expression'
import type { Contract, InputField, OutputField } from './contract.ts'
import { type FieldNode, fieldTree, isNeeded, takesNull } from './field-tree.ts'
import { reachedConcepts } from './json-schema.ts'
import { type Concepts, type FieldType, NO_CONCEPTS, parseType } from '@engine/ruleset'

/** TypeScript declarations for a contract. */
export interface ContractTypes {
  /** Name of the input type. */
  readonly input: string
  /** Name of the result type. */
  readonly decision: string
  /** The declarations, without imports. */
  readonly text: string
}

/**
 * Types for the input of a contract, for its results (one per code), and for each reachable concept. User texts become
 * string literals, safely terminated comments, and identifiers of letters and digits. Linear in the size of all.
 */
export function contractTypes(contract: Contract, concepts: Concepts = NO_CONCEPTS): ContractTypes {
  const stem = pascalCase(contract.name)
  const [input, decision] = [`${stem}Input`, `${stem}Decision`]
  const names = namesOf(reachedConcepts(contract, concepts), [input, decision])
  const nameOf: NameOf = (concept) => (concepts.has(concept) ? names.get(concept) : undefined)
  const declared = Array.from(names).flatMap(([concept, name]) => {
    const fields = concepts.get(concept)
    return fields === undefined
      ? []
      : [
          `/** The concept ${quote(comment(concept))}. */`,
          `export interface ${name} ${conceptText(fields, nameOf)}`,
          '',
        ]
  })
  const results = contract.outputs.map(({ code, fields }) =>
    [
      '  | {',
      `      readonly code: ${JSON.stringify(code)}`,
      '      readonly message: string',
      `      readonly output: ${outputText(fields, nameOf, '        ')}`,
      '    }',
    ].join('\n'),
  )
  const text = [
    ...declared,
    `/** Input of ${quote(comment(contract.name))}. */`,
    `export interface ${input} ${membersText(fieldTree(contract), nameOf, '  ')}`,
    '',
    `/** Decision of ${quote(comment(contract.name))}, discriminated by \`code\`. */`,
    `export type ${decision} =`,
    results.length === 0 ? '  never' : results.join('\n'),
    '',
  ].join('\n')
  return { input, decision, text }
}

/** The type name of a concept; undefined when it is only known to be an object. */
type NameOf = (concept: string) => string | undefined

/** Type names for concepts, unique and not among those taken. */
function namesOf(concepts: readonly string[], taken: readonly string[]): ReadonlyMap<string, string> {
  const used = new Set(taken)
  return new Map(
    concepts.map((concept) => {
      const plain = pascalCase(concept)
      let name = plain
      for (let number = 2; used.has(name); number++) name = `${plain}${number}`
      used.add(name)
      return [concept, name]
    }),
  )
}

const ANY_OBJECT = '{ readonly [key: string]: unknown }'

function typeText(type: FieldType | undefined, nameOf: NameOf): string {
  switch (type?.kind) {
    case undefined:
    case 'any':
      return 'unknown'
    case 'array':
      return `ReadonlyArray<${typeText(type.item, nameOf)}>`
    case 'concept':
      return nameOf(type.name) ?? ANY_OBJECT
    case 'object':
      return ANY_OBJECT
    case 'integer':
    case 'decimal':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
      return type.kind
  }
}

function conceptText(fields: readonly OutputField[], nameOf: NameOf): string {
  return blockText(
    fields.map(({ name, type }) => `${keyText(name)}?: ${typeText(parseType(type), nameOf)}`),
    '  ',
  )
}

function outputText(fields: readonly OutputField[], nameOf: NameOf, indent: string): string {
  return blockText(
    fields.map(({ name, type }) => `${keyText(name)}: ${typeText(parseType(type), nameOf)}`),
    indent,
  )
}

function membersText({ members }: FieldNode, nameOf: NameOf, indent: string): string {
  const lines = Array.from(
    members,
    ([key, node]) => `${keyText(key)}${isNeeded(node) ? '' : '?'}: ${nodeText(node, nameOf, `${indent}  `)}`,
  )
  return blockText(lines, indent)
}

function nodeText(node: FieldNode, nameOf: NameOf, indent: string): string {
  const own = node.own === undefined ? undefined : fieldText(node.own, nameOf)
  if (node.members.size === 0) return own ?? 'unknown'
  const below = membersText(node, nameOf, indent)
  return own === undefined ? below : `(${own}) & ${below}`
}

function fieldText(field: InputField, nameOf: NameOf): string {
  const values = field.enum === undefined ? undefined : literalsText(field.enum)
  const text = values ?? typeText(parseType(field.type), nameOf)
  return takesNull(field) && text !== 'unknown' ? `${text} | null` : text
}

/** Undefined unless all values have literal types. */
function literalsText(values: readonly Value[]): string | undefined {
  const texts = values.map((value) =>
    typeof value === 'bigint' ? `${Number(value)}` : typeof value === 'object' ? undefined : JSON.stringify(value),
  )
  if (texts.length === 0) return 'never'
  return texts.every((text) => text !== undefined) ? [...new Set(texts)].join(' | ') : undefined
}

function blockText(members: readonly string[], indent: string): string {
  if (members.length === 0) return '{}'
  return `{\n${members.map((member) => `${indent}readonly ${member}`).join('\n')}\n${indent.slice(2)}}`
}

const keyText = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key))

/** Prevents a comment from ending early. */
export const comment = (text: string) => text.replaceAll('*/', '* /').replaceAll(/[\r\n\u2028\u2029`]/g, ' ')

/** A text as a type name. */
export function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const text = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')
  return /^[A-Za-z]/.test(text) ? text : `Ruleset${text}`
}
