import type { DeliveryProblem, HeldRuleset } from '@engine/api'
import type { Selectable } from 'kysely'
import type { Scope } from '../../database/scope.ts'
import type { DeploymentStatus, Tables } from '../../database/tables.ts'

export type DeploymentRow = Selectable<Tables['deployments']>

/**
 * Say of the deployments that wait for an engine whether they have arrived. Called with each of its heartbeats: where two
 * engines report at the same time, neither may see the other's report, and the next heartbeat does.
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
  for (const deployment of queued) await settle(scope, deployment)
}

/** The status of a deployment, after it was stored where it has changed. */
export async function settle(scope: Scope, deployment: DeploymentRow): Promise<DeploymentStatus> {
  const engines = await enginesOf(scope, deployment.environment_id)
  const states = engines.map((engine) => stateAt(engine, deployment))
  const isThere = states.length > 0 && states.every((state) => state === 'success')
  const status = states.includes('failed') ? 'failed' : isThere ? 'success' : 'queued'
  if (status !== deployment.status)
    await scope.update('deployments').set({ status }).where('id', '=', deployment.id).execute()
  return status
}

/** A newer content takes the place of those that have not arrived. */
export async function supersede(scope: Scope, environment: string, ruleset: string): Promise<void> {
  await scope
    .update('deployments')
    .set({ status: 'failed' })
    .where('environment_id', '=', environment)
    .where('ruleset_name', '=', ruleset)
    .where('status', '=', 'queued')
    .execute()
}

type Engine = Pick<Selectable<Tables['servers']>, 'tenants' | 'current_rulesets' | 'problems'>

function enginesOf(scope: Scope, environment: string): Promise<Engine[]> {
  return scope
    .read('servers', 'environment_servers')
    .selectFrom('environment_servers as b')
    .innerJoin('servers as s', 's.id', 'b.server_id')
    .select(['s.tenants', 's.current_rulesets', 's.problems'])
    .where('b.environment_id', '=', environment)
    .where('b.canary_only', '=', false)
    .execute()
}

/** In the number of rulesets that the engine reports. */
function stateAt(
  { tenants, current_rulesets, problems }: Engine,
  { environment_id, ruleset_name, digest }: DeploymentRow,
): DeploymentStatus {
  const tenant = tenants ? environment_id : null
  const isThis = (one: Partial<HeldRuleset | DeliveryProblem>) =>
    (one.tenant ?? null) === tenant && one.name === ruleset_name && one.digest === digest
  // Held to `HeldRuleset` when the engine reported them.
  if ((current_rulesets as unknown as readonly HeldRuleset[]).some(isThis)) return 'success'
  // Problems have whatever form the engine's version gives them.
  const refused = (problems as readonly unknown[]).some((one) => isProblem(one) && isThis(one) && one.retried === false)
  return refused ? 'failed' : 'queued'
}

const isProblem = (value: unknown): value is Partial<DeliveryProblem> => typeof value === 'object' && value !== null
