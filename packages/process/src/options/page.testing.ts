import {
  type Combination,
  initialText,
  type LaterOption,
  type Option,
  type OptionProgram,
  type OptionTable,
} from './option.ts'

/** The parts of a page of options that are not made from the table. */
export interface PageTexts {
  /** Where the page comes from, and how it is written anew. */
  readonly origin: string
  /** A flag that is true or false, as an example. */
  readonly switch: `--${string}`
  /** The last line. */
  readonly seeAlso: string
}

/** The page of the docs about a program's options, made from its table. */
export function optionsPage<Table extends OptionTable>(program: OptionProgram<Table>, texts: PageTexts): string {
  const { name, options, later, combinations } = program
  return `# Configuration

${texts.origin}

A flag wins over its environment variable, the variable over the default; an empty variable counts as unset. Options that
are true or false can be written \`${texts.switch}\`, \`${texts.switch}=true\` or \`${texts.switch} false\`. \`${name}\` checks
everything before it starts and names all mistakes at once (exit code 2).

| option | environment | default | meaning |
|---|---|---|---|
${Object.values(options).map(row).join('\n')}
| \`-V\`, \`--version\` | | | print the version |
| \`-h\`, \`--help\` | | | print all options |

${later.length === 0 ? '' : laterSection(later)}${combinations.length === 0 ? '' : combinationSection(combinations)}${texts.seeAlso}
`
}

const laterSection = (later: readonly LaterOption[]) => `## Not in this build yet

These options are known and refused by name, never ignored.

| option | environment | belongs to |
|---|---|---|
${later.map(({ flag, env, part }) => `| \`${flag}\` | \`${env}\` | ${part} |`).join('\n')}

`

const combinationSection = (combinations: readonly Pick<Combination<OptionTable>, 'flag' | 'reason'>[]) =>
  `## Combinations that are refused

Each option, and why the combination is refused:

${combinations.map(({ flag, reason }) => `- \`${flag}\`: ${quotedFlags(reason)}`).join('\n')}

`

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
