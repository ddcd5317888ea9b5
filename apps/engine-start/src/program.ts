import { endsWithThisProcess, NODE_FLAGS, packageFile } from '@engine/process'
import { type ChildProcess, spawn } from 'node:child_process'

/** One of the two programs, while it runs. */
export interface Program {
  readonly name: string
  readonly pid: number | undefined
  /** How it ended, once it has. */
  readonly ended: Promise<string>
  /** Request its end. */
  stop(): void
}

/**
 * Start a program of this repository. Its output is ours, and it ends by itself when this process is killed.
 */
export function startProgram(
  name: 'engine-platform' | 'engine-server',
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Program {
  const folder = name === 'engine-platform' ? 'platform-server' : 'engine-server'
  const file = packageFile(import.meta.url, `../${folder}/bin/${name}.js`)
  const child = spawn(process.execPath, [...NODE_FLAGS, file, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env, ...endsWithThisProcess() },
  })
  return { name, pid: child.pid, ended: endOf(child), stop: () => void child.kill('SIGTERM') }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal))
  })
}
