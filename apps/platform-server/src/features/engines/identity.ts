import { IDENTITY_PROOF_PATH, IdentityProof, type IdentityProof as Proof, identityProofMessage } from '@engine/api'
import { quote } from '@engine/expression'
import { shapeFaults } from '@engine/http-api'
import { delay, type Log, parsedJson, within } from '@engine/process'
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

/** Milliseconds for a challenge and its answer. */
const CHALLENGE_TIMEOUT_MS = 5000
/** Bytes of an answer. */
const MAX_ANSWER_BYTES = 4096
/** Milliseconds for which a proof counts: an address may change hands while its registration stays. */
const PROOF_LIFETIME_MS = 600_000
/** Milliseconds until an engine that has failed is asked again. */
const RETRY_AFTER_MS = 1000
/** An engine that registers gets its token a moment later: milliseconds, and tries, for that. */
const SETTLING_MS = 5000
const SETTLING_PAUSE_MS = 100
/** Milliseconds that a decision waits until an outcome is stored: the proof itself needs no database. */
const STORE_WAIT_MS = 250
/** Engines that are remembered; those that were asked first are forgotten first. */
const MAX_ENGINES = 10_000

/** An engine that is to prove that its address belongs to its registration. */
export interface Claimant extends EngineEndpoint {
  readonly org: OrgId
  readonly name: string
  readonly registeredAt: Date
}

/** An engine has not proved its identity, and gets nothing. The message says why. */
export class IdentityNotProved extends Error {}

/** An engine cannot be asked at this moment; nothing is known about its identity. */
class Unanswered extends Error {}

/** Asks engines to prove their identity (docs/platform/engine-link.md), once for each registration. */
export interface Identities {
  /**
   * Undefined: it is proved. Otherwise resolves when it is; all who ask at the same time wait for one answer. Rejects with
   * `IdentityNotProved`, or with the error of the connection.
   */
  require(claimant: Claimant): Promise<void> | undefined
  /** The connection to it broke: at its address may be another engine by now. */
  doubt(endpoint: EngineEndpoint): void
}

export interface IdentityParts {
  readonly database: Database
  readonly connections: Pick<EngineConnections, 'to'>
  readonly refusals: RefusalAudit
  /** Of the platform. */
  readonly key: Buffer
  /** Whether engines of versions without a proof are refused. */
  readonly requireIdentityProof: boolean
  readonly log: Log
  /** The shutdown has begun. */
  readonly closing: AbortSignal
}

/** What is known of one registration. Times are of the monotonic clock, in milliseconds. */
type Known =
  | { readonly kind: 'asked'; readonly proof: Promise<void> }
  | { readonly kind: 'admitted'; readonly until: number }
  | { readonly kind: 'failed'; readonly error: IdentityNotProved; readonly until: number }

/** What an engine answered. */
type Outcome =
  | { readonly kind: 'proved' }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Undefined: it has no address that decisions could be sent to, or belongs to no organization. */
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
          remember(key, { kind: 'failed', error, until: performance.now() + RETRY_AFTER_MS })
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

/** Ask an engine, and keep what came of it. Rejects where it may get nothing. */
async function admitted(parts: IdentityParts, claimant: Claimant): Promise<void> {
  const outcome = await settled(parts, claimant)
  const isRefused = outcome.kind === 'failed' || (outcome.kind === 'unsupported' && parts.requireIdentityProof)
  const reason =
    outcome.kind === 'failed'
      ? outcome.reason
      : outcome.kind === 'unsupported'
        ? 'it is of a version that cannot prove it: upgrade the engine'
        : null
  await within(STORE_WAIT_MS, stored(parts, claimant, outcome.kind, reason, isRefused))
  if (isRefused)
    throw new IdentityNotProved(`the engine ${quote(claimant.name)} has not proved its identity: ${reason}`)
}

/** An outcome that cannot be stored, as the database is away, counts all the same; the next proof stores it. */
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

/** The outcome, after the moment in which an engine that has just registered does not have its token yet. */
async function settled(parts: IdentityParts, claimant: Claimant): Promise<Outcome> {
  for (;;) {
    const outcome = await challenged(parts, claimant)
    const isSettling = Date.now() - claimant.registeredAt.getTime() < SETTLING_MS
    if (outcome.kind !== 'failed' || !isSettling || parts.closing.aborted) return outcome
    if (!(await isCurrent(parts, claimant))) throw registeredAgain()
    await delay(SETTLING_PAUSE_MS)
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

/** Undefined: it is longer than a proof. */
async function textOf(body: Dispatcher.ResponseData['body']): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  // Giving up an answer is an error to its stream, and to nothing else.
  body.on('error', () => undefined)
  for await (const part of body as AsyncIterable<Buffer>) {
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
 * Whether a proof is that of the claimant, or of another engine of its organization that is registered at the same address:
 * behind a load balancer any of them answers.
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

/** Whether that was not known before. Rejects where the engine has registered again: that has an outcome of its own. */
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
