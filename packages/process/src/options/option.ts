/** One option of a program: its spelling, its other sources, and its meaning. */
export interface Option<T> {
  readonly flag: `--${string}`
  readonly short?: `-${string}`
  /** Placeholder of the value in `--help`; absent for options that are true or false. */
  readonly value?: `<${string}>`
  /** The environment variable that also sets it. */
  readonly env?: string
  readonly initial: T
  /** Restricts access when set: a misspelt variable for it aborts the start instead of causing a warning. */
  readonly protects?: true
  /** Description of the default, if its value is not suitable. */
  readonly initialText?: string
  /** Throws `InvalidValue`. */
  readonly parse: (text: string) => T
  readonly meaning: string
}

/** Every option of a program, by the key of its value. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>

/** The values of all options of a table. */
export type OptionValues<Table extends OptionTable> = {
  readonly [K in keyof Table]: Table[K] extends Option<infer T> ? T : never
}

/** Options that contradict each other, or have no effect alone. */
export interface Combination<Table extends OptionTable> {
  /** The option that is named in the message. */
  readonly flag: string
  /** `given`: on the command line, in the environment or in the configuration file. `flag`: on the command line. */
  readonly wrong: (
    values: OptionValues<Table>,
    given: (key: keyof Table) => boolean,
    flag: (key: keyof Table) => boolean,
  ) => boolean
  readonly reason: string
  /**
   * The option then has no effect but does no harm: it causes a warning. Several programs may share one environment.
   */
  readonly isHarmless?: true
}

/** The options of a program. The source of `--help`, messages and the docs page. */
export interface OptionProgram<Table extends OptionTable> {
  /** Name of the command. */
  readonly name: string
  /** One sentence for `--help`. */
  readonly description: string
  readonly version: string
  readonly options: Table
  readonly combinations: readonly Combination<Table>[]
  /** Prefix of its environment variables; other variables with this prefix cause warnings. */
  readonly envPrefix: `${string}_`
  /** Variables with the prefix that are not options: of other programs of this project, or set for child processes. */
  readonly ownVariables: readonly string[]
  /** A paragraph of `--help` below the options. */
  readonly helpNote?: string
  /** Flags of other commands, which the configuration file may have and this one ignores. */
  readonly otherFlags?: readonly string[]
}

/** The default as shown to people. */
export function initialText(row: Option<unknown>): string {
  const { initial } = row
  if (row.initialText !== undefined) return row.initialText
  return typeof initial === 'string' ? initial : (JSON.stringify(initial) ?? 'none')
}
