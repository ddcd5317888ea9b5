import { endSignal, shutDown, type ShutdownStep, type SignalSource } from './shutdown.ts'
import { StartError } from './start-error.ts'
import { startText, type Started } from './start-text.ts'
import type { Log } from './telemetry/log.ts'

/** A composed server: everything is connected, nothing is accepted yet. */
export interface Engine {
  /** Begins to accept. Throws `StartError` when an address cannot be had. */
  listen(): Promise<Started>
  /** What to do at the end, in this order. The first one refuses new work and finishes what is in flight. */
  readonly shutdown: readonly ShutdownStep[]
}

/** What `serve` needs of the process around it. */
export interface Surroundings {
  readonly signals: SignalSource
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  readonly exit: (code: number) => void
}

/**
 * Compose, listen, say what to try next, wait for a signal, shut down, end: with 0 after a signal, however many requests
 * had to be cut off; with 1 when it could not start, in one line for whoever started it.
 *
 * @param showsText whether the text for people is printed beside the log
 */
export async function serve(
  compose: () => Promise<Engine>,
  options: { readonly shutdownTimeoutMs: number; readonly showsText: boolean; readonly log: Log },
  { signals, print, complain, exit }: Surroundings,
): Promise<void> {
  const { log } = options
  const end = async (code: number) => {
    await log.flush()
    exit(code)
  }
  // Listened for from the beginning, so that a signal during a long start is not lost.
  const signal = endSignal(signals, (code) => void end(code))
  const engine = await beginning(compose, options, print).catch((error: unknown) => {
    if (error instanceof StartError) complain(`error: ${error.message}\n`)
    else log.fatal({ err: error }, 'the server could not start')
    return undefined
  })
  if (engine === undefined) return await end(1)
  log.info({ signal: await signal }, 'stopping')
  await shutDown(engine.shutdown, options.shutdownTimeoutMs, log)
  log.info({}, 'stopped')
  await end(0)
}

async function beginning(
  compose: () => Promise<Engine>,
  { log, showsText }: { readonly log: Log; readonly showsText: boolean },
  print: (text: string) => void,
): Promise<Engine> {
  const engine = await compose()
  const started = await engine.listen()
  log.info(
    { url: started.url, grpc: started.grpc, socket: started.socket, rulesets: started.rulesets.length },
    'listening',
  )
  await log.flush()
  if (showsText) print(startText(started))
  return engine
}
