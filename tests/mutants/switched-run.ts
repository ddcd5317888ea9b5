import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckoutCopy } from './checkout-copy.ts'
import type { Mutant } from './mutant-selection.ts'
import { readSteps, type SwitchSettings, type SwitchStep } from './switch-log.testing.ts'
import { withSwitches } from './switches.ts'
import { killTests } from './test-runner.ts'

/** How a mistake ended. */
export type SwitchedOutcome = 'failed' | 'loop' | 'limit' | 'rejected' | 'passed' | 'untested' | 'unplanted'

export interface SwitchedResult {
  readonly mutant: Mutant
  readonly outcome: SwitchedOutcome
  /** The test that noticed it. */
  readonly test?: string
}

export interface SwitchedOptions {
  /** Test files from the root, in the order in which they run. */
  readonly tests: readonly string[]
  /** Tests that take longer are left out, in milliseconds, one pass each. */
  readonly passes: readonly number[]
  /** Tests that one mistake may pass until the others are left out. */
  readonly maxTries: number
  /** For one test with one mistake. */
  readonly limitMs: number
}

/** Try all these mistakes in one copy of the sources, each behind a switch. The copy is changed. */
export async function trySwitched(
  copy: CheckoutCopy,
  mutants: readonly Mutant[],
  options: SwitchedOptions,
): Promise<readonly SwitchedResult[]> {
  const numbered = mutants.map((mutant, id) => ({ id, mutant, mutation: mutant.mutation }))
  const malformed = new Set<number>()
  const unplanted = new Set<number>()
  const sources = new Map<string, string>()
  const switched = new Map<string, string>()
  for (const [file, those] of Map.groupBy(numbered, ({ mutant }) => mutant.file)) {
    const source = readFileSync(join(copy.root, file), 'utf8')
    sources.set(file, source)
    const found = withSwitches(file, source, those)
    for (const id of found.malformed) malformed.add(id)
    for (const id of found.unplanted) unplanted.add(id)
    switched.set(file, found.text)
  }
  const write = (texts: ReadonlyMap<string, string>): void => {
    for (const [file, text] of texts) writeFileSync(join(copy.root, file), text)
  }
  mkdirSync(join(copy.root, 't'), { recursive: true })
  const log = join(copy.root, 't/switches.log')
  write(switched)
  for (const maxMs of options.passes) {
    await runAll(copy.root, { log, maxMs, maxTries: options.maxTries }, options)
    const { noticed, slow } = readSteps(log)
    console.error(`${noticed.size} of ${mutants.length} noticed by tests of at most ${maxMs} ms`)
    if (slow.size === 0) break
  }
  const { unfit, outside, noticed } = readSteps(log)
  for (const test of unfit) console.error(`left out, because it fails alone or when it runs again: ${test}`)
  write(sources)
  const survivors = numbered.filter(({ id }) => !noticed.has(id) && !malformed.has(id))
  const rejected = rejectedByCompiler(copy.root, survivors, sources)
  // A constant is computed before the first test: its mistake is on from the start of a process.
  const constants = survivors.filter(({ id }) => outside.has(id) && !rejected.has(id))
  write(switched)
  for (const { id } of constants) await runAll(copy.root, { log, maxMs: 0, maxTries: 0, active: id }, options)
  const end = readSteps(log)
  return numbered.map(({ id, mutant }) => {
    const by = end.noticed.get(id)
    if (by !== undefined) return { mutant, outcome: by.by === 'test' ? 'failed' : by.by, test: by.test }
    if (malformed.has(id) || rejected.has(id)) return { mutant, outcome: 'rejected' }
    if (unplanted.has(id)) return { mutant, outcome: 'unplanted' }
    return { mutant, outcome: end.covered.has(id) || end.outside.has(id) ? 'passed' : 'untested' }
  })
}

/** Run the test files, again after a mistake that hangs or ends the process. */
async function runAll(root: string, settings: SwitchSettings, { tests, limitMs }: SwitchedOptions): Promise<void> {
  const file = join(root, 't/switches.json')
  writeFileSync(file, JSON.stringify(settings))
  for (let starts = 0; starts < 1000; starts++) {
    const before = readSteps(settings.log)
    const { outcome, output } = await runOnce(root, file, settings, tests, limitMs)
    const { last, noticed } = readSteps(settings.log)
    const id = settings.active ?? last?.id
    if (outcome === 'hangs' && id !== undefined) {
      add(settings.log, { test: last?.test ?? 'sources', noticed: id, by: 'limit' })
      console.error(`${id} hangs in ${last?.test ?? 'sources'}`)
    }
    if (settings.active !== undefined) {
      // Sources that cannot be loaded fail every file.
      if (outcome === 'failed' && !noticed.has(settings.active))
        add(settings.log, { test: 'sources', noticed: settings.active, by: 'test' })
      return
    }
    if (outcome === 'ended' || outcome === 'failed') {
      if (outcome === 'failed') console.error(`not all files run:\n${output}`)
      return
    }
    if (readSteps(settings.log).noticed.size === before.noticed.size && last === undefined)
      throw new Error(`the tests end without a result:\n${output}`)
    if (outcome === 'crashed' && last !== undefined)
      add(settings.log, { test: last.test, noticed: last.id, by: 'limit' })
  }
}

