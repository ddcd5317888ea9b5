import type { EngineRegistered, EngineRegistration } from '@engine/api'
import { createHash, createHmac, randomUUIDv7, timingSafeEqual } from 'node:crypto'
import { newToken, tokenHash } from '../../access/tokens.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { databaseIdentity } from '../../database/identity.ts'
import type { OrgId } from '../../database/org-id.ts'
import { failures } from '../../errors.ts'

export interface RegistrationParts {
  readonly database: Database
  /** Any of them registers for no organization. */
  readonly secrets: readonly string[]
  readonly heartbeatIntervalSecs: number
  /** Of the platform. */
  readonly key: Buffer
}

/** The proof that an engine may register. */
export interface Proof {
  readonly connectToken: string | undefined
  readonly registrationSecret: string | undefined
}

/** What a proof stands for. */
export interface Proved {
  readonly org: OrgId | null
  readonly connectTokenId: string | null
}

/** Whose request it is, for the audit. */
export interface Sender {
  readonly address: string
  readonly requestId: string
}

/**
 * Register an engine: the same organization and name are the same record, with new tokens. Throws 401 when the proof was revoked meanwhile, 409
 * while another instance of the name is in contact.
 */
export async function registerEngine(
  parts: RegistrationParts,
  registration: EngineRegistration,
  proved: Proved,
  sender: Sender,
): Promise<EngineRegistered> {
  const { database, heartbeatIntervalSecs, key } = parts
  const token = newToken('srv')
  const { id, generation, databaseId } = await database.unscoped.transaction(async (transaction) => {
    if (proved.connectTokenId !== null) await useToken(transaction, proved.connectTokenId)
    const record = await recorded(transaction, proved, registration, token.hash)
    if (proved.org !== null)
      await transaction.audit(
        proved.org,
        {
          actor: { type: 'server', id: record.id, name: registration.name },
          ip: sender.address,
          requestId: sender.requestId,
        },
        {
          action: 'server.registered',
          object: { id: record.id, name: registration.name },
          after: {
            url: registration.url ?? null,
            version: registration.version,
            tenants: registration.tenants === true,
          },
        },
      )
    // A heartbeat of the token before is answered, with 401.
    await transaction.wake(serverTopic(record.id))
    return { ...record, databaseId: await databaseIdentity(transaction.tables) }
  })
  return {
    server_id: id,
    server_token: token.text,
    heartbeat_interval_secs: heartbeatIntervalSecs,
    proxy_token: proxyToken(key, id, generation),
    database_id: databaseId,
  }
}

/** Woken when an engine should have something else, or is no engine any more. */
export const serverTopic = (id: string) => `server:${id}`

/**
 * The token by which the proxy is let in at an engine. It is computed and not stored: who reads the database can call no
 * engine.
 */
export function proxyToken(key: Buffer, serverId: string, generation: number): string {
  return `eng_prx_${createHmac('sha256', key).update(`${serverId}:${generation}`).digest('base64url')}`
}

/** What the proof of a request stands for. Throws 401 for one that is missing, unknown or revoked. */
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

/** It may have been revoked since. */
async function useToken({ tables }: Transaction, id: string): Promise<void> {
  const used = await tables
    .updateTable('connect_tokens')
    .set({ last_used_at: new Date() })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (used === undefined) throw unproved()
}

/** Each is compared, in constant time, so that the time taken reveals nothing about any of them. */
function isOneOf(secrets: readonly string[], given: string): boolean {
  const digest = sha256(given)
  return secrets.map((secret) => timingSafeEqual(sha256(secret), digest)).includes(true)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

async function recorded(
  { tables }: Transaction,
  { org, connectTokenId }: Proved,
  registration: EngineRegistration,
  hash: Buffer,
): Promise<{ readonly id: string; readonly generation: number }> {
  const { name, instance_id, url = null, region = '', version, capabilities = [], tenants = false } = registration
  const told = { instance_id, url, region, version, capabilities: [...capabilities], tenants }
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

/** What a bound engine should have depends on whether it has tenants. */
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
