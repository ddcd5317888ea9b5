import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest'
import { readSteps, type SwitchSettings, type SwitchStep } from './switch-log.testing.ts'

/** With a mistake, a test may read this multiple of its own switch reads: more is a loop. */
const READS_FACTOR = 100
const READS_MIN = 1_000_000

const settings = readSettings()
/** Results of earlier processes. */
const known = readSteps(settings.log)
const noticed = new Set(known.noticed.keys())
let outsideLogged = 0
/** By mistake: tests that it has passed. */
const passed = new Map<number, number>()
for (const those of known.tried.values()) for (const id of those) passed.set(id, (passed.get(id) ?? 0) + 1)
/** The mistake that is on; -1: none. */
let active = settings.active ?? -1
let reads = 0
let maxReads = Infinity
let isTest = false
/** Mistakes whose places were executed: in the test that runs, and outside of tests. */
const inTest = new Set<number>()
const outside = new Set<number>()

Object.assign(globalThis, {
  isMutantOn: (id: number): boolean => {
    if (active < 0) (isTest ? inTest : outside).add(id)
    if (++reads > maxReads) throw new Error(LOOP)
    return id === active
  },
})
const LOOP = 'a mistake made a loop'

function readSettings(): SwitchSettings {
  const file = process.env['MUTANT_SWITCHES'] ?? ''
  return JSON.parse(readFileSync(file, 'utf8')) as SwitchSettings
}

function log(step: SwitchStep): void {
  appendFileSync(settings.log, `${JSON.stringify(step)}\n`)
}

/** Runs each test without a mistake, and then with every mistake whose place it executes and that no test has noticed. */
export default class SwitchRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test)
    const name = `${relative(process.cwd(), test.file.filepath)} > ${test.fullTestName} [${test.id}]`
    if (settings.active !== undefined) return runWith(settings.active, name, run, known.unfit)
    if (known.unfit.has(name) || (known.slow.get(name) ?? 0) > settings.maxMs) return
    if (outside.size > outsideLogged) log({ test: name, outside: [...outside] })
    outsideLogged = outside.size
    inTest.clear()
    let hasRun = false
    const attempt = async (id: number, limit: number) => {
      const again = hasRun ? () => restart(test).then(run) : run
      hasRun = true
      return attempted(again, id, limit)
    }
    const [failure, ms, count] = await attempt(-1, Infinity)
    if (failure !== undefined) {
      log({ test: name, unfit: String(failure) })
      return
    }
    if (ms > settings.maxMs) return log({ test: name, slow: ms })
    // A test that cannot run twice would notice every mistake.
    const [second] = await attempt(-1, Infinity)
    if (second !== undefined) return log({ test: name, unfit: String(second) })
    const covered = [...inTest]
    log({ test: name, covered, ms })
    const tried = known.tried.get(name)
    for (const id of covered) {
      const tries = passed.get(id) ?? 0
      if (noticed.has(id) || tried?.has(id) === true || tries >= settings.maxTries) continue
      passed.set(id, tries + 1)
      log({ test: name, try: id })
      const [fault] = await attempt(id, Math.max(READS_MIN, READS_FACTOR * count))
      if (fault === undefined) continue
      noticed.add(id)
      log({ test: name, noticed: id, by: fault.message === LOOP ? 'loop' : 'test' })
      // A cache with wrong values would fail other tests.
      const [after] = await attempt(-1, Infinity)
      if (after !== undefined) {
        log({ test: name, spoilt: id })
        process.kill(process.pid, 'SIGKILL')
      }
    }
    log({ test: name, done: true })
  }
}

/** With one mistake on since before the sources were loaded. */
async function runWith(id: number, name: string, run: () => unknown, unfit: ReadonlySet<string>): Promise<void> {
  if (unfit.has(name)) return
  log({ test: name, try: id })
  const [failure] = await attempted(run, id, Infinity)
  if (failure !== undefined) {
    log({ test: name, noticed: id, by: 'test' })
    throw failure
  }
}

/** Ends a test as vitest does after its function, and begins it again: what its hooks make is new in each attempt. */
async function restart(test: RunnerTestCase): Promise<void> {
  const suites: RunnerTestSuite[] = [test.file]
  for (let suite = test.suite; suite !== undefined && suite !== test.file; suite = suite.suite)
    suites.splice(1, 0, suite)
  for (const suite of suites.toReversed())
    for (const hook of TestRunner.getSuiteHooks(suite).afterEach) await hook(test.context, suite)
  const { onFinished = [] } = test as { readonly onFinished?: (() => unknown)[] }
  // The test that ended may have failed before it awaited an assertion.
  for (const end of onFinished.splice(0).toReversed()) await Promise.try(end).catch(() => undefined)
  for (const suite of suites)
    for (const hook of TestRunner.getSuiteHooks(suite).beforeEach) await hook(test.context, suite)
}

async function attempted(run: () => unknown, id: number, limit: number): Promise<[Error | undefined, number, number]> {
  active = id
  reads = 0
  maxReads = limit
  isTest = true
  const begun = performance.now()
  try {
    await run()
    return [reads > limit ? new Error(LOOP) : undefined, performance.now() - begun, reads]
  } catch (error) {
    return [reads > limit ? new Error(LOOP) : toError(error), performance.now() - begun, reads]
  } finally {
    active = settings.active ?? -1
    maxReads = Infinity
    isTest = false
  }
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
