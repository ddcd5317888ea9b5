import type { Log } from './log.ts'
import type { EndSignal } from './shutdown.ts'

/** Milliseconds for which operations of the system that are under way are waited for. */
const PATIENCE_MS = 500
const POLL_INTERVAL_MS = 25
/** Milliseconds between two looks at the parent. */
const PARENT_LOOK_MS = 500

/** Operations in other threads, for which `process.exit` waits: files, and names of hosts. */
const WAITED_FOR: ReadonlySet<string> = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap'])

/**
 * End this process with a code. One whose last operations do not end, such as a line for a log that is not read, is ended with
 * SIGKILL (137 in shells): `process.exit` would wait for them for ever.
 */
export function exitProcess(code: number): void {
  const late = performance.now() + PATIENCE_MS
  const look = () => {
    if (!process.getActiveResourcesInfo().some((name) => WAITED_FOR.has(name))) process.exit(code)
    if (performance.now() >= late) killSelf('SIGKILL')
  }
  look()
  setInterval(look, POLL_INTERVAL_MS)
}

/** End this process with code 1 when what it logged is written: it cannot go on. */
export function exitFailed(log: Log, fields: object, message: string): void {
  log.fatal(fields, message)
  void log.flush().finally(() => exitProcess(1))
}

/** End this process by an error that nothing caught: after a defect nothing is certain any more. */
export function exitOnDefects(log: Log): void {
  const exit = (error: unknown) => exitFailed(log, { err: error }, 'uncaught error, exiting')
  process.on('uncaughtException', exit)
  process.on('unhandledRejection', exit)
}

/** End this process by a signal, as if it were not listened for: nothing that is under way is waited for. */
export function dieBy(signal: EndSignal): void {
  process.removeAllListeners(signal)
  killSelf(signal)
}

function killSelf(signal: NodeJS.Signals): void {
  // Files to remove with the process.
  process.emit('exit', 0)
  process.kill(process.pid, signal)
}

/**
 * Resolves when the program that started this one is gone, when that was `npx`: it ends with SIGTERM without passing it on,
 * and its user takes this process for ended as well. Never resolves otherwise.
 */
export function withNpx(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const parent = process.ppid
  if (env['npm_lifecycle_event'] !== 'npx' || parent === 1) return new Promise(() => {})
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(timer)
      resolve()
    }, PARENT_LOOK_MS)
    timer.unref()
  })
}
