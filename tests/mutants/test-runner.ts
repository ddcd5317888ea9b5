import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** How the tests of one mutant ended. */
export type TestOutcome = 'passed' | 'failed' | 'timed out'

/** Runs test files in a copy of the working tree, in a process that is replaced when they hang. */
export class TestRunner {
  readonly #root: string
  /** Where tests put their folders: inside the copy, which goes with them, and short enough for sockets. */
  readonly #temporary: string
  #child: ChildProcess | undefined

  constructor(root: string) {
    this.#root = root
    this.#temporary = join(root, 't')
    mkdirSync(this.#temporary, { recursive: true })
  }

  /**
   * @param changed the source that has changed since the last run, from the root
   * @param limitMs after which the tests count as hanging
   */
  async run(files: readonly string[], changed: readonly string[], limitMs: number): Promise<TestOutcome> {
    const child = (this.#child ??= await this.#start())
    const answered = Promise.withResolvers<TestOutcome>()
    const answer = (message: unknown) => answered.resolve(message === 'passed' ? 'passed' : 'failed')
    const exit = () => answered.resolve('failed')
    child.once('message', answer)
    child.once('exit', exit)
    const timer = setTimeout(() => answered.resolve('timed out'), limitMs)
    child.send({ files: [...files], changed: [...changed] })
    const outcome = await answered.promise
    clearTimeout(timer)
    child.off('message', answer)
    child.off('exit', exit)
    if (outcome === 'timed out' || child.exitCode !== null) await this.stop()
    return outcome
  }

  async stop(): Promise<void> {
    const child = this.#child
    const isRunning = child?.exitCode === null && child.signalCode === null
    const exited = isRunning ? once(child, 'exit') : undefined
    this.kill()
    await exited
  }

  /** End the tests and every server that they have started, before this returns. */
  kill(): void {
    const child = this.#child
    this.#child = undefined
    killTests(child, this.#root)
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(join(this.#root, 'tests/mutants/test-process.ts'), {
      cwd: this.#root,
      env: { ...process.env, TMPDIR: this.#temporary },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let output = ''
    child.stderr?.on('data', (bytes: Buffer) => (output = (output + bytes.toString()).slice(-4000)))
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`the test runner ended:\n${output}`))),
    ])
    if (message !== 'ready') throw new Error(`the test runner says ${String(message)}`)
    return child
  }
}

/** Ends a process of tests with its group, and every server that they have started from a copy of the checkout. */
export function killTests(child: ChildProcess | undefined, root: string): void {
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) end(-child.pid)
  // A server may lead a group of its own, and outlive the process that started it.
  for (const pid of processesNaming(`${root}/`)) end(pid)
}

/** @param id of a process, or minus that of a group */
function end(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Ids of the processes whose command line names a folder. */
function processesNaming(folder: string): readonly number[] {
  return execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => Number.parseInt(line, 10))
}
