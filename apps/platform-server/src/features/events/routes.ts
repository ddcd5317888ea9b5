import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Database } from '../../database/database.ts'
import { type EventStreams, lastEventId } from '../../http/event-stream.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { atDraft, ONE } from '../drafts/view.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { Presence, PresenceRequest } from './model.ts'
import { presentIn, renewPresence } from './presence.ts'
import { projectEvents } from './project-events.ts'
import { rulesetEvents } from './ruleset-events.ts'

const group = 'Events'

const STREAM = {
  group,
  right: 'member',
  headers: { 'last-event-id': 'id of the last event that the client has; the stream goes on behind it' },
  query: { last_event_id: Type.String({ maxLength: 64, description: 'the same, for a first request' }) },
  produces: 'text/event-stream',
  answers: { 200: Type.String({ description: 'server-sent events' }) },
} as const

/** Routes of live event streams. */
export function eventRoutes(database: Database, stream: EventStreams): readonly Route[] {
  const within = inProject(database)
  return atBothPaths([
    memberRoute({
      ...STREAM,
      method: 'GET',
      path: '/api/v1/orgs/:oid/projects/:pid/events',
      summary: 'Stream the changes in a project and the presence at its rulesets: `changed`, `presence`, `reset`',
      within,
      handle: (asked) =>
        stream(
          asked,
          projectEvents(
            asked.place.member.scope,
            asked.place.project.id,
            asked.caller,
            lastEventId(asked.raw, asked.query),
          ),
        ),
    }),
    memberRoute({
      ...STREAM,
      method: 'GET',
      path: `${ONE}/events`,
      summary: 'Stream the saves of a ruleset and the presence at its steps: `draft_saved`, `presence`',
      within,
      find: atDraft,
      handle: async (asked) =>
        stream(asked, rulesetEvents(asked.place.member.scope, asked.found, lastEventId(asked.raw, asked.query))),
    }),
    memberRoute({
      method: 'PUT',
      path: `${ONE}/presence`,
      right: 'member',
      summary: 'Set the step at which the caller is present, for 45 s',
      group,
      within,
      find: atDraft,
      body: PresenceRequest,
      answers: { 200: Presence },
      async handle({ place: { member, project }, found, caller, body }) {
        await renewPresence(database, member, found, caller, body.step_id)
        const present = (await presentIn(member.scope, project.id, found.id)).get(found.id)
        return json(200, present ?? { ruleset: found.name, present: [] })
      },
    }),
  ])
}
