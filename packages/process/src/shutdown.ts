import { performance } from 'node:perf_hooks'
import { TIMED_OUT, within } from './deadline.ts'
import type { Log } from './log.ts'

/** The signals that stop the program. */
export type EndSignal = 'SIGTERM' | 'SIGINT'

/** Exit codes as shells have them: 128 and the number of the signal. */
const FORCED_EXIT_CODES: Readonly<Record<EndSignal, number>> = { SIGINT: 130, SIGTERM: 143 }

/** The part of `process` that is listened to. */
export interface SignalSource {
  on(signal: EndSignal | 'SIGHUP', listener: () => void): unknown
}

/**
 * Waits for the first signal. From then on a second one calls `atOnce` with its exit code: a user who presses Ctrl-C twice
 * does not want to wait.
 */
export function endSignal(source: SignalSource, atOnce: (code: number) => void): Promise<EndSignal> {
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      source.on(signal, () => {
        if (asked) return atOnce(FORCED_EXIT_CODES[signal])
        asked = true
        resolve(signal)
      })
  })
}

/** One step of the shutdown. */
export interface ShutdownStep {
  readonly name: string
  /** The part of the time that is left, above 0 up to 1, which this step may take. */
  readonly share: number
  /** @param milliseconds what the step has; it is not waited for any longer */
  readonly run: (milliseconds: number) => Promise<void>
}

/**
 * Do the steps one after the other within a time for all of them. A step that fails or is late is logged and does not
 * keep the next ones from running: an audit that cannot be written must not leave the store open.
 */
export async function shutDown(steps: readonly ShutdownStep[], timeoutMs: number, log: Log): Promise<void> {
  const end = performance.now() + timeoutMs
  for (const { name, share, run } of steps) {
    const milliseconds = Math.max(0, end - performance.now()) * share
    try {
      if ((await within(milliseconds, run(milliseconds))) === TIMED_OUT)
        log.warn({ step: name, milliseconds: Math.round(milliseconds) }, 'a step of the shutdown was not done in time')
    } catch (err) {
      log.error({ step: name, err }, 'a step of the shutdown failed')
    }
  }
}
