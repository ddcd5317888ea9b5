import type { ContentStatistics } from '@engine/api'
import { jsonValue } from '@engine/expression'
import { mergeStatistics } from '../platform/statistics.ts'

/** Milliseconds that are waited for workers; of those that are late the figures of the last time are taken. */
const PATIENCE_MS = 1000

/** Executions by content, of all processes. */
export interface ServerStatistics {
  /** @param own those of this process */
  rows(own: readonly ContentStatistics[]): Promise<readonly ContentStatistics[]>
  /** A worker ended: its last reported counters are kept. */
  ended(worker: number): void
}

/** @param ask requests the workers' rows as JSON; resolves when all have answered, or on timeout */
export function createServerStatistics(
  ask: (milliseconds: number, heard: (worker: number, text: string) => void) => Promise<void>,
): ServerStatistics {
  /** The last answer of each worker. */
  const last = new Map<number, readonly ContentStatistics[]>()
  let past: readonly ContentStatistics[] = []
  return {
    async rows(own) {
      await ask(PATIENCE_MS, (worker, text) => last.set(worker, jsonValue(text) as unknown as ContentStatistics[]))
      return mergeStatistics([own, past, ...last.values()])
    },
    ended(worker) {
      past = mergeStatistics([past, last.get(worker) ?? []])
      last.delete(worker)
    },
  }
}
