import { invalidParameter } from '@engine/http-api'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { failures } from '../../errors.ts'
import { acceptsNdjson, writeNdjson } from '../../http/ndjson.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { Empty, memberRoute, type Route } from '../../http/route.ts'
import type { Streams } from '../../http/streams.ts'
import { timeIn } from '../../resources/time-parameter.ts'
import type { DraftRow } from '../drafts/repository.ts'
import { atDraft, group, ONE } from '../drafts/view.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { environmentIn, environmentsNamed } from '../projects/repository.ts'
import { atBothPaths } from '../projects/routes.ts'
import { DECISION_FILTERS, type Outcome, RecordedDecision } from './model.ts'
import {
  decisionBy,
  type DecisionFilter,
  decisionOf,
  decisionPieces,
  decisionsOn,
  deleteDecisions,
} from './repository.ts'

const SORTS = ['created_at'] as const

/** Recorded decisions of a ruleset. */
export function recordingRoutes(database: Database, streams: Streams): readonly Route[] {
  const within = inProject(database)
  const path = `${ONE}/decisions`
  return atBothPaths([
    memberRoute({
      method: 'GET',
      path,
      right: 'audit.read',
      summary: 'List recorded decisions, newest first; with `accept: application/x-ndjson` all of them, one per line',
      group,
      within,
      find: atDraft,
      query: { ...listQuery(SORTS), ...DECISION_FILTERS },
      answers: { 200: ListOf(RecordedDecision, 'RecordedDecisionList') },
      otherAnswers: { 'application/x-ndjson': Type.String({ description: 'one decision a line, as in `items`' }) },
      async handle({ raw, response, place, found, query, caller, progress }) {
        const asked = pageOf(query, SORTS)
        const filter = listedBy(await filterOf(query, place, caller, found))
        const { scope } = place.member
        if (acceptsNdjson(raw.headers)) {
          streams.opened(caller, response)
          await writeNdjson(response, decisionPieces(scope, filter), progress)
          return undefined
        }
        const { rows, page } = await decisionsOn(scope, filter, asked)
        return json(
          200,
          listed(rows, page, ({ at }) => at, decisionOf),
        )
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${path}/:did`,
      right: 'audit.read',
      summary: 'Get a recorded decision',
      group,
      within,
      find: atDraft,
      answers: { 200: RecordedDecision },
      async handle({ place: { member, project }, found, params, caller }) {
        const id = params['did'] ?? ''
        const row = await decisionBy(member.scope, { project: project.id, ruleset: found.name }, id)
        if (!reachesEnvironment(caller, row.environment)) throw failures.notFound('decision', id)
        return json(200, decisionOf(row))
      },
    }),
    memberRoute({
      method: 'DELETE',
      path,
      right: 'project.manage',
      summary: 'Delete recorded decisions',
      group,
      within,
      find: atDraft,
      query: DECISION_FILTERS,
      answers: { 204: Empty },
      async handle(asked) {
        const { place, found, query, caller } = asked
        const filter = await filterOf(query, place, caller, found)
        await actingIn(database, asked).changeUnlocked(async ({ scope, audit }) => {
          const count = await deleteDecisions(scope, filter)
          const { outcome = null, code = null, receipt = null, environments = null, from, to } = filter
          await audit({
            action: 'draft.decisions_deleted',
            object: found,
            after: {
              count,
              outcome,
              code,
              receipt,
              environments,
              from: from?.toISOString() ?? null,
              to: to?.toISOString() ?? null,
            },
          })
        })
        return { status: 204 }
      },
    }),
  ])
}

/** Lists include refused inputs only on request. A receipt may belong to a refused input. */
const listedBy = (filter: DecisionFilter): DecisionFilter =>
  filter.outcome === undefined && filter.receipt === undefined ? { ...filter, outcome: 'decided' } : filter

/** Throws 400. */
function outcomeIn(query: URLSearchParams): Outcome | undefined {
  const outcome = query.get('outcome')
  if (outcome === null || outcome === 'decided' || outcome === 'refused') return outcome ?? undefined
  throw invalidParameter('outcome', 'must be `decided` or `refused`')
}

/** Throws 400. A key sees only the environments that it can access. */
async function filterOf(
  query: URLSearchParams,
  { member, project }: InProject,
  caller: Caller,
  { name }: DraftRow,
): Promise<DecisionFilter> {
  const key = query.get('environment')
  const common = {
    project: project.id,
    ruleset: name,
    outcome: outcomeIn(query),
    code: query.get('code') ?? undefined,
    receipt: query.get('receipt') ?? undefined,
    from: timeIn(query, 'from'),
    to: timeIn(query, 'to'),
  }
  if (key !== null) {
    const row = await environmentIn(member.scope, project.id, key)
    if (row === undefined || !reachesEnvironment(caller, row.name))
      throw invalidParameter('environment', 'is not an environment of this project')
    return { ...common, environments: [row.id] }
  }
  const only = caller.kind === 'key' ? caller.environments : null
  return {
    ...common,
    environments: only === null ? undefined : await environmentsNamed(member.scope, project.id, only),
  }
}
