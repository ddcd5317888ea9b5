import type { Log } from './log.ts'
import type { EndSignal } from './shutdown.ts'

/** Longest wait for pending system operations. */
const EXIT_TIMEOUT_MS = 500
const POLL_INTERVAL_MS = 25
/** Interval of checks of the parent process. */
const PARENT_CHECK_INTERVAL_MS = 500

/** Operations in other threads, for which `process.exit` waits: files and DNS. */
const WAITED_FOR: ReadonlySet<string> = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap'])

/**
 * Exits with a code. If pending operations do not end, such as writing to an unread log, the process kills itself with
 * SIGKILL (137 in shells): `process.exit` would wait for them forever.
 */
export function exitProcess(code: number): void {
  const late = performance.now() + EXIT_TIMEOUT_MS
  const look = () => {
    if (!process.getActiveResourcesInfo().some((name) => WAITED_FOR.has(name))) process.exit(code)
    if (performance.now() >= late) killSelf('SIGKILL')
  }
  look()
  setInterval(look, POLL_INTERVAL_MS)
}

/** Exits with code 1 after writing the log: the process cannot continue. */
export function exitFailed(log: Log, fields: object, message: string): void {
  log.fatal(fields, message)
  void log.flush().finally(() => exitProcess(1))
}

/** Exits on uncaught errors: after a defect the state is undefined. */
export function exitOnDefects(log: Log): void {
  const exit = (error: unknown) => exitFailed(log, { err: error }, 'uncaught error, exiting')
  process.on('uncaughtException', exit)
  process.on('unhandledRejection', exit)
}

/** Ends this process by a signal's default action, without waiting for anything. */
export function dieBy(signal: EndSignal): void {
  process.removeAllListeners(signal)
  killSelf(signal)
}

function killSelf(signal: NodeJS.Signals): void {
  // Runs handlers that remove files at exit.
  process.emit('exit', 0)
  process.kill(process.pid, signal)
}

const PARENT_PID = 'npx_parent_pid'

/**
 * Variables for a program that ends with this process, as one of `npx` does. With the process ID the program also notices a parent
 * that has ended before its start.
 */
export const endsWithThisProcess = (): Readonly<Record<string, string>> => ({
  npm_lifecycle_event: 'npx',
  [PARENT_PID]: String(process.pid),
})

/**
 * Resolves when the parent is `npx` and has ended: it exits on SIGTERM without forwarding it, and its user considers
 * this process ended as well. Never resolves otherwise.
 */
export function withNpx(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const given = env[PARENT_PID]
  const parent = given === undefined ? process.ppid : Number(given)
  if (env['npm_lifecycle_event'] !== 'npx' || (given === undefined && parent === 1)) return new Promise(() => {})
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(timer)
      resolve()
    }, PARENT_CHECK_INTERVAL_MS)
    timer.unref()
  })
}
