import { type Case, type CaseHost, type CaseOptions, coverageOf, type Parts, percent, runCase } from '@engine/authoring'
import { makeFunction } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import type { FileReport } from './report.ts'

export interface CheckOptions {
  /** Percent of the ways out of decisions and of the rows of tables that cases must take; undefined: any. */
  readonly minCoverage: number | undefined
  /** A ruleset without cases is not good. */
  readonly requireCases: boolean
  /** Run only cases whose names contain this; undefined: all. */
  readonly filter?: string | undefined
}

/** What running the cases of a ruleset gives to its report. */
export type Ran = Pick<FileReport, 'cases' | 'coverage' | 'demands'>

export const NOTHING_RUN: Ran = { cases: undefined, coverage: undefined, demands: [] }

export interface RunOptions extends CaseOptions {
  /** Where cases are expected. */
  readonly expected: string
  /** Maps the ruleset to parts; undefined: its own steps and branches. */
  readonly parts?: Parts
  /** For `call_ruleset`. */
  readonly rulesets?: ReadonlyMap<string, Ruleset>
}

/** @param cases undefined: there are none */
export async function runCases(
  ruleset: Ruleset,
  cases: readonly Case[] | undefined,
  { minCoverage, requireCases, filter = '' }: CheckOptions,
  { expected, parts, rulesets, ...options }: RunOptions,
): Promise<Ran> {
  if (cases === undefined)
    return { ...NOTHING_RUN, demands: requireCases ? [`there are no cases: expected ${expected}`] : [] }
  const host: CaseHost = {
    now: Date.now,
    monotonic: () => performance.now(),
    makeFunction,
    ...(rulesets && { rulesets }),
  }
  const results = []
  for (const one of cases.filter(({ name }) => name.includes(filter)))
    results.push(await runCase(ruleset, one, host, options))
  const inspections = results.map(({ inspection }) => inspection)
  const coverage = coverageOf(ruleset, inspections, parts)
  const { branches, rows } = coverage
  const reached = percent({
    covered: branches.covered + rows.covered,
    total: branches.total + rows.total,
    missing: [],
  })
  const isShort = minCoverage !== undefined && reached < minCoverage
  const demands = isShort ? [`the cases take ${reached} % of the branches, but ${minCoverage} % are required`] : []
  return { cases: results, coverage, demands }
}
