import { Counter, type Registry } from 'prom-client'

/** Metrics of decisions while the database is unavailable. */
export interface OutageMetrics {
  /** Counts a use of data that the database did not confirm in time. */
  servedStale(of: 'key' | 'project'): void
  /** Counts requests whose counts are lost. */
  droppedCounts(of: 'canary' | 'shadow', requests: number): void
}

export function outageMetrics(registry: Registry): OutageMetrics {
  const registers = [registry]
  const stale = new Counter({
    name: 'engine_platform_proxy_stale_reads_total',
    help: 'API keys and projects that the proxy took from memory because the database did not answer in time.',
    labelNames: ['of'] as const,
    registers,
  })
  const dropped = new Counter({
    name: 'engine_platform_counts_dropped_total',
    help: 'Requests whose counts of canaries and shadows are lost.',
    labelNames: ['of'] as const,
    registers,
  })
  for (const kind of ['key', 'project'] as const) stale.inc({ of: kind }, 0)
  for (const side of ['canary', 'shadow'] as const) dropped.inc({ of: side }, 0)
  return {
    servedStale: (of) => stale.inc({ of }),
    droppedCounts: (of, requests) => dropped.inc({ of }, requests),
  }
}
