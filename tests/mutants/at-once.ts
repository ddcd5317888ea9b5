import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copyCheckout, trackedFiles } from './checkout-copy.ts'
import { type Mutant, selectMutants } from './mutant-selection.ts'
import { killSwitched, type SwitchedResult, trySwitched } from './switched-run.ts'

const ROOT = join(import.meta.dirname, '../..')

const USAGE = `Usage: npm run mutants:at-once -- [options] FOLDER or FILE ...

Plants all mistakes of a sample in one copy of the sources, each behind a switch, and tries each with the tests that execute it.

  --with <path>        a test file, or a folder with test files; repeatable; they run in this order
  --without <path>     test files to leave out; repeatable
  --count <n>          mistakes at most (default: 300)
  --seed <n>           which mistakes are chosen (default: 1)
  --slow-ms <n,...>    tests that take longer are left out: one pass for each number (default: 100,1500)
  --tries <n>          tests that a mistake may pass before the others are left out (default: all)
  --limit-secs <n>     seconds for one test with one mistake (default: 15)
  -h, --help           this text
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string', multiple: true, default: [] },
    without: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    'slow-ms': { type: 'string', default: '100,1500' },
    tries: { type: 'string', default: '1000000' },
    'limit-secs': { type: 'string', default: '15' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** Whether a file is one of these paths or below one. */
function isBelow(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))
}

/** The test files that the options name, in their order. */
function namedTests(): readonly string[] {
  const tests = trackedFiles(ROOT).filter((file) => /\.test\.tsx?$/.test(file) && !isBelow(file, values.without))
  return [...new Set(values.with.flatMap((path) => tests.filter((file) => isBelow(file, [path]))))]
}

function describe({ file, line, mutation: { kind, replacement } }: Mutant): string {
  return `${file}:${line}: ${kind} ${JSON.stringify(replacement)}`
}

const NOTICED: ReadonlySet<SwitchedResult['outcome']> = new Set(['failed', 'loop', 'limit', 'rejected'])

const isNoticed = ({ outcome }: SwitchedResult): boolean => NOTICED.has(outcome)

/** The survivors, the files, and the number of mistakes by outcome. */
function report(results: readonly SwitchedResult[]): void {
  for (const { mutant, outcome } of results.filter((one) => !isNoticed(one)))
    console.log(`- ${outcome}: ${describe(mutant)}`)
  for (const [file, those] of Map.groupBy(results, ({ mutant }) => mutant.file))
    console.log(`${file}: ${those.filter(isNoticed).length} of ${those.length}`)
  const counts = [...Map.groupBy(results, ({ outcome }) => outcome)].map(
    ([outcome, those]) => `${those.length} ${outcome}`,
  )
  console.log(`${results.length} mistakes: ${counts.join(', ')}`)
}

if (values.help || positionals.length === 0) console.log(USAGE)
else {
  const mutants = selectMutants(ROOT, {
    paths: positionals.map((path) => path.replace(/\/$/, '')),
    revision: 'HEAD',
    count: Number(values.count),
    testFiles: 0,
    namedTests: [],
    limitSecs: 0,
    seed: Number(values.seed),
  })
  const tests = namedTests()
  const copy = copyCheckout(ROOT)
  process.once('exit', () => {
    killSwitched()
    copy.remove()
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  console.error(`${mutants.length} mistakes, ${tests.length} test files, ${copy.root}`)
  const results = await trySwitched(copy, mutants, {
    tests,
    passes: values['slow-ms'].split(',').map(Number),
    maxTries: Number(values.tries),
    limitMs: Number(values['limit-secs']) * 1000,
  })
  report(results)
  if (!results.every(isNoticed)) process.exitCode = 1
}
