import type { EngineRegistered, EngineRegistration } from '@engine/api'
import { HttpError } from '@engine/http-server'
import { createHash, createHmac, randomUUIDv7, timingSafeEqual } from 'node:crypto'
import { newToken, tokenHash } from '../../access/tokens.ts'
import type { AuditRecord } from '../../database/audit.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { databaseIdentity } from '../../database/identity.ts'
import type { OrgId } from '../../database/org-id.ts'
import { failures, PlatformError } from '../../errors.ts'
import type { RefusalAudit } from '../audit/refusals.ts'
import { projectTopic } from '../projects/service.ts'
import type { EngineAddresses } from './addresses.ts'
import { OFFLINE_MS } from './liveness.ts'

export interface RegistrationParts {
  readonly database: Database
  /** Each secret permits registration without an organization. */
  readonly secrets: readonly string[]
  readonly heartbeatIntervalSecs: number
  /** Secret key of the platform. */
  readonly key: Buffer
  readonly addresses: EngineAddresses
  readonly refusals: RefusalAudit
}

/** The credential of a registration request. */
export interface Proof {
  readonly connectToken: string | undefined
  readonly registrationSecret: string | undefined
}

/** The organization and token behind a credential. */
export interface Proved {
  readonly org: OrgId | null
  readonly connectTokenId: string | null
}

/** The origin of a request, for the audit log. */
export interface Sender {
  readonly address: string
  readonly requestId: string
  /** The address of the engine itself; undefined if unknown. */
  readonly peer: string | undefined
}

/** A registration whose address is allowed. */
interface Admitted extends Omit<EngineRegistration, 'url'> {
  readonly origin: string | null
  readonly peer: string | null
}

/**
 * Register an engine. A registration with the same organization and name reuses the record with new tokens. Throws 400 for an
 * address that engines may not have, 401 if the credential was revoked in the meantime, and 409 while another instance of the
 * name is in contact, or for an address of another organization's engine. Refusals are audited in the organization.
 */
export async function registerEngine(
  parts: RegistrationParts,
  registration: EngineRegistration,
  proved: Proved,
  sender: Sender,
): Promise<EngineRegistered> {
  try {
    return await registered(parts, registration, proved, sender)
  } catch (error) {
    if (proved.org !== null && isRefusal(error)) {
      const { name, url = null } = registration
      const actor = { type: 'server', id: name, name } as const
      await parts.refusals.record(
        proved.org,
        { actor, ip: sender.address, requestId: sender.requestId },
        { action: 'server.registration_refused', object: { id: name, name }, reason: error.message, asked: { url } },
      )
    }
    throw error
  }
}

const isRefusal = (error: unknown): error is HttpError | PlatformError =>
  (error instanceof HttpError && error.code === 'invalid-request') ||
  (error instanceof PlatformError && error.code === 'conflict')

async function registered(
  { database, heartbeatIntervalSecs, key, addresses }: RegistrationParts,
  { url, ...registration }: EngineRegistration,
  proved: Proved,
  sender: Sender,
): Promise<EngineRegistered> {
  const token = newToken('srv')
  const peer = sender.peer ?? null
  const admitted: Admitted = {
    ...registration,
    peer,
    origin: url === undefined ? null : await addresses.admit(url, peer),
  }
  const { id, generation, databaseId } = await database.unscoped.transaction(
    async (transaction) => {
      if (proved.connectTokenId !== null) await useToken(transaction, proved.connectTokenId)
      await refuseTaken(transaction, proved.org, admitted.origin)
      const record = await recorded(transaction, proved, admitted, token.hash)
      if (proved.org !== null) {
        await transaction.audit(
          proved.org,
          {
            actor: { type: 'server', id: record.id, name: registration.name },
            ip: sender.address,
            requestId: sender.requestId,
          },
          registeredRecord(record.id, admitted),
        )
        await wakeProjects(transaction, proved.org, record.id)
      }
      // A held heartbeat with the previous token ends with 401.
      await transaction.wake(serverTopic(record.id))
      return { ...record, databaseId: await databaseIdentity(transaction.tables) }
    },
    { isVital: true },
  )
  return {
    server_id: id,
    server_token: token.text,
    heartbeat_interval_secs: heartbeatIntervalSecs,
    proxy_token: proxyToken(key, id, generation),
    database_id: databaseId,
  }
}

const registeredRecord = (id: string, { name, origin, version, tenants }: Admitted): AuditRecord => ({
  action: 'server.registered',
  object: { id, name },
  after: { url: origin, version, tenants: tenants === true },
})

/** An address belongs to the engine that has proved it, while that engine is in contact. Throws 409. */
async function refuseTaken({ tables }: Transaction, org: OrgId | null, origin: string | null): Promise<void> {
  if (origin === null) return
  const since = new Date(Date.now() - OFFLINE_MS)
  const taken = await tables
    .selectFrom('servers')
    .select('id')
    .where('url', '=', origin)
    .where('identity', '=', 'proved')
    .where('org_id', 'is distinct from', org)
    .where((eb) =>
      eb.or([eb('last_heartbeat', '>', since), eb('held_until', '>', since), eb('updated_at', '>', since)]),
    )
    .limit(1)
    .executeTakeFirst()
  if (taken !== undefined)
    throw failures.conflict('in_use', `the address \`${origin}\` belongs to an engine of another organization`)
}

