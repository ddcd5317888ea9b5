import { FilterRequest, FilterResult, SqlRequest, SqlResult } from '@engine/api'
import type { DecisionSqlRequest, FilterRequest as FilterQuestion } from '@engine/filter'
import { json } from '@engine/http-server'
import { type Route, API, read, nameOf } from '../route.ts'

/** Rules as conditions and queries for databases. */
export const FILTER_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: `${API}/rulesets/:name/filter`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Generate a database filter from a ruleset: the condition for the rows with one of the given results',
    group: 'Data filters',
    body: FilterRequest,
    answers: { 200: FilterResult },
    async handle(request) {
      const numbers = request.services.execution.numbersOf(nameOf(request))
      const body = await read<FilterQuestion>(request, FilterRequest, { numbers })
      return json(200, await request.services.filters.filter(nameOf(request), body))
    },
  },
  {
    method: 'POST',
    path: `${API}/rulesets/:name/sql`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Generate one SQL query from a ruleset that decides every row of a table',
    group: 'Data filters',
    body: SqlRequest,
    answers: { 200: SqlResult },
    async handle(request) {
      const numbers = request.services.execution.numbersOf(nameOf(request))
      const body = await read<DecisionSqlRequest>(request, SqlRequest, { numbers })
      return json(200, await request.services.filters.sql(nameOf(request), body))
    },
  },
]
