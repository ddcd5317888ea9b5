import { dieBy, exitProcess, withNpx } from './process-end.ts'
import type { Surroundings } from './serve.ts'
import type { Watchdog } from './watchdog.ts'

/** The process environment of `serve`: signals, output, exit. */
export function thisProcess(watchdog: Watchdog): Surroundings {
  return {
    signals: process,
    print: (text) => process.stdout.write(text),
    complain: (text) => process.stderr.write(text),
    exit: exitProcess,
    die: dieBy,
    watchdog,
    orphaned: withNpx(),
  }
}