/** The proxy must learn the new token immediately. */
async function wakeProjects({ scope, wake }: Transaction, org: OrgId, server: string): Promise<void> {
  const serving = await scope(org)
    .read('environment_servers', 'environments')
    .selectFrom('environment_servers as b')
    .innerJoin('environments as e', 'e.id', 'b.environment_id')
    .select('e.project_id')
    .distinct()
    .where('b.server_id', '=', server)
    .execute()
  for (const { project_id: project } of serving) await wake(projectTopic(project))
}

/** Topic of changes to an engine's desired state, and of its deletion. */
export const serverTopic = (id: string) => `server:${id}`

/**
 * The token that the proxy sends to an engine. It is derived, not stored, so that a reader of the database cannot call
 * engines.
 */
export function proxyToken(key: Buffer, serverId: string, generation: number): string {
  return `eng_prx_${createHmac('sha256', key).update(`${serverId}:${generation}`).digest('base64url')}`
}

/** Check a registration credential. Throws 401 if it is missing, unknown or revoked. */
export async function prove(
  { database, secrets }: RegistrationParts,
  { connectToken, registrationSecret }: Proof,
): Promise<Proved> {
  const hash = connectToken === undefined ? undefined : tokenHash('con', connectToken)
  if (hash !== undefined) {
    const { tables } = database.unscoped
    const known = await tables
      .selectFrom('connect_tokens')
      .select(['org_id', 'id'])
      .where('token_hash', '=', hash)
      .executeTakeFirst()
    if (known !== undefined) return { org: known.org_id, connectTokenId: known.id }
  }
  if (connectToken === undefined && registrationSecret !== undefined && isOneOf(secrets, registrationSecret))
    return { org: null, connectTokenId: null }
  throw unproved()
}

const unproved = () =>
  failures.unauthorized(
    'an engine registers with `x-connect-token` or `x-registration-secret`; this one is missing, unknown or revoked',
  )

/** Fails if the token was revoked in the meantime. */
async function useToken({ tables }: Transaction, id: string): Promise<void> {
  const used = await tables
    .updateTable('connect_tokens')
    .set({ last_used_at: new Date() })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (used === undefined) throw unproved()
}

/** Compares with all secrets in constant time, so that the duration reveals nothing about them. */
function isOneOf(secrets: readonly string[], given: string): boolean {
  const digest = sha256(given)
  return secrets.map((secret) => timingSafeEqual(sha256(secret), digest)).includes(true)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

async function recorded(
  { tables }: Transaction,
  { org, connectTokenId }: Proved,
  { name, instance_id, origin, peer, region = '', version, capabilities = [], tenants = false }: Admitted,
  hash: Buffer,
): Promise<{ readonly id: string; readonly generation: number }> {
  const address = { url: origin, peer_address: peer, identity: 'pending', identity_problem: null } as const
  const told = { instance_id, ...address, region, version, capabilities: [...capabilities], tenants }
  const known = await tables
    .selectFrom('servers')
    .select(['id', 'instance_id', 'held_until', 'generation', 'tenants', 'rev'])
    .where('name', '=', name)
    .where('org_id', org === null ? 'is' : '=', org as OrgId)
    .forUpdate()
    .executeTakeFirst()
  if (known === undefined) {
    const row = { id: randomUUIDv7(), org_id: org, name, ...told, token_hash: hash, connect_token_id: connectTokenId }
    const made = await tables
      .insertInto('servers')
      .values({ ...row, created_by: connectTokenId ?? 'system' })
      .returning(['id', 'generation'])
      .executeTakeFirstOrThrow()
    return made
  }
  if (known.instance_id !== instance_id && known.held_until !== null && known.held_until.getTime() > Date.now())
    throw failures.conflict('busy', `another instance of \`${name}\` is in contact: give each engine a name of its own`)
  if (known.tenants !== tenants) await refuseOtherTenancy(tables, known.id, name)
  return tables
    .updateTable('servers')
    .set({
      ...told,
      token_hash: hash,
      connect_token_id: connectTokenId,
      generation: known.generation + 1,
      held_until: null,
      updated_at: new Date(),
      rev: known.rev + 1,
    })
    .where('id', '=', known.id)
    .returning(['id', 'generation'])
    .executeTakeFirstOrThrow()
}

/** Tenancy determines the desired state, so it cannot change while the engine is bound. */
async function refuseOtherTenancy(tables: Transaction['tables'], id: string, name: string): Promise<void> {
  const bound = await tables
    .selectFrom('environment_servers')
    .select('server_id')
    .where('server_id', '=', id)
    .executeTakeFirst()
  if (bound !== undefined)
    throw failures.conflict(
      'in_use',
      `\`${name}\` serves environments: unbind it before it begins or ceases to have tenants (--multi-tenancy-enabled)`,
    )
}
