import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Database } from '../../database/database.ts'
import { type EventStreams, lastEventId, numberOfEvent } from '../../http/event-stream.ts'
import { limitOf, ListOf, PLAIN_LIST } from '../../resources/pagination.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { eventOf } from '../releases/events.ts'
import { ReleaseEvent } from '../releases/model.ts'
import { group, ONE } from '../releases/release-scope.ts'
import { type AtExecution, atExecution } from './execution-scope.ts'
import { eventsAfter, executionEvents, finalEvent } from './stream.ts'

/** The dependencies of the stream of an execution. */
interface EventParts {
  readonly database: Database
  readonly events: EventStreams
}

const EVENT_QUERY = {
  last_event_id: Type.String({ description: 'the number after which to begin, as `last-event-id`' }),
  limit: PLAIN_LIST['limit'] ?? Type.Integer(),
  cursor: PLAIN_LIST['cursor'] ?? Type.String(),
}

/** The events of an execution, as a stream or a list. */
export function eventRoute({ database, events }: EventParts): Route {
  const within = inProject(database)
  return memberRoute({
    method: 'GET',
    path: `${ONE}/executions/:eid/events`,
    right: 'member',
    summary: 'Stream the events of an execution',
    group,
    within,
    find: atExecution,
    query: EVENT_QUERY,
    headers: { 'last-event-id': 'the number of the last event that was seen', accept: '`application/json`: a list' },
    produces: 'text/event-stream',
    answers: { 200: ReleaseEvent, 204: Type.Null() },
    otherAnswers: { 'application/json': ListOf(ReleaseEvent, 'ReleaseEventList') },
    async handle(asked) {
      const { raw, response, caller, place, found, query, params, progress } = asked
      const { scope } = place.member
      const after = numberOfEvent(lastEventId(raw, query))
      if (wantsList(raw.headers.accept)) return json(200, await listOf(scope, found, query, after))
      if (after > 0 && after === (await finalEvent(scope, found.execution))) return { status: 204 }
      const admit = async () => void (await within(caller, params))
      return events({ raw, response, caller, progress, admit }, executionEvents(scope, found.execution, after))
    },
  })
}

/** Clients that accept JSON but no event stream get the list. */
const wantsList = (accept = '') => accept.includes('application/json') && !accept.includes('text/event-stream')

async function listOf(
  scope: InProject['member']['scope'],
  { execution }: AtExecution,
  query: URLSearchParams,
  after: number,
) {
  const limit = limitOf(query.get('limit'))
  const cursor = query.get('cursor')
  const rows = await eventsAfter(scope, execution, cursor === null ? after : numberOfEvent(cursor, 'cursor'), limit + 1)
  const shown = rows.slice(0, limit)
  return { items: shown.map(eventOf), next_cursor: rows.length > limit ? String(shown.at(-1)?.seq) : null }
}
