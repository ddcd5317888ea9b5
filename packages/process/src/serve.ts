import type { Log } from './log.ts'
import { endSignal, type EndSignal, shutDown, type ShutdownStep, type SignalSource } from './shutdown.ts'
import { StartError } from './start-error.ts'
import type { Watchdog } from './watchdog.ts'

/** A composed server: all parts are connected, but it does not listen yet. */
export interface Service<Started> {
  /** Starts listening. Throws `StartError` when an address is unavailable. */
  listen(): Promise<Started>
  /**
   * Reads the files of options again; returns the options whose files were read. Throws `StartError` when one of
   * them is invalid, without changing anything.
   */
  reload(): Promise<readonly string[]>
  /** The shutdown steps in order. The first one rejects new work and completes pending requests. */
  readonly shutdown: readonly ShutdownStep[]
}

/** The announcement of a listening server. */
export interface Announcement {
  /** Log fields in addition to the process id. */
  readonly fields: object
  /** Text for people, on standard output. */
  readonly text: string
}

export interface ServeOptions<Started> {
  /** Milliseconds. */
  readonly shutdownTimeoutMs: number
  /** True if the text for people is printed in addition to the log. */
  readonly showsText: boolean
  readonly log: Log
  readonly announce: (started: Started) => Announcement
}

/** The process environment of `serve`. */
export interface Surroundings {
  readonly signals: SignalSource
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  readonly exit: (code: number) => void
  /** Ends immediately by the signal itself, without waiting for anything. */
  readonly die: (signal: EndSignal) => void
  readonly watchdog: Watchdog
  /** Resolves when the program that started this one, and ends with it, has ended. */
  readonly orphaned: Promise<void>
}

/** Time after the shutdown timeout for writing the log and exiting. */
const EXIT_GRACE_MS = 2000

/** Replaces the service when a signal interrupted the start. */
const INTERRUPTED = 'interrupted'

/**
 * Runs a server: compose, listen, announce, wait for a signal, shut down, exit: with 0 after a signal, even if requests
 * were aborted; with 1, or 2 for an invalid file, if it cannot start, after one line on standard error; by the signal
 * itself when it arrives during the start. SIGHUP reloads files.
 */
export async function serve<Started>(
  compose: () => Promise<Service<Started>>,
  options: ServeOptions<Started>,
  { signals, print, complain, exit, die, watchdog, orphaned }: Surroundings,
): Promise<void> {
  const { log, shutdownTimeoutMs } = options
  const end = async (code: number) => {
    await log.flush()
    exit(code)
  }
  let running: Service<Started> | undefined
  let reloading = Promise.resolve()
  // Registered first: the default action of SIGHUP would end the process.
  signals.on('SIGHUP', () => (reloading = reloading.then(() => reload(running, log))))
  const signal = endSignal(signals, (code) => void end(code))
  let isInterrupted = false
  let failedCode = 1
  const started = beginning(compose, options, print).catch((error: unknown) => {
    if (isInterrupted) return undefined
    if (error instanceof StartError) {
      failedCode = error.exitCode
      complain(`error: ${error.message}\n`)
    } else log.fatal({ err: error }, 'the server could not start')
    return undefined
  })
  const interrupted = signal.then((): typeof INTERRUPTED => {
    isInterrupted = true
    return INTERRUPTED
  })
  const service = await Promise.race([started, interrupted])
  if (service === INTERRUPTED) {
    log.info({ signal: await signal }, 'start aborted')
    await log.flush()
    return die(await signal)
  }
  if (service === undefined) return await end(failedCode)
  running = service
  watchdog.allow(shutdownTimeoutMs)
  log.info({ signal: await Promise.race([signal, orphaned.then(() => ORPHANED)]) }, 'stopping')
  watchdog.endWithin(shutdownTimeoutMs + EXIT_GRACE_MS)
  await shutDown(service.shutdown, shutdownTimeoutMs, log)
  log.info({}, 'stopped')
  await end(0)
}

/** Replaces the signal in the log. */
const ORPHANED = 'none: npm, which started this process, is gone'

/** Errors in the files are logged without changing anything. */
async function reload(service: Pick<Service<unknown>, 'reload'> | undefined, log: Log): Promise<void> {
  try {
    const read = await service?.reload()
    if (read === undefined || read.length === 0) log.info({}, 'SIGHUP: no option names a file to reload')
    else log.info({ options: read }, 'SIGHUP: files reloaded')
  } catch (error) {
    const reason = error instanceof StartError ? error.message : error
    log.error({ reason }, 'SIGHUP: reload failed, the previous files stay in effect')
  }
}

async function beginning<Started>(
  compose: () => Promise<Service<Started>>,
  { log, showsText, announce }: ServeOptions<Started>,
  print: (text: string) => void,
): Promise<Service<Started>> {
  const service = await compose()
  const { fields, text } = announce(await service.listen())
  log.info({ pid: process.pid, ...fields }, 'listening')
  // The signal handlers are active: a signal in response to the announcement shuts down regularly.
  if (showsText) {
    await log.flush()
    print(text)
  }
  return service
}
