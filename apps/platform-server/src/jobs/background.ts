import type { Log } from '@engine/process'

/** Work that continues after its request was answered, so that response times do not reveal its duration. */
export interface Background {
  /** An error is logged. */
  run(what: string, work: () => Promise<void>): void
  /** Resolves when all work is done. */
  settled(): Promise<void>
}

export function createBackground(log: Log): Background {
  const running = new Set<Promise<void>>()
  return {
    run(what, work) {
      const done = work()
        .catch((err: unknown) => log.error({ err }, `${what} failed`))
        .finally(() => running.delete(done))
      running.add(done)
    },
    async settled() {
      await Promise.all(running)
    },
  }
}
