import { Counter, type Registry } from 'prom-client'

/** The result of an attempt: `failed` is retried, `given_up` is not. */
const RESULTS = ['delivered', 'failed', 'given_up'] as const
export type DeliveryResult = (typeof RESULTS)[number]

export interface DeliveryMetrics {
  ended(result: DeliveryResult): void
}

export function deliveryMetrics(registry: Registry): DeliveryMetrics {
  const deliveries = new Counter({
    name: 'engine_platform_webhook_deliveries_total',
    help: 'Attempts to bring messages to webhooks; `failed`: made again later; `given_up`: the last one.',
    labelNames: ['result'] as const,
    registers: [registry],
  })
  for (const result of RESULTS) deliveries.inc({ result }, 0)
  return { ended: (result) => deliveries.inc({ result }) }
}
