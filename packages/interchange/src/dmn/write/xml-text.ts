import { DMN_13 } from '../namespace.ts'
import type { WrittenDecision } from './model.ts'

/** Escapes a text as XML content or attribute. Characters outside XML 1.0 become `\uFFFD`. */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(/(?![\t\n\r\u007f-\u009f])\p{Cc}|[\ufffe\uffff]/gu, '\uFFFD')
    .replace(/[&<>"\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`)
}

export const element = (name: string, content: string, attributes = '') =>
  content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`

/** An element with the text of an expression. */
export const textElement = (name: string, text: string, attributes = '') =>
  element(name, element('text', xmlText(text)), attributes)

export const attribute = (name: string, value: string | undefined) =>
  value === undefined ? '' : ` ${name}="${xmlText(value)}"`

interface WrittenModel {
  readonly name: string
  readonly description: string | undefined
  /** Names of members of values. */
  readonly members: ReadonlySet<string>
  /** Types by name. */
  readonly inputs: ReadonlyMap<string, string | undefined>
  /** In topological order of requirements. */
  readonly decisions: readonly WrittenDecision[]
}

/** A DMN 1.3 document. */
export function modelText({ name, description, members, inputs, decisions }: WrittenModel): string {
  const ids = new Map(Array.from(inputs.keys(), (input, index) => [input, `input_${index + 1}`]))
  const data = Array.from(inputs, ([input, type]) =>
    element('inputData', variable(input, type), attribute('id', ids.get(input)) + attribute('name', input)),
  )
  const written = decisions.map((decision) => {
    const required = Array.from(decision.requires, ({ id }) => requirement('requiredDecision', id))
    const given = Array.from(decision.inputs, (input) => requirement('requiredInput', ids.get(input) ?? ''))
    const content = [variable(decision.name, undefined), ...required, ...given, decision.logic].join('\n')
    return element('decision', `\n${content}\n`, attribute('id', decision.id) + attribute('name', decision.name))
  })
  const text = description === undefined ? [] : [element('description', xmlText(description))]
  const head = attribute('xmlns', DMN_13) + attribute('id', 'model') + attribute('name', name)
  const body = [...text, ...memberTypes(members), ...data, ...written].join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('definitions', `\n${body}\n`, `${head}${attribute('namespace', `urn:ruleset:${name}`)}`)}\n`
}

const variable = (name: string, type: string | undefined) =>
  element('variable', '', attribute('name', name) + attribute('typeRef', type))

const requirement = (kind: string, id: string) =>
  element('informationRequirement', element(kind, '', attribute('href', `#${id}`)))

/** The declaration of members, with any type. */
function memberTypes(members: ReadonlySet<string>): readonly string[] {
  if (members.size === 0) return []
  const components = Array.from(members, (name) =>
    element('itemComponent', element('typeRef', 'Any'), attribute('name', name)),
  )
  return [element('itemDefinition', components.join(''), attribute('name', 'members'))]
}
