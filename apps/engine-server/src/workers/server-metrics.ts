import { addEnded, type Exposition, forgetRuleset, mergeExpositions, parseExposition } from './metrics-merge.ts'

/** Timeout for answers of workers; for late workers the previous values are used. */
const RESPONSE_TIMEOUT_MS = 1000

/** The answer to `/metrics`: the metrics of all processes. */
export interface ServerMetrics {
  /** @param own metrics of this process, as text */
  text(own: string): Promise<string>
  /** A worker ended: its counters are kept. */
  ended(worker: number): void
  /** A ruleset was deleted. */
  forget(ruleset: string, tenant: string | undefined): void
}

/** @param ask requests the workers' metrics; resolves when all have answered, or on timeout */
export function createServerMetrics(
  ask: (milliseconds: number, heard: (worker: number, text: string) => void) => Promise<void>,
): ServerMetrics {
  /** The latest answer of each worker. */
  const last = new Map<number, Exposition>()
  const past: Exposition = new Map()
  return {
    async text(own) {
      await ask(RESPONSE_TIMEOUT_MS, (worker, said) => last.set(worker, parseExposition(said)))
      const workers = Array.from(last, ([worker, families]) => ({ worker: String(worker), families }))
      const sorted = workers.sort((left, right) => Number(left.worker) - Number(right.worker))
      return mergeExpositions({ worker: 'owner', families: parseExposition(own) }, sorted, past)
    },
    ended(worker) {
      const families = last.get(worker)
      if (families === undefined) return
      last.delete(worker)
      addEnded(past, families)
    },
    forget(ruleset, tenant) {
      for (const families of [past, ...last.values()]) forgetRuleset(families, ruleset, tenant)
    },
  }
}
