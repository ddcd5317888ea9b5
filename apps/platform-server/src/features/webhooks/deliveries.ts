import type { Log } from '@engine/process'
import type { Kysely, Selectable } from 'kysely'
import type { SecretBox } from '../../access/secret-box.ts'
import type { Database } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { startLeasedWork } from '../../jobs/leased-work.ts'
import { VERSION } from '../../version.ts'
import { contentTypeOf, signatureHeaders } from './message.ts'
import type { DeliveryMetrics, DeliveryResult } from './metrics.ts'
import { secretPurpose } from './secret-purpose.ts'
import type { Outcome, Sender } from './sender.ts'

export interface DeliveryParts {
  readonly database: Database
  readonly secretBox: SecretBox
  readonly sender: Sender
  readonly metrics: DeliveryMetrics
  readonly log: Log
}

/** Delivers messages to webhooks. Each message is delivered by one replica at a time. */
export interface Deliveries {
  /**
   * Makes the attempt to deliver a message that was stored with `claimedColumns`. Resolves when its outcome is stored.
   */
  attempt(claimed: Claimed): Promise<void>
  /**
   * Resolves when no attempt is running; interrupted attempts are repeated, by another replica or after the next start.
   */
  stop(): Promise<void>
}

/** Woken when there is a new message. */
export const DELIVERIES_TOPIC = 'webhook-deliveries'

/** Delay before the retry after each failed attempt; the last attempt has none (platform contract 10.13). */
const RETRY_DELAYS_MS = [5, 30, 300, 3600, 21_600].map((seconds) => seconds * 1000)
/** Maximum number of concurrent attempts, and interval of polls for due messages. */
const MAX_CONCURRENT_ATTEMPTS = 16
const POLL_INTERVAL_MS = 5000
/** Lease of an attempt: longer than any attempt takes. */
const LEASE_MS = 30_000

/** Columns of a new message whose first attempt the replica that stores it makes itself. */
export const claimedColumns = () => ({ fence: 1, next_at: new Date(Date.now() + LEASE_MS) })

/** A message whose attempt this replica makes. */
export type Claimed = Pick<
  Selectable<Tables['webhook_deliveries']>,
  'org_id' | 'id' | 'webhook_id' | 'body' | 'attempt' | 'fence'
>

export function startDeliveries(parts: DeliveryParts): Deliveries {
  const { database, log } = parts
  const { tables } = database.unscoped
  // Also aborts attempts started by a request.
  const stopping = new AbortController()
  const attempt = createAttempts(parts, stopping.signal)
  const worker = startLeasedWork<Claimed>(
    {
      claim: () => claimDue(tables),
      perform: (claimed) => attempt(claimed, false),
      topic: DELIVERIES_TOPIC,
      pauseMs: () => POLL_INTERVAL_MS,
      retryDelayMs: POLL_INTERVAL_MS,
      ended(err) {
        if (err !== undefined) log.warn({ err }, 'messages to webhooks cannot be looked for in the database')
      },
    },
    database.wakes,
  )
  return {
    attempt: (claimed) => attempt(claimed, true),
    stop() {
      stopping.abort()
      return worker.stop()
    },
  }
}

/** Claims due messages for this replica, oldest first. */
async function claimDue(tables: Kysely<Tables>): Promise<readonly Claimed[]> {
  const now = new Date()
  return tables
    .updateTable('webhook_deliveries')
    .set((eb) => ({ fence: eb('fence', '+', 1), next_at: new Date(now.getTime() + LEASE_MS) }))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .limit(MAX_CONCURRENT_ATTEMPTS)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['org_id', 'id', 'webhook_id', 'body', 'attempt', 'fence'])
    .execute()
}

/** Makes attempts; `isAsked` also makes one for a disabled webhook. */
function createAttempts(
  { database, secretBox, sender, metrics, log }: DeliveryParts,
  stopping: AbortSignal,
): (claimed: Claimed, isAsked: boolean) => Promise<void> {
  const { tables } = database.unscoped
  return attempt

  async function attempt(claimed: Claimed, isAsked: boolean): Promise<void> {
    const webhook = await tables
      .selectFrom('webhooks')
      .select(['url', 'enabled', 'secret_encrypted'])
      .where('org_id', '=', claimed.org_id)
      .where('id', '=', claimed.webhook_id)
      .executeTakeFirst()
    if (webhook === undefined) return
    if (!webhook.enabled && !isAsked) return drop(claimed)
    const outcome = await sent(claimed, webhook)
    if (outcome === undefined) await giveBack(claimed)
    else await settle(claimed, outcome, !webhook.enabled)
  }

  async function sent(
    { id, webhook_id, body }: Claimed,
    { url, secret_encrypted }: Pick<Selectable<Tables['webhooks']>, 'url' | 'secret_encrypted'>,
  ): Promise<Outcome | undefined> {
    let secret: string
    try {
      secret = secretBox.decrypt(secret_encrypted, secretPurpose(webhook_id))
    } catch (error) {
      return { status: null, reason: error instanceof Error ? error.message : String(error) }
    }
    const headers = {
      'content-type': contentTypeOf(body),
      'user-agent': `engine-platform/${VERSION}`,
      ...signatureHeaders(secret, id, new Date(), body),
    }
    return sender.send({ url, headers, body }, stopping)
  }

  /** @param isLast no further attempt follows, whatever the outcome */
  async function settle(claimed: Claimed, { status, reason }: Outcome, isLast: boolean): Promise<void> {
    const isDone = status !== null && status >= 200 && status < 300
    const wait = isLast ? undefined : RETRY_DELAYS_MS[claimed.attempt]
    const result: DeliveryResult = isDone ? 'delivered' : wait === undefined ? 'given_up' : 'failed'
    metrics.ended(result)
    if (!isDone)
      log.warn({ webhook: claimed.webhook_id, delivery: claimed.id, status, reason }, 'a webhook took no message')
    await ownRow(claimed)
      .set({
        attempt: claimed.attempt + 1,
        status: isDone ? 'success' : wait === undefined ? 'failed' : 'pending',
        response_status: status,
        next_at: isDone || wait === undefined ? null : new Date(Date.now() + wait),
        updated_at: new Date(),
      })
      .execute()
  }

  /** Drops a message whose webhook was disabled while it waited. */
  async function drop(claimed: Claimed): Promise<void> {
    metrics.ended('given_up')
    await ownRow(claimed).set({ status: 'failed', next_at: null, updated_at: new Date() }).execute()
  }

  async function giveBack(claimed: Claimed): Promise<void> {
    await ownRow(claimed).set({ next_at: new Date() }).execute()
  }

  function ownRow({ org_id, id, fence }: Claimed) {
    return tables
      .updateTable('webhook_deliveries')
      .where('org_id', '=', org_id)
      .where('id', '=', id)
      .where('fence', '=', fence)
  }
}
