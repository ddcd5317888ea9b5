import type { Case } from '@engine/authoring'
import type { Ruleset } from '@engine/ruleset'
import { existsSync } from 'node:fs'
import { contentOf } from '../files.ts'
import { BadCases, parseCases } from './cases.ts'
import { projectReports } from './project.ts'
import type { FileReport } from './report.ts'
import type { CheckedFile } from './checked-file.ts'
import { casesPath, type FoundFiles } from './rule-files.ts'
import { type CheckOptions, NOTHING_RUN, runCases } from './run-cases.ts'

/** Validate rule files and run their cases, and platform projects with their suites. Throws `ToolError`. */
export async function check({ files, projects }: FoundFiles, options: CheckOptions): Promise<readonly FileReport[]> {
  const rulesets = new Map<string, Ruleset>()
  for (const { ruleset } of files) if (ruleset !== undefined) rulesets.set(ruleset.config.name, ruleset)
  const reports: FileReport[] = []
  for (const file of files) reports.push(await reportOf(file, rulesets, options))
  for (const project of projects) reports.push(...(await projectReports(project, options)))
  return reports
}

async function reportOf(
  { path, ruleset, problems, warnings }: CheckedFile,
  rulesets: ReadonlyMap<string, Ruleset>,
  options: CheckOptions,
): Promise<FileReport> {
  const report = { file: path, name: ruleset?.config.name, warnings, problems }
  if (ruleset === undefined) return { ...report, ...NOTHING_RUN }
  const found = await casesOf(path)
  if (found !== undefined && 'fault' in found) {
    const problem = { path: '', message: `${casesPath(path)}: ${found.fault}` }
    return { ...report, ...NOTHING_RUN, problems: [...problems, problem] }
  }
  const ran = await runCases(ruleset, found?.cases, options, { expected: casesPath(path), rulesets })
  return { ...report, ...ran }
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
