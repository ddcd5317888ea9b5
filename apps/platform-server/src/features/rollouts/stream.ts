import type { Scope } from '../../database/scope.ts'
import type { EventSource } from '../../http/event-stream.ts'
import { eventOf, type EventRow, releaseTopic } from '../releases/events.ts'
import type { ReleaseEvent } from '../releases/model.ts'
import type { ExecutionRow } from './rollout-state.ts'

/** Maximum number of events per read: events are not buffered for a slow reader. */
const MAX_EVENTS_PER_READ = 200

/** Events of an execution after a number, in their order; one more than the limit is read, to detect further events. */
export async function eventsAfter(
  scope: Scope,
  { id, release_id }: Pick<ExecutionRow, 'id' | 'release_id'>,
  after: number,
  limit: number,
): Promise<readonly EventRow[]> {
  return scope
    .read('release_events')
    .selectFrom('release_events')
    .selectAll()
    .where('release_id', '=', release_id)
    .where('execution_id', '=', id)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** The number of the last event of an execution that has ended; undefined if it is still running. */
export async function finalEvent(scope: Scope, execution: ExecutionRow): Promise<number | undefined> {
  if (execution.ended_at === null) return undefined
  const last = await scope
    .read('release_events')
    .selectFrom('release_events')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .where('release_id', '=', execution.release_id)
    .where('execution_id', '=', execution.id)
    .executeTakeFirstOrThrow()
  return last.seq ?? 0
}

/**
 * The events of an execution after a number. A wake-up only signals possible events; they are read by their numbers,
 * which increase by one in the order in which they become visible, so that none is lost or sent twice, whichever
 * replica reads them.
 */
export function executionEvents(scope: Scope, { id, release_id }: ExecutionRow, after: number): EventSource {
  let last = after
  return {
    topics: [releaseTopic(release_id)],
    async next() {
      // Read before the events: an event added later is not the last one.
      const execution = await scope
        .read('release_executions')
        .selectFrom('release_executions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      if (execution === undefined) return { events: [], isLast: true }
      const final = await finalEvent(scope, execution)
      const rows = await eventsAfter(scope, { id, release_id }, last, MAX_EVENTS_PER_READ)
      last = rows.at(-1)?.seq ?? last
      return { events: rows.map(streamed), isLast: final !== undefined && last >= final }
    },
  }
}

const streamed = (row: EventRow) => {
  const event: ReleaseEvent = eventOf(row)
  return { id: event.id, type: event.type, data: event }
}
