import { IDENTITY_PROOF_PATH, IdentityProof, type IdentityProof as Proof, identityProofMessage } from '@engine/api'
import { quote } from '@engine/expression'
import { shapeFaults } from '@engine/http-api'
import { byteChunks, delay, type Log, parsedJson, within } from '@engine/process'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { SYSTEM } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import { isUnavailable } from '../../database/availability.ts'
import type { RefusalAudit } from '../audit/refusals.ts'
import { storedOrigin } from './addresses.ts'
import { type EngineConnections, type EngineEndpoint, endpointKey } from './connections.ts'
import type { ServerRow } from './liveness.ts'
import { proxyToken } from './registration.ts'

/** Timeout for a challenge and its response. */
const CHALLENGE_TIMEOUT_MS = 5000
/** Maximum size of a response in bytes. */
const MAX_ANSWER_BYTES = 4096
/** Validity of a proof: an address can be reassigned while its registration stays. */
const PROOF_LIFETIME_MS = 600_000
/** Delay before a failed engine is challenged again. */
const RETRY_DELAY_MS = 1000
/**
 * A newly registered engine receives its token with a delay: how long failures are retried, and the delay between
 * retries.
 */
const SETTLING_TIMEOUT_MS = 5000
const SETTLING_RETRY_DELAY_MS = 100
/** Longest wait of a decision for an outcome to be stored; the proof itself does not depend on the database. */
const STORE_TIMEOUT_MS = 250
/** Maximum number of engines whose state is cached; the oldest entry is evicted first. */
const MAX_ENGINES = 10_000

/** An engine that must prove that its address belongs to its registration. */
export interface Claimant extends EngineEndpoint {
  readonly org: OrgId
  readonly name: string
  readonly registeredAt: Date
}

/** An engine has not proved its identity and receives no requests. The message contains the reason. */
export class IdentityNotProved extends Error {}

/** An engine cannot be challenged now, so its identity is unknown. */
class Unanswered extends Error {}

/** Verifies the identity of engines (docs/platform/engine-link.md), once per registration. */
export interface Identities {
  /**
   * Undefined if the identity is proved. Otherwise resolves once it is; concurrent callers share one challenge. Rejects with
   * `IdentityNotProved`, or with the error of the connection.
   */
  require(claimant: Claimant): Promise<void> | undefined
  /** The connection broke: another engine may have the address now. */
  doubt(endpoint: EngineEndpoint): void
}

export interface IdentityParts {
  readonly database: Database
  readonly connections: Pick<EngineConnections, 'to'>
  readonly refusals: RefusalAudit
  /** Secret key of the platform. */
  readonly key: Buffer
  /** True if the platform refuses engines of versions that cannot prove their identity. */
  readonly requireIdentityProof: boolean
  readonly log: Log
  /** Aborted when the shutdown begins. */
  readonly closing: AbortSignal
}

/** Cached state of one registration. Times are milliseconds of the monotonic clock. */
type Known =
  | { readonly kind: 'asked'; readonly proof: Promise<void> }
  | { readonly kind: 'admitted'; readonly until: number }
  | { readonly kind: 'failed'; readonly error: IdentityNotProved; readonly until: number }

/** The outcome of a challenge. */
type Outcome =
  | { readonly kind: 'proved' }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Undefined if the engine has no address for decisions, or belongs to no organization. */
export function claimantOf({
  id,
  org_id: org,
  name,
  generation,
  url,
  peer_address: peer,
  updated_at: registeredAt,
}: Pick<ServerRow, 'id' | 'org_id' | 'name' | 'generation' | 'url' | 'peer_address' | 'updated_at'>):
  | Claimant
  | undefined {
  const origin = storedOrigin(url)
  return origin === undefined || org === null ? undefined : { id, org, name, generation, origin, peer, registeredAt }
}

export function createIdentities(parts: IdentityParts): Identities {
  const known = new Map<string, Known>()

  function remember(key: string, state: Known): void {
    known.delete(key)
    const [oldest] = known.keys()
    if (known.size >= MAX_ENGINES && oldest !== undefined) known.delete(oldest)
    known.set(key, state)
  }

  function ask(key: string, claimant: Claimant): Promise<void> {
    const proof = admitted(parts, claimant).then(
      () => remember(key, { kind: 'admitted', until: performance.now() + PROOF_LIFETIME_MS }),
      (error: unknown) => {
        if (error instanceof IdentityNotProved)
          remember(key, { kind: 'failed', error, until: performance.now() + RETRY_DELAY_MS })
        else known.delete(key)
        throw error
      },
    )
    remember(key, { kind: 'asked', proof })
    return proof
  }

  return {
    require(claimant) {
      const key = endpointKey(claimant)
      const state = known.get(key)
      if (state === undefined) return ask(key, claimant)
      if (state.kind === 'asked') return state.proof
      if (state.until <= performance.now()) return ask(key, claimant)
      return state.kind === 'admitted' ? undefined : Promise.reject(state.error)
    },
    doubt(endpoint) {
      const key = endpointKey(endpoint)
      if (known.get(key)?.kind === 'admitted') known.delete(key)
    },
  }
}

/** Challenge an engine and store the outcome. Rejects if the engine must not receive requests. */
async function admitted(parts: IdentityParts, claimant: Claimant): Promise<void> {
  const outcome = await settled(parts, claimant)
  const isRefused = outcome.kind === 'failed' || (outcome.kind === 'unsupported' && parts.requireIdentityProof)
  const reason =
    outcome.kind === 'failed'
      ? outcome.reason
      : outcome.kind === 'unsupported'
        ? 'it is of a version that cannot prove it: upgrade the engine'
        : null
  await within(STORE_TIMEOUT_MS, stored(parts, claimant, outcome.kind, reason, isRefused))
  if (isRefused)
    throw new IdentityNotProved(`the engine ${quote(claimant.name)} has not proved its identity: ${reason}`)
}

