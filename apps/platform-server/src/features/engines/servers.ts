import { jsonValue, type Value } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { createPauses } from '@engine/process'
import type { Caller } from '../../access/caller.ts'
import { type Member, memberOf, membershipsOf, NO_ORG, organizationsAround } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { isId, type OrgId } from '../../database/org-id.ts'
import { bytesOf, type CutPage, type Page, roomyRows } from '../../database/page.ts'
import { stepOf } from '../../database/time-buckets.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { HistoryRange } from '../../resources/history-range.ts'
import { projectTopic } from '../projects/service.ts'
import { storedOrigin } from './addresses.ts'
import { livenessOf, type ServerRow } from './liveness.ts'
import { driftProblems } from './drift-differences.ts'
import type { Server } from './model.ts'
import { receiptProblems } from './receipt-witness.ts'
import { serverTopic } from './registration.ts'

/** The engine in the request path. */
export interface AtServer {
  readonly member: Member
  readonly server: ServerRow & { readonly org_id: OrgId }
}

/** @param intervalMs interval of heartbeats */
export function serverOf(row: ServerRow, intervalMs: number): Server {
  const { healthy, status, last } = livenessOf(row, intervalMs, Date.now())
  const { id, name, region, url, version, capabilities, tenants, desired_revision, applied_revision } = row
  return {
    id,
    org_id: row.org_id ?? '',
    name,
    region,
    url,
    version,
    capabilities,
    tenants,
    healthy,
    status,
    identity: row.identity,
    last_heartbeat: last?.toISOString() ?? null,
    current_rulesets: row.current_rulesets,
    desired_revision,
    applied_revision,
    problems: problemsOf(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Problems of an engine: those of its address, those that it reports, drift, and contradictions of its receipts. */
export function problemsOf(
  row: Pick<ServerRow, 'url' | 'identity' | 'identity_problem' | 'problems' | 'drift' | 'receipt_faults'>,
): Server['problems'] {
  const message = addressProblem(row)
  return [
    ...(message === undefined ? [] : [{ code: 'identity_not_proved', message }]),
    ...(row.problems as Server['problems']),
    ...driftProblems(row.drift, Date.now()),
    ...receiptProblems(row.receipt_faults),
  ]
}

function addressProblem({
  url,
  identity,
  identity_problem: problem,
}: Pick<ServerRow, 'url' | 'identity' | 'identity_problem'>) {
  if (url !== null && storedOrigin(url) === undefined)
    return 'its address is no origin (`http(s)://host[:port]`): no decisions are sent to it until it registers again'
  return identity === 'failed' ? `identity not proved: ${problem}` : undefined
}

/** Find the engine `:id` in an organization of the caller. Throws `not-found`, also for engines without an organization. */
export function atServer(database: Database) {
  return async (caller: Caller, { id = '' }: Readonly<Record<string, string>>): Promise<AtServer> => {
    const row = isId(id)
      ? await database.unscoped.tables.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirst()
      : undefined
    const org = row?.org_id ?? undefined
    const member = await memberOf(database, caller, org ?? NO_ORG)
    if (row === undefined || org === undefined || member === undefined) throw failures.notFound('server', id)
    return { member, server: { ...row, org_id: org } }
  }
}

/**
 * A page of the engines in organizations that the caller may read, with one extra row when another page follows.
 *
 * @param only the organization of the request; undefined means all of them
 */
export async function serversFor(
  database: Database,
  caller: Caller,
  only: string | undefined,
  page: Page,
): Promise<CutPage<ServerRow>> {
  const orgs = only === undefined ? await orgsOf(database, caller) : await namedOrg(database, caller, only)
  if (orgs.length === 0) return { rows: [], page }
  const all = database.unscoped.tables.selectFrom('servers').where('org_id', 'in', orgs)
  return roomyRows(all.select(bytesOf('current_rulesets', 'problems')), all.selectAll(), page, {
    key: page.sort,
    id: 'id',
    texts: ['name', 'region'],
  })
}

/** Throws `not-found` for an organization that the caller does not know. */
async function namedOrg(database: Database, caller: Caller, id: string): Promise<readonly OrgId[]> {
  const member = await memberOf(database, caller, id)
  if (member === undefined) throw failures.notFound('organization', id)
  return member.permissions.has('project.read') ? [member.org] : []
}

async function orgsOf(database: Database, caller: Caller): Promise<readonly OrgId[]> {
  const { tables } = database.unscoped
  const candidates = caller.kind === 'key' ? [caller.orgId] : await organizationsAround(tables, caller.id)
  const members = await membershipsOf(database, caller, candidates)
  return Array.from(members.values())
    .filter(({ permissions }) => permissions.has('project.read'))
    .map(({ org }) => org)
}

/** Delete an engine and revoke its token. A running engine registers again with its next request. */
export function deleteServer(acting: Acting<AtServer>, force: boolean, intervalMs: number): Promise<void> {
  const { server } = acting.place
  return acting.change(async ({ scope, audit, wake }) => {
    const bound = await scope
      .read('environment_servers', 'environments')
      .selectFrom('environment_servers as b')
      .innerJoin('environments as e', 'e.id', 'b.environment_id')
      .select(['e.name', 'e.project_id'])
      .where('b.server_id', '=', server.id)
      .execute()
    const [first] = bound
    if (first !== undefined && !force)
      throw failures.conflict(
        'in_use',
        `it serves the environment \`${first.name}\`: unbind it first, or pass \`?force=true\``,
      )
    const gone = await scope.delete('servers').where('id', '=', server.id).returning('id').executeTakeFirst()
    if (gone === undefined) throw failures.notFound('server', server.id)
    await audit({
      action: 'server.deleted',
      object: { id: server.id, name: server.name },
      before: auditedOf(serverOf(server, intervalMs)),
    })
    await wake(serverTopic(server.id))
    for (const { project_id: project } of bound) await wake(projectTopic(project))
  })
}

/** Only the settings of the engine are audited; its reports change by themselves. */
function auditedOf({ name, region, url, version, tenants }: Server): Value {
  return { name, region, url, version, tenants }
}

/** Maximum number of points in one history, over all series. */
const MAX_POINTS = 100_000

/** The history of an engine, aggregated by step. Throws 400 if it has too many points. */
export async function historyOf(database: Database, server: string, { from, to, stepSeconds }: HistoryRange) {
  const step = stepOf('at', stepSeconds)
  const rows = await database.unscoped.tables
    .selectFrom('metric_points')
    .select(['name', 'labels', step.as('step')])
    .select(({ fn }) => fn.sum<number>('value').as('value'))
    .where('server_id', '=', server)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy(['name', 'labels', step])
    .orderBy('name')
    .orderBy('labels')
    .orderBy(step)
    .limit(MAX_POINTS + 1)
    .execute()
  if (rows.length > MAX_POINTS)
    throw invalidParameter('step', `is too short for as many rulesets: there would be more than ${MAX_POINTS} points`)
  const series = new Map<string, { name: string; labels: string; points: { at: string; value: number }[] }>()
  const paused = createPauses()
  for (const { name, labels, step: index, value } of rows) {
    const one = series.getOrInsertComputed(`${name} ${labels}`, () => ({ name, labels, points: [] }))
    one.points.push({ at: new Date(index * stepSeconds * 1000).toISOString(), value })
    await paused()
  }
  return {
    step_seconds: stepSeconds,
    series: Array.from(series.values(), ({ name, labels, points }) => ({
      name,
      labels: jsonValue(labels) as Record<string, string>,
      points,
    })),
  }
}
