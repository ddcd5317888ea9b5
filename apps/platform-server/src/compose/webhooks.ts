import { createEgress, parseHostPattern } from '@engine/egress'
import type { Log, ShutdownList } from '@engine/process'
import type { SecretBox } from '../access/secret-box.ts'
import type { Configuration } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { type Deliveries, startDeliveries } from '../features/webhooks/deliveries.ts'
import { deliveryMetrics } from '../features/webhooks/metrics.ts'
import { createSender, type Sender } from '../features/webhooks/sender.ts'
import type { Metrics } from '../telemetry/metrics.ts'

interface WebhookParts {
  readonly database: Database
  readonly secretBox: SecretBox
  readonly metrics: Metrics
  readonly log: Log
}

/** The sender of webhook messages: to public addresses, and to others that the configuration allows. */
export function composeWebhooks(
  { webhookAllow }: Pick<Configuration, 'webhookAllow'>,
  { metrics, ...parts }: WebhookParts,
  shutdown: ShutdownList,
): { readonly sender: Sender; readonly deliveries: Deliveries } {
  const sender = createSender(createEgress('public', webhookAllow.map(parseHostPattern), '--webhook-allow'))
  shutdown.add('connections to webhooks', 0.5, () => sender.close())
  const deliveries = startDeliveries({ ...parts, sender, metrics: deliveryMetrics(metrics.registry) })
  shutdown.add('messages to webhooks', 0.5, () => deliveries.stop())
  return { sender, deliveries }
}
