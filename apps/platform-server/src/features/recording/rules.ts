import type { RecordingRules } from '@engine/api'
import { stringifyJson } from '@engine/expression'
import { createHash } from 'node:crypto'
import type { Scope } from '../../database/scope.ts'
import { rulesetOf } from '../engines/candidate-names.ts'
import { sensitivePaths } from './mask.ts'

/** The sampling settings of one ruleset on an engine, and the owner of its decisions. */
export interface RecordedRuleset {
  readonly tenant: string | null
  /** The name on the engine, which differs for the candidate of a release. */
  readonly name: string
  /** The name in its project. */
  readonly ruleset: string
  readonly project: string
  readonly environment: string
  readonly rate: number
  readonly mask: readonly string[]
  /** True if external calls and their answers are recorded. */
  readonly answers: boolean
}

/** The desired rulesets of an engine whose decisions are recorded. Linear in their number. */
export async function recordedRulesets(
  scope: Scope,
  { id, tenants }: { readonly id: string; readonly tenants: boolean },
): Promise<readonly RecordedRuleset[]> {
  const rows = await scope
    .read('environment_servers', 'environments', 'desired_rulesets')
    .selectFrom('environment_servers as b')
    .innerJoin('environments as e', 'e.id', 'b.environment_id')
    .innerJoin('desired_rulesets as d', 'd.environment_id', 'e.id')
    .select(['e.id as environment', 'e.project_id as project', 'e.recording', 'd.name'])
    .where('b.server_id', '=', id)
    .orderBy('e.id')
    .orderBy('d.name')
    .execute()
  const recorded = rows
    .map(({ recording, ...row }) => ({ ...row, ruleset: rulesetOf(row.name), ...recording }))
    .filter(({ rate }) => rate > 0)
  const sensitive = new Map<string, ReadonlyMap<string, readonly string[]>>()
  for (const project of new Set(recorded.map((one) => one.project))) {
    const names = recorded.filter((one) => one.project === project).map(({ ruleset }) => ruleset)
    sensitive.set(project, await sensitivePaths(scope, project, [...new Set(names)]))
  }
  return recorded.map(({ environment, project, name, ruleset, rate, mask, answers = false }) => ({
    tenant: tenants ? environment : null,
    name,
    ruleset,
    project,
    environment,
    rate,
    mask: [...new Set([...mask, ...(sensitive.get(project)?.get(ruleset) ?? [])])].toSorted(),
    answers,
  }))
}

/** The sampling settings as rules for engines. */
export function rulesFor(recorded: readonly RecordedRuleset[]): RecordingRules {
  const rules = recorded.map(({ tenant, name, rate, mask, answers }) => ({
    tenant,
    name,
    rate,
    mask: [...mask],
    ...(answers && { answers }),
  }))
  return { tag: createHash('sha256').update(stringifyJson(rules)).digest('hex').slice(0, 32), rules }
}
