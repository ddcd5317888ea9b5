import { invalidParameter } from '@engine/http-api'
import { json } from '../../http/json-response.ts'
import { limitOf, listed, ListOf, listQuery, pageOf, PLAIN_LIST } from '../../resources/pagination.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { failures } from '../../errors.ts'
import { draftNamed } from '../drafts/repository.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { eventOf } from './events.ts'
import { eventsOf, hasHistory, historyOf, historyOn } from './history.ts'
import { HistoryEntry, ReleaseEvent } from './model.ts'
import { atRelease, group, ONE } from './release-scope.ts'
import type { ReleaseParts } from './preparation.ts'

const SORTS = ['created_at'] as const

/** Events of releases, and the history of rulesets. */
export function historyRoutes({ database }: ReleaseParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: `${ONE}/history`,
      right: 'member',
      summary: 'List the events of a release, oldest first',
      group,
      within,
      find: atRelease,
      query: PLAIN_LIST,
      answers: { 200: ListOf(ReleaseEvent, 'ReleaseEventList') },
      async handle({ place, found, query }) {
        const limit = limitOf(query.get('limit'))
        const rows = await eventsOf(place.member.scope, found.id, limit + 1, cursorIn(query))
        const shown = rows.slice(0, limit)
        const next_cursor = rows.length > limit ? String(shown.at(-1)?.seq) : null
        return json(200, { items: shown.map(eventOf), next_cursor })
      },
    }),
    memberRoute({
      method: 'GET',
      path: '/api/v1/orgs/:oid/projects/:pid/rulesets/:name/history',
      right: 'member',
      summary: 'List what each release deployed of a ruleset, newest first',
      group,
      within,
      find: atHistory,
      query: listQuery(SORTS),
      answers: { 200: ListOf(HistoryEntry, 'HistoryList') },
      async handle({ place: { member, project }, caller, found, query }) {
        const only = caller.kind === 'key' ? caller.environments : null
        const { rows, page } = await historyOn(member.scope, project.id, found, pageOf(query, SORTS), only)
        return json(
          200,
          listed(rows, page, ({ at }) => at, historyOf),
        )
      },
    }),
  ]
}

/** The name of a ruleset that exists or was once live. Throws `not-found`. */
async function atHistory(
  { member: { scope }, project }: InProject,
  { name = '' }: Readonly<Record<string, string>>,
): Promise<string> {
  if ((await draftNamed(scope, project.id, name)) !== undefined) return name
  if (!(await hasHistory(scope, project.id, name))) throw failures.notFound('ruleset', name)
  return name
}

function cursorIn(query: URLSearchParams): number {
  const given = query.get('cursor')
  if (given === null) return 0
  if (!/^\d{1,9}$/.test(given)) throw invalidParameter('cursor', 'is not one of this list: begin without it')
  return Number(given)
}
