import type { ContentStatistics } from '@engine/api'
import { jsonValue } from '@engine/expression'
import { mergeStatistics } from '../platform/statistics.ts'

/** Timeout for answers of workers; for late workers the previous values are used. */
const RESPONSE_TIMEOUT_MS = 1000

/** Executions by content, over all processes. */
export interface ServerStatistics {
  /** @param own rows of this process */
  rows(own: readonly ContentStatistics[]): Promise<readonly ContentStatistics[]>
  /** A worker ended: its last reported counters are kept. */
  ended(worker: number): void
}

/** @param ask requests the workers' rows as JSON; resolves when all have answered, or on timeout */
export function createServerStatistics(
  ask: (milliseconds: number, heard: (worker: number, text: string) => void) => Promise<void>,
): ServerStatistics {
  /** The latest answer of each worker. */
  const last = new Map<number, readonly ContentStatistics[]>()
  let past: readonly ContentStatistics[] = []
  return {
    async rows(own) {
      await ask(RESPONSE_TIMEOUT_MS, (worker, text) =>
        last.set(worker, jsonValue(text) as unknown as ContentStatistics[]),
      )
      return mergeStatistics([own, past, ...last.values()])
    },
    ended(worker) {
      past = mergeStatistics([past, last.get(worker) ?? []])
      last.delete(worker)
    },
  }
}
