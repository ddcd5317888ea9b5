import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'

/** The repository's root. */
export const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'node_modules/.bin')

interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Milliseconds after which the program is ended. */
  readonly timeout?: number
}

/** A program that ended with another code than 0. */
export class CommandFailed extends Error {
  readonly output: string
  readonly isTimedOut: boolean

  constructor(command: string, code: number | string | null, output: string, isTimedOut = false) {
    super(`\`${command}\` ended with ${code}:\n${output}`)
    this.output = output
    this.isTimedOut = isTimedOut
  }
}

/** Only ends what hangs: a first run downloads and compiles. */
const MAX_DURATION_MS = 15 * 60_000

/** Milliseconds for the whole run, from `MINUTES=8`; checks that have not ended by then are omitted. */
const LIMIT = Number(process.env['MINUTES'] ?? Infinity) * 60_000

/** Milliseconds that are left of the time for the whole run. */
export const left = (): number => LIMIT - performance.now()

/** The standard output of a program. Throws `CommandFailed` unless it ends with code 0. */
export async function run(program: string, args: readonly string[], options: Options = {}): Promise<string> {
  const { cwd = ROOT, env = {}, input, timeout = MAX_DURATION_MS } = options
  const child = spawn(program, [...args], {
    cwd,
    // The repository's Node comes first: programs in the cache are started by `env node`.
    env: { ...process.env, PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: Math.max(1, Math.ceil(Math.min(timeout, left()))),
  })
  const output = { stdout: '', both: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
    output.both += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.both += text))
  // A program may end without reading its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  try {
    await once(child, 'close')
  } catch (error) {
    throw new CommandFailed(program, 'an error', String(error))
  }
  if (child.exitCode !== 0) {
    const command = [program, ...args].join(' ')
    // Nothing else sends it a signal.
    throw new CommandFailed(command, child.exitCode ?? child.signalCode, output.both, child.killed)
  }
  return output.stdout
}
