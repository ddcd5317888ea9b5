import { NODE_FLAGS } from '@engine/process'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const LOOP_PROBE = join(import.meta.dirname, 'loop-probe.ts')

/** A server in a separate process. */
export interface Running {
  readonly url: string
  /** Host and port of gRPC, where it is spoken. */
  readonly grpc: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** The core of servers; clients run on the other one. */
const SERVER_CORE = '0'
const CLIENT_CORE = '1'

/** Put this process on the client's core, where the machine lets us choose. */
export function takeClientCore(): void {
  try {
    execFileSync('taskset', ['-cp', CLIENT_CORE, String(process.pid)], { stdio: 'ignore' })
  } catch {
    console.log('(taskset is not here: server and client share the cores)\n')
  }
}

/** Our server with these options, on a free port. */
export function startEngine(...options: readonly string[]): Promise<Running> {
  return started(engine(options))
}

/** The platform with these options, on a free port, with its data in a separate directory. */
export async function startPlatform(directory: string, ...options: readonly string[]): Promise<Running> {
  const main = join(ROOT, 'apps/platform-server/bin/engine-platform.js')
  return started([main, '--http-addr', '127.0.0.1:0', '--data-dir', directory, ...options])
}

/** The same on whatever cores the machine gives it. */
export async function startUnpinnedPlatform(directory: string, ...options: readonly string[]): Promise<Running> {
  const main = join(ROOT, 'apps/platform-server/bin/engine-platform.js')
  return started([main, '--http-addr', '127.0.0.1:0', '--data-dir', directory, ...options], [])
}

/** The same on the core of servers, with `loop-probe.ts`, which writes to a file. */
export function startPlatformProbed(directory: string, file: string, ...more: readonly string[]): Promise<Running> {
  const main = join(ROOT, 'apps/platform-server/bin/engine-platform.js')
  const options = [
    '--http-addr',
    '127.0.0.1:0',
    '--data-dir',
    directory,
    '--rate-limit',
    '0',
    '--request-timeout-secs',
    '300',
    ...more,
  ]
  return started(
    ['--import', LOOP_PROBE, main, ...options],
    ['env', `LOOP_PROBE=${file}`, 'taskset', '-c', SERVER_CORE],
  )
}

/** The same of another checkout, which has its own `node_modules`. */
export function startEngineOf(root: string, ...options: readonly string[]): Promise<Running> {
  return started(engine(options, root))
}

/** The same on whatever cores the machine gives it: a server of several processes. */
export function startUnpinned(...options: readonly string[]): Promise<Running> {
  return started(engine(options), [])
}

/** The same with `loop-probe.ts`, which writes to a file. */
export function startUnpinnedProbed(file: string, ...options: readonly string[]): Promise<Running> {
  return started(['--import', LOOP_PROBE, ...engine(options)], ['env', `LOOP_PROBE=${file}`])
}

function engine(options: readonly string[], root = ROOT): readonly string[] {
  return [
    ...NODE_FLAGS,
    join(root, 'apps/engine-server/bin/engine-server.js'),
    '--http-addr',
    '127.0.0.1:0',
    ...(options.some((option) => option.startsWith('--grpc-')) ? [] : ['--disable-grpc']),
    ...options,
  ]
}

/** A bare grpc-js server: `bare-grpc-server.ts`. */
export function startBareGrpc(): Promise<Running> {
  return started([join(import.meta.dirname, 'bare-grpc-server.ts')])
}

/** A bare `node:http2` server that answers these bytes: `bare-http2-server.ts`. */
export function startBareHttp2(answer: Buffer): Promise<Running> {
  return started([join(import.meta.dirname, 'bare-http2-server.ts'), answer.toString('hex')])
}

/** A bare `node:http` server: `bare-server.ts`. */
export function startBare(mode: 'execute' | 'batch' | 'lines'): Promise<Running> {
  return started([join(import.meta.dirname, 'bare-server.ts'), mode])
}

/** A bare `node:http` proxy to this address: `bare-proxy.ts`. */
export function startBareProxy(url: string): Promise<Running> {
  return started([join(import.meta.dirname, 'bare-proxy.ts'), url])
}

/** A program of `peers`, which is not Node's. */
export function startProgram(program: string, ...args: readonly string[]): Promise<Running> {
  return startedProgram([program, ...args])
}

/** Milliseconds of processor time that a process has taken so far, all its threads together. */
export function processorTime({ process: { pid } }: Running): number {
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '- - ')
    .split(' ')
  const [user = '', system = ''] = fields.slice(11)
  return (Number(user) + Number(system)) * TICK_MS
}

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10

function started(args: readonly string[], pinned?: readonly string[]): Promise<Running> {
  return startedProgram([process.execPath, ...args], pinned)
}

async function startedProgram(
  command: readonly string[],
  pinned: readonly string[] = ['taskset', '-c', SERVER_CORE],
): Promise<Running> {
  const [program = '', ...rest] = [...pinned, ...command]
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const endWithUs = () => void child.kill('SIGKILL')
  process.on('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  let text = ''
  child.stdout.setEncoding('utf8')
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
    text += chunk
    const url = /(?:listens on |"url":")(http:\/\/[^\s:"]+:\d+)/.exec(text)?.[1]
    if (url !== undefined) {
      child.stdout.resume()
      const stop = async () => {
        const closed = once(child, 'exit')
        child.kill('SIGTERM')
        await closed
      }
      return {
        url,
        grpc: /"grpc":"([^"]+)"/.exec(text)?.[1] ?? /(\S+) \(gRPC\)/.exec(text)?.[1] ?? '',
        process: child,
        stop,
      }
    }
  }
  throw new Error(`a server did not start:\n${text}`)
}
