import { type Answer } from '@engine/http-server'
import type { Static, TSchema } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Caller } from '../../access/caller.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import type { EventStreams } from '../../http/event-stream.ts'
import { listed, ListOf, pageOf, PLAIN_LIST } from '../../resources/pagination.ts'
import { type UncheckedRequest, memberRoute, type Route } from '../../http/route.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { Release } from '../releases/model.ts'
import { atRelease, group, ONE } from '../releases/release-scope.ts'
import { shownRelease } from '../releases/view.ts'
import { historyEntry } from '../releases/history.ts'
import { atExecution } from './execution-scope.ts'
import { eventRoute } from './event-route.ts'
import { execute } from './execute-release.ts'
import { goBack } from './rollback/to-history-entry.ts'
import { canariesOf } from './canary-progress.ts'
import { CanaryProgress, ReleaseExecuteRequest, ReleaseExecution, ReleaseRollbackRequest } from './model.ts'
import { abort, type Operating, pause, promote, resume, rollback } from './operations.ts'
import { executionIn, executionOf, executionsOn } from './repository.ts'
import type { RolledBack } from './rollback/start.ts'
import type { ExecutionRow } from './rollout-state.ts'

export interface RolloutParts {
  readonly database: Database
  readonly basePath: string
  readonly heartbeatIntervalSecs: number
  readonly events: EventStreams
}

const SORTS = ['created_at'] as const

type Params = Readonly<Record<string, string>>

const atEntry = ({ member, project }: InProject, { name = '', id = '' }: Params, caller: Caller) =>
  historyEntry(member.scope, project.id, name, id, caller)

/** Routes to execute releases and follow their executions. */
export function rolloutRoutes(parts: RolloutParts): readonly Route[] {
  return atBothPaths([...operationRoutes(parts), ...readingRoutes(parts), eventRoute(parts)])
}

interface Asking {
  readonly place: InProject
  readonly caller: Caller
}

const operatingWith =
  ({ database, heartbeatIntervalSecs }: RolloutParts) =>
  (asked: Asking & Pick<UncheckedRequest, 'address' | 'requestId'>): Operating => ({
    acting: actingIn(database, asked),
    heartbeatIntervalSecs,
  })

/** The answer with a rollback release. */
async function rolledBack(
  { basePath }: RolloutParts,
  { place, caller }: Asking,
  { release }: RolledBack,
): Promise<Answer> {
  const { org_id, id } = place.project
  const path = `${basePath}/api/v1/orgs/${org_id}/projects/${id}/releases/${release.id}`
  const shown = await shownRelease(place.member.scope, release, { caller, member: place.member })
  return created(shown, path)
}

function operationRoutes(parts: RolloutParts): readonly Route[] {
  const within = inProject(parts.database)
  const operatingOf = operatingWith(parts)
  const operation = <Body extends TSchema>(
    path: string,
    summary: string,
    work: (operating: Operating, id: string, body: Static<Body>) => Promise<ExecutionRow>,
    more: { readonly body?: Body; readonly isBodyOptional?: true; readonly isIdempotent?: true; readonly status?: 202 },
  ): Route => {
    const { status = 200, ...row } = more
    return memberRoute({
      method: 'POST',
      path: `${ONE}/${path}`,
      right: 'release.execute',
      summary,
      group,
      within,
      find: atRelease,
      ...row,
      answers: { [status]: ReleaseExecution },
      hasConflicts: true,
      async handle(asked) {
        const execution = await work(operatingOf(asked), asked.found.id, asked.body)
        return json(status, await executionOf(asked.place.member.scope, execution))
      },
    })
  }
  return [
    operation('execute', 'Execute a release', execute, {
      body: ReleaseExecuteRequest,
      isBodyOptional: true,
      isIdempotent: true,
      status: 202,
    }),
    operation('pause', 'Pause an execution', pause, {}),
    operation('resume', 'Resume an execution', resume, {}),
    operation('promote', 'Promote the current canary stage', promote, {}),
    operation('abort', 'Abort an execution that has delivered canaries only', abort, {}),
    memberRoute({
      method: 'POST',
      path: `${ONE}/rollback`,
      right: 'release.rollback',
      summary: 'Roll back a release by a new release of the previous live content',
      group,
      within,
      find: atRelease,
      body: ReleaseRollbackRequest,
      isBodyOptional: true,
      isIdempotent: true,
      answers: { 201: Release },
      answerHeaders: { 201: LOCATION },
      hasConflicts: true,
      async handle(asked) {
        const { found, body } = asked
        return rolledBack(parts, asked, await rollback(operatingOf(asked), found.id, body.reason))
      },
    }),
    memberRoute({
      method: 'POST',
      path: '/api/v1/orgs/:oid/projects/:pid/rulesets/:name/history/:id/rollback',
      right: 'release.rollback',
      summary: 'Roll back a ruleset in an environment to a history entry by a new release',
      group,
      within,
      find: atEntry,
      body: ReleaseRollbackRequest,
      isBodyOptional: true,
      isIdempotent: true,
      answers: { 201: Release },
      answerHeaders: { 201: LOCATION },
      hasConflicts: true,
      async handle(asked) {
        const { found, params, body } = asked
        return rolledBack(parts, asked, await goBack(operatingOf(asked), params['name'] ?? '', found, body.reason))
      },
    }),
  ]
}

function readingRoutes({ database }: RolloutParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: `${ONE}/execution`,
      right: 'member',
      summary: 'Get the latest execution of a release',
      group,
      within,
      find: atRelease,
      answers: { 200: ReleaseExecution },
      hasUnknowns: true,
      async handle({ place: { member }, found }) {
        if (found.execution_id === null) throw failures.notFound('execution of the release', found.id)
        const row = await executionIn(member.scope, found.id, found.execution_id)
        return json(200, await executionOf(member.scope, row))
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/executions`,
      right: 'member',
      summary: 'List executions of a release, newest first',
      group,
      within,
      find: atRelease,
      query: PLAIN_LIST,
      answers: { 200: ListOf(ReleaseExecution, 'ReleaseExecutionList') },
      async handle({ place: { member }, found, query }) {
        const page = pageOf(query, SORTS)
        const rows = await executionsOn(member.scope, found.id, page)
        const { items, next_cursor } = listed(
          rows,
          page,
          (row) => row.started_at,
          (row) => row,
        )
        const shown = await Promise.all(items.map((row) => executionOf(member.scope, row)))
        return json(200, { items: shown, next_cursor })
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/executions/:eid`,
      right: 'member',
      summary: 'Get an execution of a release',
      group,
      within,
      find: atExecution,
      answers: { 200: ReleaseExecution },
      handle: async ({ place: { member }, found: { execution } }) =>
        json(200, await executionOf(member.scope, execution)),
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/executions/:eid/canaries`,
      right: 'member',
      summary: 'Get the canaries of an execution: stages, counts of both sides, evidence, predicted results',
      group,
      within,
      find: atExecution,
      answers: { 200: ListOf(CanaryProgress, 'CanaryProgressList') },
      handle: async ({ place: { member }, found: { execution } }) =>
        json(200, { items: await canariesOf(member.scope, execution), next_cursor: null }),
    }),
  ]
}
