import { comment, type Contract, contractTypes, pascalCase } from '@engine/authoring'

/**
 * TypeScript for a contract: its input type, a result type per code, and a value for `@engine/client` in place of a
 * name.
 */
export function typescriptOf(contract: Contract): string {
  const { name, version } = contract
  const { input, decision, text } = contractTypes(contract)
  return [
    `// Made by \`engine typegen\` from the contract ${comment(name)} ${comment(version)}. Not to be changed by hand.`,
    `import { type Contract, defineContract } from '@engine/client'`,
    '',
    text,
    `/** In place of the name of the ruleset. */`,
    `export const ${camelCase(name)}: Contract<${input}, ${decision}> = defineContract(${JSON.stringify(name)}, ${JSON.stringify(version)})`,
    '',
  ].join('\n')
}

function camelCase(name: string): string {
  const text = pascalCase(name)
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}
