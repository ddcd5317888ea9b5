import { stringifyJson, type Value } from '@engine/expression'
import type { Selectable } from 'kysely'
import type { Author } from '../../database/audit.ts'
import type { Change } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import type { ReleaseStatus, Tables } from '../../database/tables.ts'
import type { EventType } from '../webhooks/events.ts'
import { enqueueReleaseEvent } from '../webhooks/enqueue.ts'
import type { ReleaseEvent } from './model.ts'

export type ReleaseRow = Selectable<Tables['releases']>
export type EventRow = Selectable<Tables['release_events']>

/** Woken by each event of a release: listeners continue reading from their last number. */
export const releaseTopic = (id: string) => `release:${id}`

/** Something that happened to a release. */
export interface Happening {
  readonly type: EventType
  readonly actor: Author['actor']
  /** The status of the release afterwards. */
  readonly status: ReleaseStatus
  readonly executionId?: string | undefined
  /** Name. */
  readonly environment?: string | undefined
  readonly serverId?: string | undefined
  readonly data?: Readonly<Record<string, Value>> | undefined
}

/**
 * Stores an event under the next number of the release, enqueues its webhook messages, and wakes the listeners, all in
 * the transaction of the change. The number is taken under the lock of the release's row, which is held until the
 * commit: no event becomes visible after one with a higher number.
 */
export async function appendEvent(
  change: Pick<Change, 'scope' | 'wake'>,
  release: Pick<ReleaseRow, 'id' | 'project_id' | 'number' | 'title' | 'kind'>,
  { type, actor, status, executionId, environment, serverId, data = {} }: Happening,
): Promise<EventRow> {
  const { scope, wake } = change
  const { event_seq: seq } = await scope
    .update('releases')
    .set((eb) => ({ event_seq: eb('event_seq', '+', 1) }))
    .where('id', '=', release.id)
    .returning('event_seq')
    .executeTakeFirstOrThrow()
  const row = await scope
    .insert('release_events', {
      release_id: release.id,
      seq,
      execution_id: executionId ?? null,
      type,
      status,
      environment: environment ?? null,
      server_id: serverId ?? null,
      actor: stringifyJson({ type: actor.type, id: actor.id, name: actor.name }),
      data: stringifyJson(data),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await enqueueReleaseEvent(change, {
    id: seq,
    type,
    at: row.at,
    release: { ...release, status },
    project: await projectNamed(scope, release.project_id),
    execution_id: row.execution_id,
    environment,
    server_id: serverId,
    actor,
    data,
  })
  await wake(releaseTopic(release.id))
  return row
}

function projectNamed(scope: Scope, id: string) {
  return scope
    .read('projects')
    .selectFrom('projects')
    .select(['org_id', 'id', 'name'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** An event in the form of the interface. */
export function eventOf(row: EventRow): ReleaseEvent {
  const { seq, release_id, execution_id, type, at, status, environment, server_id, actor, data } = row
  return {
    id: seq,
    release_id,
    execution_id,
    // Written only by `appendEvent`.
    type: type as EventType,
    at: at.toISOString(),
    status,
    ...(environment === null ? {} : { environment }),
    ...(server_id === null ? {} : { server_id }),
    actor,
    data,
  }
}
