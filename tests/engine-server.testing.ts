import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The repository's root: where `npx --no-install engine-server` runs. */
const ROOT = join(import.meta.dirname, '..')

const BIN = join(ROOT, 'node_modules/.bin')

/** A run of the real program in its own process. */
export interface Run {
  readonly process: ChildProcess
  stdout(): string
  stderr(): string
  /** The exit code; null after a signal that the program did not handle. */
  readonly ended: Promise<number | null>
  /** Waits until standard output matches. Throws with the output so far when the program ends first. */
  says(pattern: RegExp): Promise<RegExpExecArray>
}

const live = new Set<Run>()

/**
 * Ends every process that a test has started and not ended, including those that never listened, with the processes that
 * they have started: one that lives on would keep the pipes of its parent open, and with them every later test waiting.
 */
export async function killAll(): Promise<void> {
  for (const one of live) {
    killGroup(one)
    await one.ended
  }
}

function killGroup({ process: { pid = 0 } }: Run): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

process.once('exit', () => live.forEach(killGroup))

/**
 * Start the program with these arguments and only the given environment.
 *
 * @param stdout a file descriptor instead of the collected standard output
 */
export function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdout: 'pipe' | number = 'pipe',
): Run {
  return spawned(join(BIN, 'engine-server'), args, env, stdout)
}

/** Start a host program, a TypeScript file, with only the given environment. */
export function runHost(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  // Code that is compiled once for all of them, as the program itself does it.
  const compiled = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled') }
  return spawned(join(BIN, 'node'), ['--disable-proto=delete', file, ...args], { ...compiled, ...env })
}

/** Start another program, such as npm, in the repository. */
export function spawned(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdout: 'pipe' | number = 'pipe',
): Run {
  const child = spawn(program, [...args], {
    cwd: ROOT,
    env: { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, TMPDIR: tmpdir(), ...env },
    stdio: ['ignore', stdout, 'pipe'],
    // A process group of its own, which ends as a whole.
    detached: true,
  })
  const text = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => (text[stream] += chunk))
  const ended = once(child, 'close').then(() => child.exitCode)
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    const over = ended.then((code) => {
      throw new Error(`ended with ${code} without saying ${String(pattern)}:\n${text.stdout}\n${text.stderr}`)
    })
    over.catch(() => {})
    for (;;) {
      const found = pattern.exec(text.stdout)
      if (found !== null) return found
      await Promise.race([once(child.stdout ?? child, 'data'), over])
    }
  }
  const started: Run = { process: child, stdout: () => text.stdout, stderr: () => text.stderr, ended, says }
  live.add(started)
  void ended.then(() => live.delete(started))
  return started
}

/** A run that listens. */
export interface RunningServer extends Run {
  readonly url: string
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>
}

/** Start the program on a free port of loopback and wait for its start text. */
export async function start(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const noGrpc = args.some((arg) => arg.startsWith('--grpc-')) ? [] : ['--disable-grpc']
  const started = run(['--http-addr', '127.0.0.1:0', ...noGrpc, ...args], env)
  const [, url = ''] = await started.says(
    /listens on (https?:\/\/\S+?)(?: and [^:]+(?::\d+ \(gRPC\))?)*: \d+ rulesets?,/,
  )
  return {
    ...started,
    url,
    stop: () => {
      started.process.kill('SIGTERM')
      return started.ended
    },
  }
}
