import { type Budget, BudgetError } from '@engine/expression'
import {
  BadFilterRequest,
  type DecisionSql,
  type DecisionSqlRequest,
  decisionSqlInTurns,
  FilterError,
  filterInTurns,
  type FilterRequest,
  type FilterResult,
  type Pausing,
} from '@engine/filter'
import type { Ruleset } from '@engine/ruleset'
import { EngineError, failures } from '../errors.ts'
import { createRequestBudget, withPauses } from '@engine/process'
import type { Programs } from './programs.ts'

/** Converts rules to conditions and queries for databases (specification 4.3). Rejects with an `EngineError`. */
export interface FilterService {
  filter(name: string, request: FilterRequest): Promise<FilterResult>
  sql(name: string, request: DecisionSqlRequest): Promise<DecisionSql>
}

export interface FilterOptions {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Time limit of one request in milliseconds. */
  readonly requestMs: number
}

/** Processor time for one pass over the condition of a branch, at most 64 KiB; such a pass does not pause. */
const MAX_PART_LENGTH = 85

export function createFilterService(programs: Programs, { now, requestMs }: FilterOptions): FilterService {
  const made = async <Result>(
    name: string,
    make: (ruleset: Ruleset, budget: Budget) => Pausing<Result>,
  ): Promise<Result> => {
    const program = programs.get(name)
    if (program === undefined) throw failures.noSuchRuleset(name)
    const budget = createRequestBudget(requestMs, MAX_PART_LENGTH)
    try {
      return await withPauses(make(program.ruleset, budget), budget)
    } catch (error) {
      throw failureOf(error, requestMs)
    }
  }
  return {
    filter: (name, request) => made(name, (ruleset, budget) => filterInTurns(ruleset, request, now(), budget)),
    sql: async (name, request) => {
      try {
        return await made(name, (ruleset, budget) => decisionSqlInTurns(ruleset, request, now(), budget))
      } catch (error) {
        throw error instanceof EngineError && error.cause instanceof FilterError ? untranslatable(error.cause) : error
      }
    },
  }
}

/** A refusal of `/sql`, which the specification does not define: neither the ruleset nor the server is at fault. */
function untranslatable({ message, part }: FilterError): EngineError {
  const { path = '', construct } = part ?? {}
  return new EngineError('untranslatable', message, {
    details: [{ path, message, ...(construct !== undefined && { construct }) }],
  })
}

function failureOf(error: unknown, requestMs: number): unknown {
  if (error instanceof BadFilterRequest) {
    const { message, path } = error
    return new EngineError('invalid-request', message, { details: [{ path, message }] })
  }
  if (error instanceof FilterError) return new EngineError('filter-failed', error.message, { cause: error })
  if (!(error instanceof BudgetError)) return error
  if (error.reason === 'deadline') return failures.timedOut(requestMs / 1000)
  const reason = error.reason === 'memory' ? 'it takes too much memory' : 'one part of it takes too much time'
  return new EngineError('filter-failed', `no filter was made: ${reason}`, { cause: error })
}
