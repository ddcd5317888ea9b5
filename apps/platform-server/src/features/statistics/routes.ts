import { invalidParameter } from '@engine/http-api'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Database } from '../../database/database.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { HISTORY_RANGE, historyRangeOf } from '../../resources/history-range.ts'
import { atDraft, group, ONE } from '../drafts/view.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { readBranchCounts } from './branch-counts.ts'
import { BranchCounts, RulesetStats } from './model.ts'
import { rulesetStats } from './ruleset-stats.ts'

/** Routes of decision statistics per ruleset. */
export function statisticsRoutes(database: Database): readonly Route[] {
  return atBothPaths([
    memberRoute({
      method: 'GET',
      path: `${ONE}/stats`,
      right: 'member',
      summary: 'Get execution statistics of a ruleset by environment and content',
      group,
      within: inProject(database),
      find: atDraft,
      query: HISTORY_RANGE,
      answers: { 200: RulesetStats },
      handle: async ({ place: { member, project }, caller, found, query }) =>
        json(200, await rulesetStats(member.scope, project.id, found.name, caller, historyRangeOf(query))),
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/branch-counts`,
      right: 'member',
      summary: 'Get how often the engines took each branch of a content, exactly, in the last 30 days',
      group,
      within: inProject(database),
      find: atDraft,
      query: { digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the content; required' }) },
      answers: { 200: BranchCounts },
      handle: async ({ place: { member, project }, caller, found, query }) =>
        json(200, await readBranchCounts(member.scope, project.id, found.name, caller, digestOf(query))),
    }),
  ])
}

/** Throws `HttpError`. */
function digestOf(query: URLSearchParams): string {
  const digest = query.get('digest') ?? ''
  if (!/^[0-9a-f]{64}$/.test(digest))
    throw invalidParameter('digest', 'must be the SHA-256 of a content: 64 hexadecimal digits')
  return digest
}
