import type { Command } from 'commander'

/** A command as completion sees it. */
export interface CompletedCommand {
  /** From the program on: `engine release create`. */
  readonly path: string
  readonly summary: string
  readonly flags: readonly CompletedFlag[]
  readonly children: readonly CompletedCommand[]
}

interface CompletedFlag {
  readonly long: string
  readonly short?: string
  readonly summary: string
  /** The words that its value can be; undefined: any text or file. Empty: it has no value. */
  readonly values?: readonly string[]
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A command with everything below it. */
export function completedCommand(command: Command, parent = ''): CompletedCommand {
  const path = parent === '' ? command.name() : `${parent} ${command.name()}`
  const help = command.createHelp()
  const flags = help.visibleOptions(command).flatMap(({ long, short, description, argChoices, required, optional }) =>
    long === undefined
      ? []
      : [
          {
            long,
            ...(short === undefined ? {} : { short }),
            summary: description,
            ...(argChoices !== undefined ? { values: argChoices } : required || optional ? {} : { values: [] }),
          },
        ],
  )
  const children = help
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
    .map((child) => completedCommand(child, path))
  return { path, summary: command.summary() || command.description(), flags, children }
}

/** The completion script of a shell. */
export function completionScript(shell: Shell, program: CompletedCommand): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](program)
}

const withDescendants = (command: CompletedCommand): readonly CompletedCommand[] => [
  command,
  ...command.children.flatMap(withDescendants),
]

const nameOf = ({ path }: CompletedCommand) => path.slice(path.lastIndexOf(' ') + 1)

/** As one word of all three shells. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const flagWords = ({ flags }: CompletedCommand) =>
  flags.flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]))

function bashScript(program: CompletedCommand): string {
  const all = withDescendants(program)
  const below = all.filter(({ path }) => path !== program.path).map(({ path }) => quoted(path))
  const choices = all.flatMap(({ path, flags }) =>
    flags.flatMap(({ long, short, values = [] }) =>
      values.length === 0
        ? []
        : [
            `    ${[long, short].flatMap((flag) => (flag === undefined ? [] : quoted(`${path} ${flag}`))).join('|')}) words=${quoted(values.join(' '))} ;;`,
          ],
    ),
  )
  const commands = all.map((command) => {
    const names = command.children.map(nameOf).join(' ')
    return `    ${quoted(command.path)}) names=${quoted(names)} flags=${quoted(flagWords(command).join(' '))} ;;`
  })
  return `# Completion of engine for bash: source <(engine completion bash)
_engine() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path=${program.path} word words='' names='' flags=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
    ${below.join('|')}) path="$path $word" ;;
    esac
  done
  case "$path $previous" in
${choices.join('\n')}
  esac
  case "$path" in
${commands.join('\n')}
  esac
  if [[ -n $words ]]; then :
  elif [[ $current == -* ]]; then words=$flags
  else words=$names
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _engine engine
`
}

function zshScript(program: CompletedCommand): string {
  /** In \`name:description\`, a colon of the name would end it. */
  const described = (name: string, summary: string) => quoted(`${name.replaceAll(':', '\\\\:')}:${summary}`)
  const all = withDescendants(program)
  const below = all.filter(({ path }) => path !== program.path).map(({ path }) => quoted(path))
  const commands = all.map((command) => {
    const names = command.children.map((child) => described(nameOf(child), child.summary))
    const flags = command.flags.map(({ long, summary }) => described(long, summary))
    return `    ${quoted(command.path)}) names=(${names.join(' ')}) flags=(${flags.join(' ')}) ;;`
  })
  const choices = all.flatMap(({ path, flags }) =>
    flags.flatMap(({ long, values = [] }) =>
      values.length === 0
        ? []
        : [`    ${quoted(`${path} ${long}`)}) compadd -- ${values.map(quoted).join(' ')}; return ;;`],
    ),
  )
  return `#compdef engine
# Completion of engine for zsh: source <(engine completion zsh)
_engine() {
  local location=${program.path} word
  local -a names flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$location $word" in
    ${below.join('|')}) location="$location $word" ;;
    esac
  done
  case "$location \${words[CURRENT-1]}" in
${choices.join('\n')}
  esac
  case "$location" in
${commands.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe option flags
  elif (( \${#names} )); then _describe command names
  else _files
  fi
}
compdef _engine engine
`
}

function fishScript(program: CompletedCommand): string {
  const lines = withDescendants(program).flatMap((command) => {
    const words = command.path.split(' ').slice(1)
    const under = words.map((word) => `__fish_seen_subcommand_from ${word}`)
    const names = command.children.map(nameOf)
    const before = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(' ')}`]
    const condition = (conditions: readonly string[]) =>
      conditions.length === 0 ? '' : ` -n ${quoted(conditions.join('; and '))}`
    return [
      ...command.children.map(
        (child) =>
          `complete -c engine${condition([...under, ...before])} -f -a ${nameOf(child)} -d ${quoted(child.summary)}`,
      ),
      ...command.flags.map(({ long, short, summary, values }) => {
        const letter = short === undefined ? '' : ` -s ${short.slice(1)}`
        const value = values === undefined ? ' -r' : values.length === 0 ? '' : ` -x -a ${quoted(values.join(' '))}`
        return `complete -c engine${condition(words.length === 0 ? before : under)} -l ${long.slice(2)}${letter}${value} -d ${quoted(summary)}`
      }),
    ]
  })
  return `# Completion of engine for fish: engine completion fish | source\n${lines.join('\n')}\n`
}
