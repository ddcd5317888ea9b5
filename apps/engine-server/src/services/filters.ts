import {
  BadFilterRequest,
  createDecisionSql,
  createFilter,
  type DecisionSql,
  type DecisionSqlRequest,
  FilterError,
  type FilterRequest,
  type FilterResult,
} from '@engine/filter'
import type { Ruleset } from '@engine/ruleset'
import { EngineError, failures } from '../errors.ts'
import type { Programs } from './programs.ts'

/** Rules as conditions and queries for databases (specification 4.3). Throws an `EngineError`. */
export interface FilterService {
  filter(name: string, request: FilterRequest): FilterResult
  sql(name: string, request: DecisionSqlRequest): DecisionSql
}

export function createFilterService(programs: Programs, now: () => number): FilterService {
  const made = <Result>(name: string, make: (ruleset: Ruleset) => Result): Result => {
    const program = programs.get(name)
    if (program === undefined) throw failures.noSuchRuleset(name)
    try {
      return make(program.ruleset)
    } catch (error) {
      throw failureOf(error)
    }
  }
  return {
    filter: (name, request) => made(name, (ruleset) => createFilter(ruleset, request, now())),
    sql: (name, request) => made(name, (ruleset) => createDecisionSql(ruleset, request, now())),
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof BadFilterRequest) {
    const { message, path } = error
    return new EngineError('invalid-request', message, { details: [{ path, message }] })
  }
  if (error instanceof FilterError) return new EngineError('filter-failed', error.message, { cause: error })
  return error
}
