import { quote } from '@engine/expression'
import { BadContract, type Contract, type ContractField } from './contract.ts'

/**
 * TypeScript for a contract: the type of its input, one of its results for each code, and the contract as a value that
 * `@engine/client` takes in place of a name. Throws `BadContract`.
 */
export function typescriptOf({ name, version, input, outputs }: Contract): string {
  const stem = pascal(name)
  const results = outputs.map(({ code, fields }) =>
    [
      '  | {',
      `      readonly code: ${JSON.stringify(code)}`,
      '      readonly message: string',
      `      readonly output: ${typeText(treeOf(fields), '        ')}`,
      '    }',
    ].join('\n'),
  )
  return [
    `// Made by \`engine-check typegen\` from the contract ${comment(name)} ${comment(version)}. Not to be changed by hand.`,
    `import { type Contract, defineContract } from '@engine/client'`,
    '',
    `/** Input of \`${comment(name)}\`. */`,
    `export interface ${stem}Input ${typeText(treeOf(input), '  ')}`,
    '',
    `/** What \`${comment(name)}\` decides, told apart by \`code\`. */`,
    `export type ${stem}Decision =`,
    results.length === 0 ? '  never' : results.join('\n'),
    '',
    `/** In place of the name of the ruleset. */`,
    `export const ${camel(name)}: Contract<${stem}Input, ${stem}Decision> = defineContract(${JSON.stringify(name)}, ${JSON.stringify(version)})`,
    '',
  ].join('\n')
}

/** A type, or an object of members. */
type Tree = { readonly kind: 'type'; readonly text: string } | { readonly kind: 'object'; readonly members: Members }
type Members = Map<string, { tree: Tree; required: boolean }>

/** `customer.tier` and `customer.years` are members of one object. An object is required when one of its members is. */
function treeOf(fields: readonly ContractField[]): Tree {
  const members: Members = new Map()
  for (const { name, type, required } of fields) {
    const path = name.split('.')
    const last = path.pop() ?? ''
    let at = members
    for (const part of path) {
      const known = at.get(part) ?? { tree: { kind: 'object', members: new Map() }, required: false }
      // An object of which nothing was said becomes one of which something is.
      if (known.tree.kind === 'type') {
        if (known.tree.text !== ANY_OBJECT) throw new BadContract(`${quote(name)}: ${quote(part)} is not an object`)
        known.tree = { kind: 'object', members: new Map() }
      }
      known.required ||= required
      at.set(part, known)
      at = known.tree.members
    }
    const known = at.get(last)
    const tree: Tree = { kind: 'type', text: typeOf(type, name) }
    if (known === undefined) at.set(last, { tree, required })
    else if (tree.text !== ANY_OBJECT || known.tree.kind === 'type')
      throw new BadContract(`${quote(name)} is given twice`)
  }
  return { kind: 'object', members }
}

const ANY_OBJECT = '{ readonly [key: string]: unknown }'

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  object: ANY_OBJECT,
  any: 'unknown',
}

function typeOf(type: string, field: string): string {
  const item = /^array<(.+)>$/.exec(type)?.[1]
  if (item !== undefined) return `ReadonlyArray<${typeOf(item, field)}>`
  // The fields of a concept are declared elsewhere.
  if (type.startsWith('concept:')) return ANY_OBJECT
  const known = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (known !== undefined) return known
  const expected = `${Object.keys(TYPES).join(', ')}, array<…>, concept:…`
  throw new BadContract(`${quote(field)}: the type ${quote(type)} is not known: expected ${expected}`)
}

function typeText(tree: Tree, indent: string): string {
  if (tree.kind === 'type') return tree.text
  if (tree.members.size === 0) return '{}'
  const lines = Array.from(tree.members, ([key, { tree: member, required }]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
    return `${indent}readonly ${name}${required ? '' : '?'}: ${typeText(member, `${indent}  `)}`
  })
  return `{\n${lines.join('\n')}\n${indent.slice(2)}}`
}

/** No comment ends early. */
const comment = (text: string) => text.replaceAll('*/', '* /').replaceAll(/[\r\n`]/g, ' ')

function pascal(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const text = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')
  return /^[A-Za-z]/.test(text) ? text : `Ruleset${text}`
}

function camel(name: string): string {
  const text = pascal(name)
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}
