import type { DesiredChange } from '@engine/api'
import type { Kysely } from 'kysely'
import { inBatches } from '../../database/batches.ts'
import { upsertColumns } from '../../database/upsert-columns.ts'
import type { Change, Database } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { isCandidate } from './candidate-names.ts'
import { serverTopic } from './registration.ts'

/** A ruleset that an engine should have. */
interface Wanted {
  readonly environment: string
  readonly tenant: string
  readonly name: string
  readonly digest: string
}

/**
 * Update the desired state of engines from the environments that they serve. Called in every transaction that changes a
 * binding or a desired ruleset, with the organization locked. The revision of an engine increases only if its state changes.
 * Throws 409 `name_taken` if two environments deliver a ruleset of the same name to an engine without tenants.
 */
export async function refreshServers(
  { scope, wake }: Pick<Change, 'scope' | 'wake'>,
  servers: Iterable<string>,
): Promise<void> {
  for (const id of new Set(servers)) if (await refreshServer(scope, id)) await wake(serverTopic(id))
}

/** Returns whether anything changed. Cost: the rulesets that the engine has or had. */
async function refreshServer(scope: Scope, id: string): Promise<boolean> {
  const server = await scope
    .read('servers')
    .selectFrom('servers')
    .select(['tenants', 'desired_revision', 'name'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (server === undefined) return false
  const wanted = await desiredRulesets(scope, id, server.tenants)
  const before = await scope
    .read('server_rulesets')
    .selectFrom('server_rulesets')
    .select(['tenant', 'name', 'digest'])
    .where('server_id', '=', id)
    .execute()
  const keyed = new Map<string, Wanted>()
  for (const one of wanted) {
    const other = keyed.get(keyOf(one))
    if (other !== undefined) throw nameTaken(one.name, server.name)
    keyed.set(keyOf(one), one)
  }
  const known = new Map(before.map((row) => [keyOf(row), row]))
  const changed = wanted.filter((one) => known.get(keyOf(one))?.digest !== one.digest)
  const gone = before.filter((row) => row.digest !== null && !keyed.has(keyOf(row)))
  if (changed.length + gone.length === 0) return false
  // Based on the clock, so that a database restored from a backup never reuses a revision.
  const revision = Math.max(server.desired_revision + 1, Date.now())
  const rows = [
    ...changed.map(({ tenant, name, digest }) => ({ server_id: id, tenant, name, digest, revision })),
    ...gone.map(({ tenant, name }) => ({ server_id: id, tenant, name, digest: null, revision })),
  ]
  for (const some of inBatches(rows))
    await scope
      .insert('server_rulesets', some)
      .onConflict((conflict) =>
        conflict.columns(['org_id', 'server_id', 'tenant', 'name']).doUpdateSet(upsertColumns('digest', 'revision')),
      )
      .execute()
  await scope.update('servers').set({ desired_revision: revision }).where('id', '=', id).execute()
  return true
}

const keyOf = ({ tenant, name }: { readonly tenant: string; readonly name: string }) => `${tenant}/${name}`

const nameTaken = (name: string, server: string) =>
  failures.conflict(
    'name_taken',
    `\`${server}\` has no tenants, and another environment that it serves has a ruleset \`${name}\``,
  )

/**
 * The rulesets that an engine should have. An engine with tenants serves each environment as a tenant with the environment's
 * ID. If an environment has canary engines, they have the candidates and the others the live rulesets.
 */
export async function desiredRulesets(scope: Scope, server: string, hasTenants: boolean): Promise<readonly Wanted[]> {
  const rows = await scope
    .read('environment_servers', 'desired_rulesets')
    .selectFrom('environment_servers as b')
    .innerJoin('desired_rulesets as d', 'd.environment_id', 'b.environment_id')
    .select(['d.environment_id', 'd.name', 'd.digest', 'b.canary_only'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('environment_servers as c')
          .select('c.server_id')
          .whereRef('c.environment_id', '=', 'b.environment_id')
          .where('c.canary_only', '=', true),
      ).as('has_canaries'),
    )
    .where('b.server_id', '=', server)
    .orderBy('d.name')
    .execute()
  return rows
    .filter(({ name, canary_only, has_canaries }) => canary_only === (isCandidate(name) && has_canaries === true))
    .map(({ environment_id: environment, name, digest }) => ({
      environment,
      tenant: hasTenants ? environment : '',
      name,
      digest,
    }))
}

/** Changes of an engine's desired state since a revision; after 0 the whole state. */
export async function changesAfter(
  tables: Kysely<Tables>,
  server: string,
  revision: number,
): Promise<readonly DesiredChange[]> {
  const rows = await tables
    .selectFrom('server_rulesets')
    .select(['tenant', 'name', 'digest'])
    .where('server_id', '=', server)
    .where('revision', '>', revision)
    .orderBy('tenant')
    .orderBy('name')
    .execute()
  return rows
    .filter(({ digest }) => revision > 0 || digest !== null)
    .map(({ tenant, name, digest }) => ({
      tenant: tenant === '' ? null : tenant,
      name,
      ...(digest === null ? { deleted: true } : { digest }),
    }))
}

/** A content that an engine should have. Throws `not-found` for any other. */
export async function contentFor({ unscoped }: Database, server: string, digest: string): Promise<string> {
  const found = /^[0-9a-f]{64}$/.test(digest)
    ? await unscoped.tables
        .selectFrom('server_rulesets as s')
        .innerJoin('ruleset_contents as c', 'c.digest', 's.digest')
        .select('c.content')
        .where('s.server_id', '=', server)
        .where('s.digest', '=', digest)
        .executeTakeFirst()
    : undefined
  if (found === undefined) throw failures.notFound('ruleset', digest)
  return found.content
}
