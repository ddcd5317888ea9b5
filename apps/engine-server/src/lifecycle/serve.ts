import {
  endSignal,
  type EndSignal,
  type Log,
  shutDown,
  type ShutdownStep,
  type SignalSource,
  StartError,
  type Watchdog,
} from '@engine/process'
import { startText, type Started } from './start-text.ts'

/** A composed server: everything is connected, nothing is accepted yet. */
export interface Engine {
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

/** In place of an engine: the start was ended by a signal. */
const INTERRUPTED = 'interrupted'

/**
 * Compose, listen, say what to try next, wait for a signal, shut down, end: with 0 after a signal, however many requests
 * had to be cut off; with 1 when it could not start, in one line on standard error; by the signal itself when it comes
 * during the start, of which nothing is waited for. SIGHUP reads what can be read again.
 *
 * @param showsText whether the text for people is printed beside the log
 */
export async function serve(
  compose: () => Promise<Engine>,
  options: { readonly shutdownTimeoutMs: number; readonly showsText: boolean; readonly log: Log },
  { signals, print, complain, exit, die, watchdog, orphaned }: Surroundings,
): Promise<void> {
  const { log, shutdownTimeoutMs } = options
  const end = async (code: number) => {
    await log.flush()
    exit(code)
  }
  let running: Engine | undefined
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
  const engine = await Promise.race([started, interrupted])
  if (engine === INTERRUPTED) {
    log.info({ signal: await signal }, 'start aborted')
    await log.flush()
    return die(await signal)
  }
  if (engine === undefined) return await end(1)
  running = engine
  watchdog.allow(shutdownTimeoutMs)
  log.info({ signal: await Promise.race([signal, orphaned.then(() => ORPHANED)]) }, 'stopping')
  watchdog.endWithin(shutdownTimeoutMs + LAST_LINES_MS)
  await shutDown(engine.shutdown, shutdownTimeoutMs, log)
  log.info({}, 'stopped')
  await end(0)
}

/** In place of the signal, in the log. */
const ORPHANED = 'none: npm, which started this process, is gone'

/** Errors of the files are logged, and nothing changes. */
async function reload(engine: Engine | undefined, log: Log): Promise<void> {
  try {
    const read = await engine?.reload()
    if (read === undefined || read.length === 0) log.info({}, 'SIGHUP: no option names a file to reload')
    else log.info({ options: read }, 'SIGHUP: files reloaded')
  } catch (error) {
    const reason = error instanceof StartError ? error.message : error
    log.error({ reason }, 'SIGHUP: reload failed, the previous tokens and certificates stay in effect')
  }
}

async function beginning(
  compose: () => Promise<Engine>,
  { log, showsText }: { readonly log: Log; readonly showsText: boolean },
  print: (text: string) => void,
): Promise<Engine> {
  const engine = await compose()
  const started = await engine.listen()
  const { url, grpc, socket, rulesets } = started
  log.info({ pid: process.pid, url, grpc, socket, rulesets: rulesets.length }, 'listening')
  await log.flush()
  if (showsText) print(startText(started))
  return engine
}
