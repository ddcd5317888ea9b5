import type { DeliveryProblem, HeldRuleset } from '@engine/api'
import type { Selectable } from 'kysely'
import { itemsWith } from '../../database/json-items.ts'
import type { Scope } from '../../database/scope.ts'
import type { DeploymentStatus, Tables } from '../../database/tables.ts'

export type DeploymentRow = Selectable<Tables['deployments']>

/**
 * Update the deployments that wait for an engine. Runs with each of its heartbeats: when two engines report concurrently,
 * neither transaction may see the other's report, and the next heartbeat settles the deployment.
 */
export async function settleDeployments(scope: Scope, server: string): Promise<void> {
  const queued = await scope
    .read('deployments', 'environment_servers')
    .selectFrom('deployments as d')
    .innerJoin('environment_servers as b', 'b.environment_id', 'd.environment_id')
    .selectAll('d')
    .where('b.server_id', '=', server)
    .where('b.canary_only', '=', false)
    .where('d.status', '=', 'queued')
    .execute()
  // Reports of engines with many rulesets are long, so each environment scans them once.
  for (const [environment, own] of Map.groupBy(queued, (one) => one.environment_id))
    await settleAll(scope, environment, own)
}

/** The status of a deployment, after storing it if it changed. */
export async function settle(scope: Scope, deployment: DeploymentRow): Promise<DeploymentStatus> {
  const [status = deployment.status] = await settleAll(scope, deployment.environment_id, [deployment])
  return status
}

/** Like `settle`, for several deployments of one environment. */
async function settleAll(
  scope: Scope,
  environment: string,
  deployments: readonly DeploymentRow[],
): Promise<readonly DeploymentStatus[]> {
  const engines = await enginesOf(
    scope,
    environment,
    deployments.map(({ digest }) => digest),
  )
  const settled: DeploymentStatus[] = []
  for (const deployment of deployments) {
    const states = engines.map((engine) => stateAt(engine, deployment))
    const isThere = states.length > 0 && states.every((state) => state === 'success')
    const status = states.includes('failed') ? 'failed' : isThere ? 'success' : 'queued'
    if (status !== deployment.status)
      await scope.update('deployments').set({ status }).where('id', '=', deployment.id).execute()
    settled.push(status)
  }
  return settled
}

/** A newer content replaces deployments that are still queued. */
export async function supersede(scope: Scope, environment: string, ruleset: string): Promise<void> {
  await scope
    .update('deployments')
    .set({ status: 'failed' })
    .where('environment_id', '=', environment)
    .where('ruleset_name', '=', ruleset)
    .where('status', '=', 'queued')
    .execute()
}

/** The reported state of some contents on one engine. */
interface Engine {
  readonly tenants: boolean
  readonly held: readonly HeldRuleset[]
  readonly problems: readonly unknown[]
}

/** @param digests of the contents to search: an engine may have 20,000 others */
async function enginesOf(scope: Scope, environment: string, digests: readonly string[]): Promise<readonly Engine[]> {
  const rows = await scope
    .read('servers', 'environment_servers')
    .selectFrom('environment_servers as b')
    .innerJoin('servers as s', 's.id', 'b.server_id')
    .select([
      's.tenants',
      itemsWith('s.current_rulesets', 'digest', digests, 'held'),
      itemsWith('s.problems', 'digest', digests, 'problems'),
    ])
    .where('b.environment_id', '=', environment)
    .where('b.canary_only', '=', false)
    .execute()
  return rows.map(({ tenants, held, problems }) => ({
    tenants,
    // Validated as `HeldRuleset` when the engine reported them. The format of problems depends on the engine's version.
    held: held as unknown as readonly HeldRuleset[],
    problems: problems as readonly unknown[],
  }))
}

function stateAt({ tenants, held, problems }: Engine, { environment_id, ruleset_name, digest }: DeploymentRow) {
  const tenant = tenants ? environment_id : null
  const isThis = (one: Partial<HeldRuleset | DeliveryProblem>) =>
    (one.tenant ?? null) === tenant && one.name === ruleset_name && one.digest === digest
  if (held.some(isThis)) return 'success'
  const refused = problems.some((one) => isProblem(one) && isThis(one) && one.retried === false)
  return refused ? 'failed' : 'queued'
}

const isProblem = (value: unknown): value is Partial<DeliveryProblem> => typeof value === 'object' && value !== null
