import { Counter, Gauge, type Registry } from 'prom-client'

/** The current state of the link to the platform. */
export interface LinkFigures {
  readonly isRegistered: boolean
  readonly silentSeconds: number
  readonly owned: number
  readonly problems: number
}

/** Counts events on the link to the platform. */
export interface LinkMetrics {
  delivered(result: 'applied' | 'unchanged' | 'refused' | 'failed'): void
  failed(): void
}

/** The series `engine_link_*`, for an engine with a platform. */
export function linkSeries(registry: Registry, figures: () => LinkFigures): LinkMetrics {
  const registers = [registry]
  const deliveries = new Counter({
    name: 'engine_link_deliveries_total',
    help: 'Rulesets that the platform assigned to this engine, by outcome',
    labelNames: ['result'],
    registers,
  })
  const failures = new Counter({
    name: 'engine_link_failures_total',
    help: 'Failed attempts to reach the platform, which are retried',
    registers,
  })
  for (const result of ['applied', 'unchanged', 'refused', 'failed']) deliveries.inc({ result }, 0)
  const gauge = (name: string, help: string, value: (now: LinkFigures) => number) => {
    const made: Gauge = new Gauge({
      name: `engine_link_${name}`,
      help,
      registers,
      collect: () => {
        made.set(value(figures()))
      },
    })
  }
  gauge('registered', 'Whether the platform knows this engine', ({ isRegistered }) => Number(isRegistered))
  gauge('silent_seconds', 'Seconds since the last answer of the platform', ({ silentSeconds }) => silentSeconds)
  gauge('owned_rulesets', 'Rulesets that the platform delivers', ({ owned }) => owned)
  gauge('problems', 'Rulesets of the platform that could not be applied', ({ problems }) => problems)
  return { delivered: (result) => deliveries.inc({ result }), failed: () => failures.inc() }
}
