import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { SyncMetrics } from '../sync/sync-metrics.ts'
import type { SyncStatus } from '../sync/sync.ts'

/** Buckets for the delay between a change on the writer and its effect on this reader, in seconds. */
const LATENCY_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60]

/** The series `engine_sync_*`. */
export function syncSeries(registry: Registry, status: () => SyncStatus): SyncMetrics {
  const registers = [registry]
  const counter = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `engine_sync_${name}`, help, labelNames, registers })
  const published = counter('published_total', 'Events of this writer accepted by the broker', ['type'])
  const failed = counter('publish_failures_total', 'Failed attempts to publish, which are retried')
  const applied = counter('applied_total', 'Events of the writer that changed something here', ['type'])
  const skipped = counter('skipped_total', 'Events of the writer without effect here', ['reason'])
  const reconciled = counter('reconciliations_total', 'Comparisons with the complete state of the writer', ['reason'])
  const reconnects = counter('reconnects_total', 'Connections to the broker after the first one')
  const conflicts = counter('conflicts_total', 'Changes by another writer')
  const latency = new Histogram({
    name: 'engine_sync_apply_latency_seconds',
    help: 'Time from a change on the writer to its effect here, by both clocks',
    buckets: LATENCY_BUCKETS,
    registers,
  })
  const gauge = (name: string, help: string, value: (now: SyncStatus) => number) => {
    const made: Gauge = new Gauge({
      name: `engine_sync_${name}`,
      help,
      registers,
      collect: () => {
        made.set(value(status()))
      },
    })
  }
  gauge('connected', 'Whether the broker is connected', ({ connected }) => Number(connected))
  gauge('lag_events', 'Events of the writer in transit to this reader', ({ lag_events: lag }) => lag)
  gauge('outbox_events', 'Changes of this writer that the broker has not received yet', ({ outbox }) => outbox)
  gauge('refusals', 'Consecutive attempts to publish that the broker rejected', ({ refusals = 0 }) => refusals)
  gauge(
    'stale_replicas',
    'Replicas of stream and bucket that have lagged for a minute',
    ({ stale_replicas: stale = 0 }) => stale,
  )
  gauge('last_applied_seq', 'Position in the stream', ({ last_applied_seq: seq }) => seq)
  gauge('digest_mismatch', 'Whether the digest of this reader differs from that of the writer', (now) =>
    Number(now.writer_digest !== undefined && now.writer_digest !== now.digest),
  )
  gauge(
    'writer_silent_seconds',
    'Seconds since the last message of the writer, which is sent every 10 s',
    ({ writer_silent_seconds: seconds }) => seconds ?? 0,
  )
  return {
    published: (type) => published.inc({ type }),
    publishFailed: () => failed.inc(),
    applied: (type, seconds) => {
      applied.inc({ type })
      latency.observe(seconds)
    },
    skipped: (reason) => skipped.inc({ reason }),
    reconciled: (reason) => reconciled.inc({ reason }),
    reconnected: () => reconnects.inc(),
    conflict: () => conflicts.inc(),
  }
}
