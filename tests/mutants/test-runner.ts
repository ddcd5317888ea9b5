import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** How the tests of one mutant ended. */
export type TestOutcome = 'passed' | 'failed' | 'timed out'

/** Runs test files in a copy of the working tree, in a process that is replaced when they hang. */
export class TestRunner {
  readonly #root: string
  #child: ChildProcess | undefined

  constructor(root: string) {
    this.#root = root
  }

  /**
   * @param changed the source that differs from what the last run executed, from the root
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
    this.#child = undefined
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    process.kill(-child.pid, 'SIGKILL')
    await exited
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(join(this.#root, 'tests/mutants/test-process.ts'), {
      cwd: this.#root,
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
