import { Type } from 'typebox'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { asResponseError, failures } from '../../errors.ts'
import { type EventSource, type EventStreams, lastEventId, numberOfEvent } from '../../http/event-stream.ts'
import { json } from '../../http/json-response.ts'
import { Empty, memberRoute, type Route } from '../../http/route.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { listed, ListOf, listQuery, pageOf } from '../../resources/pagination.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { Replay, ReplayReport, ReplayRequest } from './model.ts'
import { replayBy, replayOf, type ReplayRow, replaysOn, replayTopic, reportOf } from './repository.ts'
import { createReplay, deleteReplay } from './service.ts'

interface ReplayParts {
  readonly database: Database
  readonly compute: Compute
  readonly events: EventStreams
  readonly basePath: string
}

const group = 'Replays'
const SORTS = ['created_at'] as const

/**
 * Jobs that repeat recorded decisions. Results contain recorded inputs, so all routes require the right to read these.
 */
export function replayRoutes({ database, compute, events, basePath }: ReplayParts): readonly Route[] {
  const within = inProject(database)
  const all = '/api/v1/orgs/:oid/projects/:pid/replays'
  const find = async (
    { member, project }: InProject,
    { id = '' }: Readonly<Record<string, string>>,
    caller: Caller,
  ): Promise<ReplayRow> => {
    const row = await replayBy(member.scope, project.id, id)
    if (!reachesEnvironment(caller, row.environment)) throw failures.notFound('replay', id)
    return row
  }
  return atBothPaths([
    memberRoute({
      method: 'GET',
      path: all,
      right: 'audit.read',
      summary: 'List replays, including ended ones',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Replay, 'ReplayList') },
      async handle({ place: { member, project }, caller, query }) {
        const page = pageOf(query, SORTS)
        const rows = await replaysOn(member.scope, project.id, page, caller.kind === 'key' ? caller.environments : null)
        return json(
          200,
          listed(rows, page, ({ created_at }) => created_at, replayOf),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: all,
      right: 'audit.read',
      summary: 'Start a replay: make recorded decisions again, by a save or a release and by the live content',
      group,
      within,
      body: ReplayRequest,
      answers: { 201: Replay },
      answerHeaders: { 201: LOCATION },
      hasConflicts: true,
      async handle(asked) {
        const { place, body } = asked
        const replay = await createReplay(actingIn(database, asked), compute, body)
        const { org_id, id } = place.project
        const path = `${basePath}/api/v1/orgs/${org_id}/projects/${id}/replays/${replay.id}`
        const { headers, ...answer } = created(replay, path)
        const { location = '' } = headers ?? {}
        return { ...answer, headers: { location } }
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${all}/:id`,
      right: 'audit.read',
      summary: 'Get a replay with its results so far',
      group,
      within,
      find,
      answers: { 200: ReplayReport },
      handle: async ({ found }) => json(200, reportOf(found)),
    }),
    memberRoute({
      method: 'GET',
      path: `${all}/:id/events`,
      right: 'audit.read',
      summary: 'Stream the progress of a replay',
      group,
      within,
      find,
      query: { last_event_id: Type.String({ description: 'the number after which to begin, as `last-event-id`' }) },
      headers: { 'last-event-id': 'the number of the last event that was seen' },
      produces: 'text/event-stream',
      answers: { 200: Replay, 204: Type.Null() },
      async handle({ raw, response, caller, place, found, query, params, progress }) {
        const after = numberOfEvent(lastEventId(raw, query))
        if (found.status !== 'running' && after >= found.rev) return { status: 204 }
        const admit = async () => void (await within(caller, params))
        return events({ raw, response, caller, progress, admit }, progressOf(place, found.id, after))
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: `${all}/:id`,
      right: 'audit.read',
      summary: 'End a replay and delete its results',
      group,
      within,
      find,
      answers: { 204: Empty },
      async handle(asked) {
        await deleteReplay(actingIn(database, asked), asked.found.id)
        return { status: 204 }
      },
    }),
  ])
}

/** Sends the latest state of a replay after each change, until it ends or is deleted. */
function progressOf({ member, project }: InProject, id: string, after: number): EventSource {
  let last = after
  return {
    topics: [replayTopic(id)],
    async next() {
      const row = await replayBy(member.scope, project.id, id).catch(orGone)
      if (row === undefined) return { events: [], isLast: true }
      const isLast = row.status !== 'running'
      if (row.rev <= last) return { events: [], isLast }
      last = row.rev
      return { events: [{ id: row.rev, type: isLast ? row.status : 'progress', data: replayOf(row) }], isLast }
    },
  }
}

function orGone(error: unknown): undefined {
  if (asResponseError(error).code !== 'not-found') throw error
}
