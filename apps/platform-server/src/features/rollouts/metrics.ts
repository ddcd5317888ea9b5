import { Gauge, type Registry } from 'prom-client'
import { RELEASE_STATUSES } from '../releases/model.ts'

/** @param counts releases of all organizations by their status */
export function releaseMetrics(registry: Registry, counts: () => Promise<ReadonlyMap<string, number>>): void {
  const releases: Gauge<'status'> = new Gauge({
    name: 'engine_platform_releases',
    help: 'Releases, by their status.',
    labelNames: ['status'] as const,
    registers: [registry],
    async collect() {
      const found = await counts()
      for (const status of RELEASE_STATUSES) releases.set({ status }, found.get(status) ?? 0)
    },
  })
}
