import { json } from '../../http/json-response.ts'
import type { Database } from '../../database/database.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { HISTORY_RANGE, historyRangeOf } from '../../resources/history-range.ts'
import { atDraft, group, ONE } from '../drafts/view.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { RulesetStats } from './model.ts'
import { rulesetStats } from './ruleset-stats.ts'

/** Statistics of decisions by ruleset. */
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
  ])
}
