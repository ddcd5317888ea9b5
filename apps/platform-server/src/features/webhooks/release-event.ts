import type { Value } from '@engine/expression'
import type { EventType, WebhookEvent } from './events.ts'

/** An event of a release with the names that a person needs to understand it. */
export interface ReleaseTold {
  /** Number of the event in the release. */
  readonly id: number
  readonly type: EventType
  readonly at: Date
  readonly release: {
    readonly id: string
    readonly number: number
    readonly title: string
    readonly kind: 'release' | 'rollback'
    /** Status after the event. */
    readonly status: string
  }
  readonly project: { readonly org_id: string; readonly id: string; readonly name: string }
  readonly execution_id: string | null
  /** Name of the environment; undefined if the event has none. */
  readonly environment?: string | undefined
  readonly server_id?: string | undefined
  readonly actor: { readonly type: string; readonly id: string; readonly name: string }
  /** Data as in the event stream of the execution. */
  readonly data: { readonly [name: string]: Value }
}

/** Converts an event for webhooks: a sentence for people, data for programs. */
export function webhookEventOf(told: ReleaseTold): WebhookEvent {
  const { id, type, at, release, project, execution_id, environment, server_id, actor, data } = told
  return {
    type,
    at,
    summary: `${project.name}: ${SENTENCES[type](told)}`,
    data: {
      org_id: project.org_id,
      project_id: project.id,
      project_name: project.name,
      release_id: release.id,
      number: release.number,
      title: release.title,
      kind: release.kind,
      status: release.status,
      event_id: id,
      execution_id,
      environment: environment ?? null,
      server_id: server_id ?? null,
      actor: { type: actor.type, id: actor.id, name: actor.name },
      data,
    },
  }
}

/** A sentence for each event, for chats. */
const SENTENCES: Readonly<Record<ReleaseTold['type'], (told: ReleaseTold) => string>> = {
  release_created: (told) =>
    `${told.actor.name} created ${named(told)}${told.release.status === 'pending_approval' ? ', which waits for approval' : ', which needs no approval'}.`,
  release_reviewed: (told) => reviewed(told),
  release_cancelled: (told) => `${told.actor.name} cancelled ${named(told)}.`,
  comment_added: (told) => `${told.actor.name} commented on ${named(told)}: ${oneLine(textOf(told, 'text') ?? '')}`,
  execution_started: (told) => `${named(told)} is being executed, started by ${told.actor.name}${emergency(told)}.`,
  execution_paused: (told) => `${named(told)} is paused${before(told)}${because(told)}.`,
  execution_resumed: (told) => `${told.actor.name} resumed ${named(told)}.`,
  execution_cancelled: (told) => `${told.actor.name} aborted ${named(told)}; the content before it stays live.`,
  execution_failed: (told) => `${named(told)} failed${at(told)}${because(told)}.`,
  execution_completed: (told) => `${named(told)} is completed: it is live in all of its environments.`,
  preflight_passed: (told) => `${named(told)} passed the checks before its delivery${at(told)}.`,
  environment_started: (told) => `${named(told)} has reached ${told.environment ?? 'its next environment'}.`,
  environment_completed: (told) => `${named(told)} is live${at(told)}.`,
  stage_started: (told) => `${named(told)} gets ${percentOf(told)} of the requests${at(told)}.`,
  stage_verdict: (told) =>
    `The canary of ${named(told)}${at(told)} says: ${textOf(told, 'decision') ?? 'no decision'}.`,
  stage_passed: (told) => `${named(told)} passed a stage of its canary${at(told)}.`,
  server_state: (told) =>
    `A server${at(told)} went from ${textOf(told, 'from') ?? 'no state'} to ${textOf(told, 'to') ?? 'no state'} in ${named(told)}${because(told)}.`,
  rollback_started: (told) => `${named(told)} is being rolled back, started by ${told.actor.name}${because(told)}.`,
  rollback_completed: (told) => `${named(told)} is rolled back: the content before it is live again.`,
  rollback_failed: (told) => `The rollback of ${named(told)} failed${because(told)}.`,
}

/** Also used at the start of sentences, hence the same wording in both positions. */
const named = ({ release: { number, title, kind } }: ReleaseTold) =>
  `${kind === 'rollback' ? 'Rollback' : 'Release'} #${number} “${title}”`

const at = ({ environment }: ReleaseTold) => (environment === undefined ? '' : ` in ${environment}`)

const before = ({ environment }: ReleaseTold) => (environment === undefined ? '' : ` at ${environment}`)

/** A chat shows the text within a sentence. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** A text of the data; undefined if there is none. */
function textOf({ data }: ReleaseTold, name: string): string | undefined {
  const value = data[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The reason of an event on one line, since a chat shows it within a sentence. */
function because(told: ReleaseTold): string {
  const reason = textOf(told, 'reason') ?? textOf(told, 'error')
  return reason === undefined ? '' : `: ${reason.replaceAll(/\s+/g, ' ').replace(/(?<![.\s])[.\s]+$/, '')}`
}

function emergency(told: ReleaseTold): string {
  const reason = textOf(told, 'emergency_reason')
  return reason === undefined ? '' : ` in a freeze window (${reason.replaceAll(/\s+/g, ' ')})`
}

function percentOf({ data }: ReleaseTold): string {
  const { percent } = data
  return typeof percent === 'number' ? `${percent} %` : 'a share'
}

/** A review, or the finding that the approvals no longer suffice. */
function reviewed(told: ReleaseTold): string {
  const { actor, release } = told
  if (release.status === 'rejected') return `${actor.name} rejected ${named(told)}${because(told)}.`
  if (release.status === 'approved') return `${actor.name} approved ${named(told)}: it can be executed.`
  return textOf(told, 'decision') === 'approved'
    ? `${actor.name} approved ${named(told)}, which waits for further approvals.`
    : `${named(told)} waits for approval again.`
}
