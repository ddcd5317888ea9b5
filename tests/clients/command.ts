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
}

/** A program that ended with another code than 0. */
export class CommandFailed extends Error {
  readonly output: string

  constructor(command: string, code: number | string | null, output: string) {
    super(`\`${command}\` ended with ${code}:\n${output}`)
    this.output = output
  }
}

/** Only ends what hangs: a first run downloads and compiles. */
const LONGEST = 15 * 60_000

/** The standard output of a program. Throws `CommandFailed` unless it ends with code 0. */
export async function run(program: string, args: readonly string[], options: Options = {}): Promise<string> {
  const { cwd = ROOT, env = {}, input } = options
  const child = spawn(program, [...args], {
    cwd,
    // The repository's Node comes first: programs in the cache are started by `env node`.
    env: { ...process.env, PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LONGEST,
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
  if (child.exitCode !== 0)
    throw new CommandFailed([program, ...args].join(' '), child.exitCode ?? child.signalCode, output.both)
  return output.stdout
}