function add(log: string, step: SwitchStep): void {
  appendFileSync(log, `${JSON.stringify(step)}\n`)
}

interface Run {
  readonly outcome: 'ended' | 'failed' | 'hangs' | 'crashed'
  readonly output: string
}

async function runOnce(
  root: string,
  file: string,
  settings: SwitchSettings,
  tests: readonly string[],
  limitMs: number,
): Promise<Run> {
  const child = fork(join(root, 'tests/mutants/switch-process.ts'), tests, {
    cwd: root,
    env: {
      SEED: '3536',
      CASES: '6',
      ...process.env,
      TMPDIR: join(root, 't'),
      MUTANT_SWITCHES: file,
      ...(settings.active !== undefined && { MUTANT_BAIL: '1' }),
    },
    detached: true,
    stdio: ['ignore', process.env['MUTANT_REPORT'] === undefined ? 'ignore' : 'inherit', 'pipe', 'ipc'],
  })
  running = { child, root }
  let output = ''
  child.stderr?.on('data', (bytes: Buffer) => (output = (output + bytes.toString()).slice(-4000)))
  const ended = Promise.withResolvers<Run['outcome']>()
  child.on('message', ({ failed, errors }: { failed: readonly string[]; errors: readonly string[] }) => {
    output += `${failed.join('\n')}\n${errors.join('\n')}`
    const isCrash = errors.some((error) => /Worker|exited|terminated/i.test(error))
    ended.resolve(isCrash ? 'crashed' : failed.length > 0 || errors.length > 0 ? 'failed' : 'ended')
  })
  child.on('exit', () => ended.resolve('crashed'))
  const size = () => (existsSync(settings.log) ? statSync(settings.log).size : 0)
  let known = -1
  let at = performance.now()
  const timer = setInterval(() => {
    if (size() !== known) at = performance.now()
    known = size()
    // Between trials a process starts, or a test runs without a mistake. With a constant, tests of any length run.
    const isTrying = settings.active === undefined && readLast(settings.log).includes('"try"')
    if (performance.now() - at > (isTrying ? limitMs : limitMs * 10)) ended.resolve('hangs')
  }, 500)
  const outcome = await ended.promise
  clearInterval(timer)
  killSwitched()
  return { outcome, output }
}

function readLast(log: string): string {
  return existsSync(log) ? (readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '') : ''
}

/** The process of the tests that run, and the copy in which they do. */
let running: { readonly child: ChildProcess; readonly root: string } | undefined

/** End all processes of tests. */
export function killSwitched(): void {
  if (running !== undefined) killTests(running.child, running.root)
  running = undefined
}

interface Numbered {
  readonly id: number
  readonly mutant: Mutant
}

/**
 * Ids of the mistakes that `tsc` rejects. Each is compiled in a copy of its file next to the original, all in one run.
 * Errors in importing files are not found.
 */
function rejectedByCompiler(
  root: string,
  survivors: readonly Numbered[],
  sources: ReadonlyMap<string, string>,
): ReadonlySet<number> {
  const rejected = new Set<number>()
  for (const [workspace, those] of Map.groupBy(survivors, ({ mutant }) =>
    mutant.file.split('/').slice(0, 2).join('/'),
  )) {
    const nameOf = (file: string, id: string) => file.replace(/(\.tsx?)$/, `__mutant_${id}$1`)
    for (const { id, mutant } of those) {
      const source = sources.get(mutant.file) ?? ''
      const { start, end, replacement } = mutant.mutation
      writeFileSync(join(root, nameOf(mutant.file, `${id}`)), source.slice(0, start) + replacement + source.slice(end))
      writeFileSync(join(root, nameOf(mutant.file, 'none')), source)
    }
    const errors = compile(join(root, workspace))
    const original = new Set([...errors.matchAll(/(\S+)__mutant_none\.tsx?/g)].map(([, path]) => path))
    for (const [, path, id] of errors.matchAll(/(\S+)__mutant_(\d+)\.tsx?/g))
      if (!original.has(path)) rejected.add(Number(id))
    for (const path of original) console.error(`not compiled: ${path}`)
  }
  return rejected
}

/** The errors that `tsc` prints. */
function compile(folder: string): string {
  const { stdout, signal } = spawnSync('npx', ['tsc', '-b', folder, '--pretty', 'false'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (signal !== null) console.error(`tsc ended by ${signal}: it rejects nothing`)
  return stdout
}
