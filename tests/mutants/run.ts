import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { copyCheckout, trackedFiles } from './checkout-copy.ts'
import { closestTests, type Importers, readImporters } from './closest-tests.ts'
import { type MutantsCommand, readCommand, USAGE } from './command-line.ts'
import { type Mutant, selectMutants } from './mutant-selection.ts'
import { type TestOutcome, TestRunner } from './test-runner.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Result {
  readonly mutant: Mutant
  /** Untested: no test file executes the source. */
  readonly outcome: TestOutcome | 'untested'
}

/** Try the mutants of a command in a copy of the working tree. */
async function tryMutants(command: MutantsCommand): Promise<readonly Result[]> {
  const mutants = selectMutants(ROOT, command)
  const importers = workspaceImporters()
  const copy = copyCheckout(ROOT)
  const runner = new TestRunner(copy.root)
  atExit(() => {
    runner.kill()
    copy.remove()
  })
  const baseline = new Baseline(runner, command.limitSecs * 1000)
  const results: Result[] = []
  try {
    for (const [file, those] of Map.groupBy(mutants, (mutant) => mutant.file)) {
      const named = await baseline.firstPassing(command.namedTests, command.namedTests.length)
      const others = closestTests(file, importers).filter((test) => !named.includes(test))
      const tests = [...named, ...(await baseline.firstPassing(others, command.testFiles))]
      for (const mutant of those) {
        const outcome = tests.length === 0 ? 'untested' : await tryMutant(runner, copy.root, mutant, tests, command)
        results.push({ mutant, outcome })
        console.error(`${results.length}/${mutants.length} ${outcome.padEnd(9)} ${describe(mutant)}`)
      }
    }
    return results
  } finally {
    await runner.stop()
    copy.remove()
  }
}

/** Signals that end this program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Do something before this process ends, also by a signal. */
function atExit(work: () => void): void {
  process.once('exit', work)
  for (const signal of SIGNALS) process.once(signal, () => process.exit(128 + constants.signals[signal]))
}

/** How test files end in the copy without a mutant. */
class Baseline {
  readonly #runner: TestRunner
  readonly #limitMs: number
  readonly #outcomes = new Map<string, TestOutcome>()

  constructor(runner: TestRunner, limitMs: number) {
    this.#runner = runner
    this.#limitMs = limitMs
  }

  /** The first of these files that pass within the limit: the others would notice every mutant. */
  async firstPassing(files: readonly string[], count: number): Promise<readonly string[]> {
    const passing: string[] = []
    for (const file of files) {
      if (passing.length === count) break
      if ((await this.#outcome(file)) === 'passed') passing.push(file)
    }
    return passing
  }

  async #warmOutcome(file: string): Promise<TestOutcome> {
    const begun = performance.now()
    const outcome = await this.#runner.run([file], [], this.#limitMs * COLD_FACTOR)
    const isSlow = outcome === 'passed' && performance.now() - begun > this.#limitMs
    return isSlow ? this.#runner.run([file], [], this.#limitMs) : outcome
  }

  async #outcome(file: string): Promise<TestOutcome> {
    const known = this.#outcomes.get(file)
    if (known !== undefined) return known
    const outcome = await this.#warmOutcome(file)
    if (outcome !== 'passed') console.error(`left out: ${file} ${outcome} without a mutant`)
    this.#outcomes.set(file, outcome)
    return outcome
  }
}

/** How much longer a first run may take: it starts the runner and what tests share. */
const COLD_FACTOR = 10

async function tryMutant(
  runner: TestRunner,
  root: string,
  { file, mutation }: Mutant,
  tests: readonly string[],
  { limitSecs }: MutantsCommand,
): Promise<TestOutcome> {
  const path = join(root, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, source.slice(0, mutation.start) + mutation.replacement + source.slice(mutation.end))
  try {
    return await runner.run(tests, [file], limitSecs * 1000)
  } finally {
    writeFileSync(path, source)
  }
}

function workspaceImporters(): Importers {
  const files = trackedFiles(ROOT).filter((file) => /\.tsx?$/.test(file) && existsSync(join(ROOT, file)))
  const entries = files
    .filter((file) => /^packages\/[^/]+\/src\/index\.ts$/.test(file))
    .map((file) => [`@engine/${file.split('/')[1]}`, file] as const)
  return readImporters(ROOT, files, new Map(entries))
}

function describe({ file, line, mutation }: Mutant): string {
  return `${file}:${line}: ${mutation.kind}`
}

/** A table by folder, and the survivors. Returns whether every mutant was noticed. */
function report(results: readonly Result[]): boolean {
  const isNoticed = ({ outcome }: Result) => outcome === 'failed' || outcome === 'timed out'
  const percent = (those: readonly Result[]) => `${Math.round((100 * those.filter(isNoticed).length) / those.length)} %`
  console.log('| folder | mutants | noticed |\n|---|---|---|')
  for (const [folder, those] of Map.groupBy(results, ({ mutant }) => mutant.file.replace(/\/[^/]*$/, '')))
    console.log(`| ${folder} | ${those.length} | ${percent(those)} |`)
  console.log(`| all | ${results.length} | ${results.length === 0 ? 'none' : percent(results)} |`)
  const survivors = results.filter((result) => !isNoticed(result))
  for (const { mutant, outcome } of survivors)
    console.log(`- ${describe(mutant)}${outcome === 'untested' ? ' (no test executes this file)' : ''}`)
  return survivors.length === 0
}

try {
  const command = readCommand(process.argv.slice(2))
  if (command === undefined) console.log(USAGE)
  else if (!report(await tryMutants(command))) process.exitCode = 1
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}
