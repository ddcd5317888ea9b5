import type { Value } from '@engine/expression'

/** The types of release events (platform contract 5) to which a webhook may subscribe; `*` means all. */
export const EVENT_TYPES = [
  'release_created',
  'release_reviewed',
  'release_cancelled',
  'comment_added',
  'execution_started',
  'execution_paused',
  'execution_resumed',
  'execution_cancelled',
  'execution_failed',
  'execution_completed',
  'preflight_passed',
  'environment_started',
  'environment_completed',
  'stage_started',
  'stage_verdict',
  'stage_passed',
  'server_state',
  'rollback_started',
  'rollback_completed',
  'rollback_failed',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** The type of the message that `POST …/test` sends. */
export const TEST_EVENT = 'webhook_test'

/** An event for webhooks. */
export interface WebhookEvent {
  readonly type: EventType | typeof TEST_EVENT
  readonly at: Date
  /** One sentence, for people. */
  readonly summary: string
  /** For programs. */
  readonly data: { readonly [name: string]: Value }
}
