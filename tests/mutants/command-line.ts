import { parseArgs } from 'node:util'

/** The options of `npm run mutants`. */
export interface MutantsCommand {
  /** Folders or files, from the root; empty: what changed since `revision`. */
  readonly paths: readonly string[]
  readonly revision: string
  /** Mutants that are tried at most. */
  readonly count: number
  /** The number of other test files that are run for each mutant, the closest first. */
  readonly testFiles: number
  /** Test files that are run for each mutant before the closest, from the root. */
  readonly namedTests: readonly string[]
  /** Seconds after which the tests of a mutant count as hanging. */
  readonly limitSecs: number
  readonly seed: number
}

export const USAGE = `Usage: npm run mutants -- [options] [FOLDER or FILE ...]

Plants mistakes in sources, runs the closest tests, and prints the mistakes that no test noticed.
Without a path it mutates the lines that changed since a revision.

  --since <revision>   what changed since then (default: HEAD)
  --count <n>          mutants at most (default: 100)
  --tests <n>          test files for each mutant, the closest first; 0: those of --with alone (default: 4)
  --with <file>        a test file to run for each mutant before the closest; repeatable
  --limit-secs <n>     seconds for the tests of one mutant (default: 30)
  --seed <n>           which mutants are chosen (default: 1)
  -h, --help           this text
`

const OPTIONS = {
  since: { type: 'string', default: 'HEAD' },
  count: { type: 'string', default: '100' },
  tests: { type: 'string', default: '4' },
  with: { type: 'string', multiple: true },
  'limit-secs': { type: 'string', default: '30' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Undefined for `--help`. Throws for unknown options and for values that are not whole numbers. */
export function readCommand(args: readonly string[]): MutantsCommand | undefined {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  if (values.help) return undefined
  return {
    paths: positionals.map((path) => path.replace(/^\.\//, '').replace(/\/$/, '')),
    revision: values.since,
    count: wholeNumber('--count', values.count),
    testFiles: values.tests === '0' ? 0 : wholeNumber('--tests', values.tests),
    namedTests: values.with ?? [],
    limitSecs: wholeNumber('--limit-secs', values['limit-secs']),
    seed: wholeNumber('--seed', values.seed),
  }
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${option}: \`${text}\` is not a whole number from 1 to 999999999`)
  return Number(text)
}
