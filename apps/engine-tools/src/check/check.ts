import { type Case, type CaseHost, coverageOf, percent, runCase } from '@engine/authoring'
import { makeFunction } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { existsSync } from 'node:fs'
import { contentOf } from '../files.ts'
import { BadCases, parseCases } from './cases.ts'
import type { FileReport } from './report.ts'
import { casesPath, type CheckedFile, findRuleFiles } from './rule-files.ts'

export interface CheckOptions {
  /** Percent of the ways out of decisions that cases must take; undefined: any. */
  readonly minCoverage: number | undefined
  /** A ruleset without cases is not good. */
  readonly requireCases: boolean
}

/** Validate the rule files among paths and run the cases beside them. Throws `ToolError`. */
export async function check(paths: readonly string[], options: CheckOptions): Promise<readonly FileReport[]> {
  const files = await findRuleFiles(paths)
  const rulesets = new Map<string, Ruleset>()
  for (const { ruleset } of files) if (ruleset !== undefined) rulesets.set(ruleset.config.name, ruleset)
  const reports: FileReport[] = []
  for (const file of files) reports.push(await reportOf(file, rulesets, options))
  return reports
}

async function reportOf(
  { path, ruleset, problems, warnings }: CheckedFile,
  rulesets: ReadonlyMap<string, Ruleset>,
  { minCoverage, requireCases }: CheckOptions,
): Promise<FileReport> {
  const report = { file: path, name: ruleset?.config.name, warnings }
  const nothing = { cases: undefined, coverage: undefined, demands: [] }
  if (ruleset === undefined) return { ...report, ...nothing, problems }
  const found = await casesOf(path)
  if (found === undefined) {
    const demands = requireCases ? [`there are no cases: expected ${casesPath(path)}`] : []
    return { ...report, ...nothing, problems, demands }
  }
  if ('fault' in found) {
    const problem = { path: '', message: `${casesPath(path)}: ${found.fault}` }
    return { ...report, ...nothing, problems: [...problems, problem] }
  }
  const cases = []
  const host: CaseHost = { now: Date.now, monotonic: () => performance.now(), makeFunction, rulesets }
  for (const one of found.cases) cases.push(await runCase(ruleset, one, host))
  const { steps, branches } = coverageOf(
    ruleset,
    cases.map(({ inspection }) => inspection),
  )
  const reached = percent(branches)
  const isShort = minCoverage !== undefined && reached < minCoverage
  const demands = isShort ? [`the cases take ${reached} % of the branches, and ${minCoverage} % are asked for`] : []
  return { ...report, problems, cases, coverage: { steps, branches }, demands }
}

async function casesOf(
  path: string,
): Promise<{ readonly cases: readonly Case[] } | { readonly fault: string } | undefined> {
  const file = casesPath(path)
  if (!existsSync(file)) return undefined
  try {
    return { cases: parseCases((await contentOf(file)).toString('utf8')) }
  } catch (error) {
    if (error instanceof BadCases) return { fault: error.message }
    throw error
  }
}
