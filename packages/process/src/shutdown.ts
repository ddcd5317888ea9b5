import { performance } from 'node:perf_hooks'
import { TIMED_OUT, within } from './deadline.ts'
import type { Log } from './log.ts'

/** The signals that stop the program. */
export type EndSignal = 'SIGTERM' | 'SIGINT'

/** Exit codes as in shells: 128 plus the number of the signal. */
const FORCED_EXIT_CODES: Readonly<Record<EndSignal, number>> = { SIGINT: 130, SIGTERM: 143 }

/** The part of `process` used for signals. */
export interface SignalSource {
  on(signal: EndSignal | 'SIGHUP', listener: () => void): unknown
}

/**
 * Waits for the first signal. A second signal calls `atOnce` with its exit code: a user who presses Ctrl-C twice does
 * not want to wait.
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
  /** The fraction of the remaining time, greater than 0 and at most 1, that this step may take. */
  readonly share: number
  /** @param milliseconds the time limit of the step, after which it is no longer awaited */
  readonly run: (milliseconds: number) => Promise<void>
}

/**
 * Runs the steps in order within a total time limit. A step that fails or times out is logged and does not prevent the
 * next ones: an audit that cannot be written must not leave the store open.
 */
export async function shutDown(steps: readonly ShutdownStep[], timeoutMs: number, log: Log): Promise<void> {
  const end = performance.now() + timeoutMs
  for (const { name, share, run } of steps) {
    const milliseconds = Math.max(0, end - performance.now()) * share
    try {
      if ((await within(milliseconds, run(milliseconds))) === TIMED_OUT)
        log.warn({ step: name, milliseconds: Math.round(milliseconds) }, 'a shutdown step timed out')
    } catch (err) {
      log.error({ step: name, err }, 'a shutdown step failed')
    }
  }
}
