/** One option of a program: how it is written, where else it is read from, and what it means. */
export interface Option<T> {
  readonly flag: `--${string}`
  readonly short?: `-${string}`
  /** Placeholder of the value in `--help`; absent for options that are true or false. */
  readonly value?: `<${string}>`
  /** The environment variable that it is read from as well. */
  readonly env?: string
  readonly initial: T
  /** Without it more is allowed: a misspelt variable that means it ends the start instead of being warned of. */
  readonly protects?: true
  /** How the default reads where its own text would not do. */
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

/**
 * An option that the program does not have yet. It is known by name: refused on the command line, and warned of in the
 * environment, which other programs may share.
 */
export interface LaterOption {
  readonly flag: `--${string}`
  readonly env: string
  /** The feature that the option belongs to. */
  readonly part: string
}

/** Options that contradict each other, or that mean nothing alone. */
export interface Combination<Table extends OptionTable> {
  /** The option that is named in the message. */
  readonly flag: string
  /** `given`: on the command line or in the environment. `flag`: on the command line. */
  readonly wrong: (
    values: OptionValues<Table>,
    given: (key: keyof Table) => boolean,
    flag: (key: keyof Table) => boolean,
  ) => boolean
  readonly reason: string
  /** The option has no effect then, and nothing is lost by it: a warning. Several programs may share one environment. */
  readonly isHarmless?: true
}

/** A program as far as its options go. `--help`, the messages and the page of the docs are made from it. */
export interface OptionProgram<Table extends OptionTable> {
  /** Of the command. */
  readonly name: string
  /** One sentence for `--help`. */
  readonly description: string
  readonly version: string
  readonly options: Table
  readonly later: readonly LaterOption[]
  readonly combinations: readonly Combination<Table>[]
  /** How the names of its environment variables begin; others that begin so are warned about. */
  readonly envPrefix: `${string}_`
  /** Variables with the prefix that are no options: of other programs of ours, or set for its own child processes. */
  readonly ownVariables: readonly string[]
}

/** The default as people read it. */
export function initialText(row: Option<unknown>): string {
  const { initial } = row
  if (row.initialText !== undefined) return row.initialText
  return typeof initial === 'string' ? initial : (JSON.stringify(initial) ?? 'none')
}
