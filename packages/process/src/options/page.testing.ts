import { type Combination, initialText, type Option, type OptionProgram, type OptionTable } from './option.ts'

/** The parts of an options page that are not generated from the table. */
export interface PageTexts {
  /** The source of the page, and how to regenerate it. */
  readonly origin: string
  /** A flag that is true or false, as an example. */
  readonly switch: `--${string}`
  /** The last line. */
  readonly seeAlso: string
}

/** The docs page of a program's options, generated from its table. */
export function optionsPage<Table extends OptionTable>(program: OptionProgram<Table>, texts: PageTexts): string {
  const { name, options, combinations } = program
  return `# Configuration

${texts.origin}

A flag wins over its environment variable, the variable over the configuration file, the file over the default; an empty variable
counts as unset. Options that
are true or false can be written \`${texts.switch}\`, \`${texts.switch}=true\` or \`${texts.switch} false\`. \`${name}\` checks
everything before it starts and names all mistakes together (exit code 2).

| option | environment | default | meaning |
|---|---|---|---|
${Object.values(options).map(row).join('\n')}
| \`--config\` \`<file>\` | \`${program.envPrefix}CONFIG\` | none | configuration file, see below |
| \`-V\`, \`--version\` | | | print the version |
| \`-h\`, \`--help\` | | | print all options |

The configuration file is YAML (or JSON): each key is an option without \`--\`, lists are joined by commas. An unknown key ends the start
with the nearest option. Relative paths are those of the working directory, and the file is read at the start alone:

\`\`\`yaml
log-level: warn
shutdown-timeout-secs: 20
\`\`\`

${environmentSection(program)}${combinationSections(combinations)}${texts.seeAlso}
`
}

function environmentSection({ envPrefix, options }: Pick<OptionProgram<OptionTable>, 'envPrefix' | 'options'>): string {
  const protecting = Object.values(options).filter(({ protects }) => protects === true)
  const ends =
    protecting.length === 0
      ? ''
      : ` One that probably means an option which protects (${protecting.map(({ flag }) => `\`${flag}\``).join(', ')}) ends the
start instead, with exit code 2.`
  return `A variable that begins with \`${envPrefix}\` and is not an option is named in the log with the nearest one.${ends}

`
}

type Listed = Pick<Combination<OptionTable>, 'flag' | 'reason' | 'isHarmless'>

function combinationSections(combinations: readonly Listed[]): string {
  const [refused, harmless] = [false, true].map((isHarmless) =>
    combinations.filter((combination) => (combination.isHarmless === true) === isHarmless),
  )
  return (
    combinationSection('Combinations that are refused', 'Each option, and why the combination is refused:', refused) +
    combinationSection('Options without effect', 'They are named in the log, and the start continues:', harmless)
  )
}

const combinationSection = (heading: string, meaning: string, combinations: readonly Listed[] = []) =>
  combinations.length === 0
    ? ''
    : `## ${heading}

${meaning}

${combinations.map(({ flag, reason }) => `- \`${flag}\`: ${quotedFlags(reason)}`).join('\n')}

`

/** Formats options in a text as code. */
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