/** An outcome still counts if the database is unavailable; the next proof stores it. */
async function stored(
  parts: IdentityParts,
  claimant: Claimant,
  identity: Outcome['kind'],
  reason: string | null,
  isRefused: boolean,
): Promise<void> {
  try {
    const isNew = await keep(parts, claimant, identity, reason)
    if (isNew && reason !== null) await report(parts, claimant, reason, isRefused)
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
}

/** The outcome of a challenge. Failures of a newly registered engine are retried, since it may not have its token yet. */
async function settled(parts: IdentityParts, claimant: Claimant): Promise<Outcome> {
  for (;;) {
    const outcome = await challenged(parts, claimant)
    const isSettling = Date.now() - claimant.registeredAt.getTime() < SETTLING_TIMEOUT_MS
    if (outcome.kind !== 'failed' || !isSettling || parts.closing.aborted) return outcome
    if (!(await isCurrent(parts, claimant))) throw registeredAgain()
    await delay(SETTLING_RETRY_DELAY_MS)
  }
}

const registeredAgain = () => new Unanswered('the engine has registered again')

async function challenged(parts: IdentityParts, claimant: Claimant): Promise<Outcome> {
  const nonce = randomBytes(32).toString('base64url')
  const signal = AbortSignal.any([parts.closing, AbortSignal.timeout(CHALLENGE_TIMEOUT_MS)])
  const { statusCode: status, body } = await parts.connections.to(claimant).request({
    method: 'POST',
    path: IDENTITY_PROOF_PATH,
    headers: { 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' },
    body: JSON.stringify({ nonce }),
    signal,
  })
  const text = await textOf(body)
  if (status === 404 || status === 405) return { kind: 'unsupported' }
  if (status === 429 || status >= 500) throw new Unanswered(`the engine answered a challenge with ${status}`)
  if (status !== 200) return { kind: 'failed', reason: `it answered a challenge with ${status}` }
  const proof = text === undefined ? undefined : await proofIn(text)
  if (proof === undefined) return { kind: 'failed', reason: 'its answer to a challenge is no proof' }
  return (await isValid(parts, claimant, proof, nonce))
    ? { kind: 'proved' }
    : { kind: 'failed', reason: 'at its address is another engine, or another registration of it' }
}

/** Undefined if the body is longer than a proof. */
async function textOf(body: Dispatcher.ResponseData['body']): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  // Aborting the body emits an error on its stream only.
  body.on('error', () => undefined)
  for await (const part of byteChunks(body)) {
    if ((size += part.length) > MAX_ANSWER_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

async function proofIn(text: string): Promise<Proof | undefined> {
  const parsed = await parsedJson(text, { duplicateKeys: 'last' })
  return parsed.kind === 'parsed' && shapeFaults(IdentityProof, parsed.value).length === 0
    ? (parsed.value as unknown as Proof)
    : undefined
}

/**
 * Whether a proof comes from the claimant, or from another engine of its organization with the same address: behind a load
 * balancer, any of them may answer.
 */
async function isValid(
  { database, key }: IdentityParts,
  { id, generation, origin, org }: Claimant,
  { server_id: serverId, proof }: Proof,
  nonce: string,
): Promise<boolean> {
  const other =
    serverId === id
      ? { id, generation }
      : await database
          .scope(org)
          .read('servers')
          .selectFrom('servers')
          .select(['id', 'generation'])
          .where((eb) => eb(eb.cast<string>('id', 'text'), '=', serverId))
          .where('url', '=', origin)
          .executeTakeFirst()
  if (other === undefined) return false
  const expected = createHmac('sha256', proxyToken(key, other.id, other.generation))
    .update(identityProofMessage({ serverId: other.id, origin, nonce }))
    .digest()
  const given = Buffer.from(proof, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

async function isCurrent({ database }: IdentityParts, { id, org, generation }: Claimant): Promise<boolean> {
  const row = await database
    .scope(org)
    .read('servers')
    .selectFrom('servers')
    .select('generation')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.generation === generation
}

/**
 * Store an outcome; returns whether it is new. Rejects if the engine has registered again, because the new registration has
 * its own outcome.
 */
async function keep(
  parts: IdentityParts,
  claimant: Claimant,
  identity: Outcome['kind'],
  problem: string | null,
): Promise<boolean> {
  const { id, org, generation, origin } = claimant
  const changed = await parts.database.note(org, ({ scope }) =>
    scope
      .update('servers')
      .set({ identity, identity_problem: problem, url: origin })
      .where('id', '=', id)
      .where('generation', '=', generation)
      .where((eb) => eb.or([eb('identity', '!=', identity), eb('identity_problem', 'is distinct from', problem)]))
      .returning('id')
      .executeTakeFirst(),
  )
  if (changed === undefined && !(await isCurrent(parts, claimant))) throw registeredAgain()
  return changed !== undefined
}

async function report(
  { refusals, log }: IdentityParts,
  { id, name, org, origin }: Claimant,
  reason: string,
  isRefused: boolean,
): Promise<void> {
  if (!isRefused) {
    const hint = 'decisions are sent to an engine that cannot prove its identity; --require-identity-proof refuses them'
    return log.warn({ server_id: id, name, url: origin }, hint)
  }
  log.warn({ server_id: id, name, url: origin, reason }, 'an engine has not proved its identity, and gets no decisions')
  await refusals.record(org, SYSTEM, {
    action: 'server.identity_refused',
    object: { id, name },
    reason,
    asked: { url: origin },
  })
}
