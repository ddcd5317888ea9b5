import { isList, isObject } from '@engine/expression'
import { measuresOf } from '@engine/canary'
import type { Scope } from '../../database/scope.ts'
import { canaryOf, type EnvironmentRow } from '../projects/repository.ts'
import type { CanaryProgress } from './model.ts'
import { expectedIn } from './expected-transitions.ts'
import { type ExecutionRow, progressOf } from './rollout-state.ts'
import { stageCounts, stagesOf } from './stage-counts.ts'
import { environmentsOf } from './target-environments.ts'

/** The canaries of an execution: the environments with stages, in their order. */
export async function canariesOf(scope: Scope, execution: ExecutionRow): Promise<readonly CanaryProgress[]> {
  const environments = await environmentsOf(scope, execution.release_id)
  const all = await Promise.all(environments.map((environment) => canaryIn(scope, execution, environment)))
  return all.filter(({ stages }) => stages.length > 0)
}

async function canaryIn(scope: Scope, execution: ExecutionRow, environment: EnvironmentRow): Promise<CanaryProgress> {
  const { id, release_id: release } = execution
  const { stages: settings, alpha, on_failure, on_inconclusive } = canaryOf(environment)
  const begun = await stagesOf(scope, id, environment.id)
  const counts = await stageCounts(scope, id, environment.id)
  const slowUs = begun.at(-1)?.control_p99_us ?? null
  const stages = Array.from({ length: Math.max(begun.length, settings.length) }, (_, index) => {
    const [row, setting, counted] = [begun[index], settings[index], counts[index]]
    const NONE = { canary: 0, stable: 0 }
    return {
      index,
      percent: row === undefined ? (setting?.percent ?? 0) : row.basis_points / 100,
      duration_s:
        row === undefined
          ? (setting?.duration_s ?? 0)
          : Math.round((row.ends_at.getTime() - row.begun_at.getTime()) / 1000),
      min_requests: setting?.min_requests ?? 0,
      begun_at: row?.begun_at.toISOString() ?? null,
      ends_at: row?.ends_at.toISOString() ?? null,
      ended_at: row?.ended_at?.toISOString() ?? null,
      requests: counted?.requests ?? NONE,
      errors: counted?.errors ?? NONE,
    }
  })
  return {
    environment: environment.name,
    alpha,
    on_failure,
    on_inconclusive,
    slow_above_ms: slowUs === null ? null : slowUs / 1000,
    stages,
    measures: begun.length === 0 ? null : measuresOf(counts, alpha, expectedIn(progressOf(execution), environment.id)),
    predicted: await predictedCodes(scope, release, environment.id),
  }
}

/** Results of both versions for recorded decisions of all rulesets of a release, as replayed when it was created. */
async function predictedCodes(
  scope: Scope,
  release: string,
  environment: string,
): Promise<CanaryProgress['predicted']> {
  const rows = await scope
    .read('release_targets')
    .selectFrom('release_targets')
    .select('impact')
    .where('release_id', '=', release)
    .where('environment_id', '=', environment)
    .where('impact', 'is not', null)
    .execute()
  const codes = new Map<string, { before: number; after: number }>()
  let replayed = 0
  for (const { impact } of rows) {
    const records = isObject(impact) && isObject(impact['records']) ? impact['records'] : {}
    replayed += Number(records['replayed'] ?? 0)
    for (const row of isList(records['codes']) ? records['codes'] : []) {
      if (!isObject(row)) continue
      const code = typeof row['code'] === 'string' ? row['code'] : ''
      const { before, after } = codes.get(code) ?? { before: 0, after: 0 }
      codes.set(code, { before: before + Number(row['before']), after: after + Number(row['after']) })
    }
  }
  return codes.size === 0 ? null : { replayed, codes: Object.fromEntries(codes) }
}
