import { COMBINATIONS } from './combinations.ts'
import { LATER } from './later.ts'
import { OPTIONS, initialText, type Option } from './options.ts'

/** docs/configuration.md, made from the tables of options. `npx vitest run -u` writes it. */
export function configurationPage(): string {
  return `# Configuration

Made from \`apps/engine-server/src/config/options.ts\`; a test holds this page equal to it (\`npx vitest run
apps/engine-server/src/config/config.test.ts -u\` writes it).

A flag wins over its environment variable, the variable over the default; an empty variable counts as unset. Options that
are true or false can be written \`--debug-mode\`, \`--debug-mode=true\` or \`--debug-mode false\`. \`engine-server\` checks
everything before it starts and names all mistakes at once (exit code 2).

| option | environment | default | meaning |
|---|---|---|---|
${Object.values<Option<unknown>>(OPTIONS).map(row).join('\n')}
| \`-V\`, \`--version\` | | | print the version |
| \`-h\`, \`--help\` | | | print all options |

## Not in this build yet

These options are known and refused by name, never ignored.

| option | environment | belongs to |
|---|---|---|
${LATER.map(({ flag, env, part }) => `| \`${flag}\` | \`${env}\` | ${part} |`).join('\n')}

## Combinations that are refused

Each option, and why the combination is refused:

${COMBINATIONS.map(({ flag, reason }) => `- \`${flag}\`: ${quotedFlags(reason)}`).join('\n')}

The options in use: [operations.md](operations.md), [monitoring.md](monitoring.md), [access.md](access.md).
`
}

/** Options in a text, as code. */
const quotedFlags = (text: string) => text.replaceAll(/(?<!`)--[a-z-]+/g, (flag) => `\`${flag}\``)

function row(option: Option<unknown>): string {
  const spelled = [option.short, option.flag].filter((name) => name !== undefined).map((name) => `\`${name}\``)
  const value = option.value === undefined ? '' : ` \`${option.value}\``
  const cells = [
    `${spelled.join(', ')}${value}`,
    option.env === undefined ? '' : `\`${option.env}\``,
    initialText(option),
    option.meaning,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
