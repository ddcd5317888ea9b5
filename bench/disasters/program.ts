import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** How long a program may take to start or to end, in milliseconds. */
const START_LIMIT_MS = 180_000
const POLL_INTERVAL_MS = 20

export interface ProgramSettings {
  readonly name: string
  readonly command: () => readonly [string, ...string[]]
  readonly isReady: () => Promise<boolean>
  readonly user?: { readonly uid?: number; readonly gid?: number }
}

/** A program that can be killed, suspended and started again. */
export class Program {
  readonly #settings: ProgramSettings
  #child: ChildProcess | undefined
  #output = ''

  constructor(settings: ProgramSettings) {
    this.#settings = settings
  }

  /** Start it and wait until it is ready. Throws its output when it ends first. */
  async start(): Promise<void> {
    const [file, ...args] = this.#settings.command()
    this.#output = ''
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...this.#settings.user })
    const keep = (bytes: Buffer) => (this.#output = (this.#output + bytes.toString()).slice(-20_000))
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    this.#child = child
    const deadline = performance.now() + START_LIMIT_MS
    while (!(await this.#settings.isReady())) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`${this.#settings.name} did not start:\n${this.#output}`)
      await wait(POLL_INTERVAL_MS)
    }
  }

  /** The last lines of its log with the level `error`. */
  errors(): readonly string[] {
    return this.#output
      .split('\n')
      .filter((line) => line.includes('"level":"error"'))
      .slice(-5)
  }

  /** The deadlocks that a database server has logged since its start, with their queries. */
  deadlocks(): readonly string[] {
    return [...this.#output.matchAll(/deadlock detected[^]*?STATEMENT:[^\n]*/g)].map(([text]) => text)
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM')
  }

  suspend(): void {
    this.#signal('SIGSTOP')
  }

  resume(): void {
    this.#signal('SIGCONT')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    this.#child = undefined
    const exited = once(child, 'exit')
    if (child.pid !== undefined) process.kill(-child.pid, signal)
    await exited
  }

  #signal(signal: NodeJS.Signals): void {
    const child = this.#child
    if (child?.pid === undefined || child.exitCode !== null) return
    for (const pid of withDescendants(child.pid)) process.kill(pid, signal)
  }
}

/** A process and all that it has started: PostgreSQL starts its own process groups. */
function withDescendants(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => withDescendants(Number(child))))]
}
