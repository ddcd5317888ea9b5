import type { Registry } from 'prom-client'
import { storedGauge } from '../../telemetry/stored-gauge.ts'
import { RELEASE_STATUSES } from '../releases/model.ts'

/** @param counts releases of all organizations by their status */
export function releaseMetrics(registry: Registry, counts: () => Promise<ReadonlyMap<string, number>>): void {
  storedGauge(registry, {
    name: 'engine_platform_releases',
    help: 'Releases, by their status.',
    labelNames: ['status'],
    read: counts,
    set(releases, found) {
      for (const status of RELEASE_STATUSES) releases.set({ status }, found.get(status) ?? 0)
    },
  })
}
