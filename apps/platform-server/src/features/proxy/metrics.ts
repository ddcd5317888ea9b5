import { Counter, Histogram, type Registry } from 'prom-client'
import { storedGauge } from '../../telemetry/stored-gauge.ts'

/** Upper bounds of the buckets in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The result of a request to the proxy. */
export type ProxyResult = 'answered' | 'retried' | 'unbound' | 'unreachable' | 'late' | 'refused' | 'gone'

const RESULTS: readonly ProxyResult[] = ['answered', 'retried', 'unbound', 'unreachable', 'late', 'refused', 'gone']

export interface ProxyMetrics {
  ended(result: ProxyResult, seconds: number): void
}

/**
 * @param servers engines by their status
 * @param drifted the number of engines whose rulesets differ from the desired ones
 * @param contradicted the number of engines whose receipts contradict an earlier report
 */
export function proxyMetrics(
  registry: Registry,
  servers: () => Promise<Readonly<Record<'online' | 'degraded' | 'offline', number>>>,
  drifted: () => Promise<number>,
  contradicted: () => Promise<number>,
): ProxyMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'engine_platform_proxy_requests_total',
    help: 'Requests to engines, by how they ended; `retried`: answered by a backup; `refused`: the answer was not passed on.',
    labelNames: ['result'] as const,
    registers,
  })
  const durations = new Histogram({
    name: 'engine_platform_proxy_duration_seconds',
    help: 'Time of requests to engines.',
    buckets: BUCKETS,
    registers,
  })
  for (const result of RESULTS) requests.inc({ result }, 0)
  storedGauge(registry, {
    name: 'engine_platform_servers',
    help: 'Engines, by their status.',
    labelNames: ['status'],
    read: servers,
    set(gauge, found) {
      for (const [status, count] of Object.entries(found)) gauge.set({ status }, count)
    },
  })
  storedGauge(registry, {
    name: 'engine_platform_servers_drifted',
    help: 'Engines that have held other rulesets than they should for longer than a minute.',
    read: drifted,
    set: (gauge, count) => gauge.set(count),
  })
  storedGauge(registry, {
    name: 'engine_platform_servers_receipts_contradicted',
    help: 'Engines whose receipts contradict a checkpoint that they reported before.',
    read: contradicted,
    set: (gauge, count) => gauge.set(count),
  })
  return {
    ended(result, seconds) {
      requests.inc({ result })
      durations.observe(seconds)
    },
  }
}
