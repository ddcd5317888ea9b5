import type { Log } from './log.ts'
import { endSignal, type EndSignal, shutDown, type ShutdownStep, type SignalSource } from './shutdown.ts'
import { StartError } from './start-error.ts'
import type { Watchdog } from './watchdog.ts'

/** A composed server: everything is connected, nothing is accepted yet. */
export interface Service<Started> {
  /** Begins to accept. Throws `StartError` when an address cannot be had. */
  listen(): Promise<Started>
  /**
   * Reads tokens and certificates again; the options whose files were read. Throws `StartError` when one of them cannot be
   * used, and then nothing has changed.
   */
  reload(): Promise<readonly string[]>
  /** The steps of the shutdown, in this order. The first one refuses new work and completes requests in flight. */
  readonly shutdown: readonly ShutdownStep[]
}

/** What is said when a server has begun to accept. */
export interface Announcement {
  /** Beside the process id, in the line of the log. */
  readonly fields: object
  /** For people, on standard output. */
  readonly text: string
}

export interface ServeOptions<Started> {
  /** Milliseconds. */
  readonly shutdownTimeoutMs: number
  /** Whether the text for people is printed beside the log. */
  readonly showsText: boolean
  readonly log: Log
  readonly announce: (started: Started) => Announcement
}

/** What `serve` needs of the process around it. */
export interface Surroundings {
  readonly signals: SignalSource
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  readonly exit: (code: number) => void
  /** Ends at once by the signal itself, whatever is still under way. */
  readonly die: (signal: EndSignal) => void
  readonly watchdog: Watchdog
  /** Resolves when the program that started this one, and that ends with it, is gone. */
  readonly orphaned: Promise<void>
}

/** Milliseconds beyond the time for the shutdown in which the log is written and the process ends. */
const LAST_LINES_MS = 2000

/** In place of a service: the start was ended by a signal. */
const INTERRUPTED = 'interrupted'

/**
 * Compose, listen, say what to try next, wait for a signal, shut down, end: with 0 after a signal, however many requests
 * had to be cut off; with 1 when it could not start, in one line on standard error; by the signal itself when it comes
 * during the start, of which nothing is waited for. SIGHUP reads what can be read again.
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
  // Listened for from the beginning: by its default action SIGHUP would end the process.
  signals.on('SIGHUP', () => (reloading = reloading.then(() => reload(running, log))))
  const signal = endSignal(signals, (code) => void end(code))
  let isInterrupted = false
  const started = beginning(compose, options, print).catch((error: unknown) => {
    if (isInterrupted) return undefined
    if (error instanceof StartError) complain(`error: ${error.message}\n`)
    else log.fatal({ err: error }, 'the server could not start')
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
  if (service === undefined) return await end(1)
  running = service
  watchdog.allow(shutdownTimeoutMs)
  log.info({ signal: await Promise.race([signal, orphaned.then(() => ORPHANED)]) }, 'stopping')
  watchdog.endWithin(shutdownTimeoutMs + LAST_LINES_MS)
  await shutDown(service.shutdown, shutdownTimeoutMs, log)
  log.info({}, 'stopped')
  await end(0)
}

/** In place of the signal, in the log. */
const ORPHANED = 'none: npm, which started this process, is gone'

/** Errors of the files are logged, and nothing changes. */
async function reload(service: Pick<Service<unknown>, 'reload'> | undefined, log: Log): Promise<void> {
  try {
    const read = await service?.reload()
    if (read === undefined || read.length === 0) log.info({}, 'SIGHUP: no option names a file to reload')
    else log.info({ options: read }, 'SIGHUP: files reloaded')
  } catch (error) {
    const reason = error instanceof StartError ? error.message : error
    log.error({ reason }, 'SIGHUP: reload failed, the previous tokens and certificates stay in effect')
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
  // Nothing is waited for else: a signal that answers the line above is no signal during the start.
  if (showsText) {
    await log.flush()
    print(text)
  }
  return service
}
