import { stringifyJson, type Value } from '@engine/expression'
import type { Answer } from '@engine/http-server'
import { jsonText } from '@engine/process'
import type { Selectable } from 'kysely'
import { randomUUID, subtle } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { failures, PlatformError } from '../errors.ts'
import type { UncheckedRequest, Route } from './route.ts'

/** Answers requests by their route; a repeated request with the same `idempotency-key` gets the first answer again. */
export interface Idempotency {
  answer(route: Route, arrived: UncheckedRequest): Promise<Answer | undefined>
}

const KEY = /^[\x21-\x7e]{1,255}$/

/** How long a first answer is kept. */
const RETENTION_MS = 24 * 3600 * 1000

/** Thrown from the checks of a request that was answered before, so that its handler does not run. */
class Repeated extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super('the request was answered before')
    this.answer = answer
  }
}

/**
 * The claim expired while the request was being answered, and a retry has claimed the key: the changes of this request
 * are rolled back.
 */
class Superseded extends Error {
  constructor() {
    super('a retry has taken the idempotency key over')
  }
}

type IdempotencyDatabase = Pick<Database, 'unscoped' | 'unitOfWork'>

/** The outcome of a request: its response, or its error. */
type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer | undefined }
  | { readonly kind: 'refused'; readonly error: unknown }

/**
 * Idempotency keys in the database, shared by all replicas. A key is claimed after all checks have passed and the body
 * is read; a failed request releases it. The response is stored in the transaction of the change: after a crash either
 * both exist, and a retry gets the first response, or neither, and a retry makes the change. The claim of a process
 * that was killed before its commit expires; until then a retry gets 409 `busy`.
 *
 * @param claimMs duration of a claim in milliseconds; renewed while the request is being answered
 */
export function createIdempotency(database: IdempotencyDatabase, claimMs: number): Idempotency {
  const claims = createClaims(database, claimMs)
  return {
    async answer(route, arrived) {
      const key = arrived.raw.headers['idempotency-key']
      if (route.isIdempotent !== true || key === undefined) return route.run(arrived)
      if (typeof key !== 'string' || !KEY.test(key))
        throw failures.refused('the header `idempotency-key` must have 1 to 255 visible characters')
      const caller = await arrived.caller()
      if (caller === undefined) return route.run(arrived)
      const place = { caller: `${caller.kind}:${caller.id}`, key, claim: randomUUID() }
      let renewal: NodeJS.Timeout | undefined
      const claimed = claiming(arrived, async (digest) => {
        await claims.claim(place, `${route.method} ${arrived.raw.url ?? ''}`, digest)
        renewal = setInterval(() => void claims.renew(place).catch(() => {}), claimMs / 3)
      })
      try {
        const outcome = await database.unitOfWork(async (): Promise<Outcome> => {
          try {
            const answer = await route.run(claimed)
            if (answer !== undefined && renewal !== undefined) await claims.keep(place, answer)
            return { kind: 'answered', answer }
          } catch (error) {
            // A refusal may include a change: a release whose approvals no longer suffice waits for others.
            if (error instanceof PlatformError && error.code === 'conflict') return { kind: 'refused', error }
            throw error
          }
        })
        if (outcome.kind === 'refused') throw outcome.error
        return outcome.answer
      } catch (error) {
        if (error instanceof Repeated) return error.answer
        if (error instanceof Superseded) return await claims.firstAnswer(place)
        if (renewal !== undefined) await claims.giveBack(place)
        throw error
      } finally {
        clearInterval(renewal)
      }
    },
  }
}

/** One request with a key; a retry has another claim. */
interface Place {
  readonly caller: string
  readonly key: string
  readonly claim: string
}

/** The rows of idempotency keys; each member acts on the row that the place has claimed. */
interface Claims {
  /**
   * Throws `Repeated` if the request was answered before; 409 if it is being answered, or if the key belongs to another
   * request.
   */
  claim(place: Place, route: string, digest: Buffer): Promise<void>
  renew(place: Place): Promise<void>
  /** Stores the response. Throws `Superseded`. */
  keep(place: Place, answer: Answer): Promise<void>
  giveBack(place: Place): Promise<void>
  /** The response of the first request. Throws 409 if there is none yet. */
  firstAnswer(place: Place): Promise<Answer>
}

function createClaims(database: IdempotencyDatabase, claimMs: number): Claims {
  const { tables } = database.unscoped
  return { claim, renew, keep, giveBack, firstAnswer }

  /** A stored answer is kept: if the connection failed during the commit, the change may have been made. */
  async function giveBack({ caller, key, claim: own }: Place): Promise<void> {
    await tables
      .deleteFrom('idempotency_keys')
      .where('caller', '=', caller)
      .where('key', '=', key)
      .where('claim', '=', own)
      .where('answer_status', 'is', null)
      .execute()
  }

  /** If an attempt fails, the next one renews the claim, or the claim expires. */
  async function renew(place: Place): Promise<void> {
    await ownRow(place)
      .set({ expires_at: new Date(Date.now() + claimMs) })
      .execute()
  }

  function ownRow({ caller, key, claim: own }: Place) {
    return tables
      .updateTable('idempotency_keys')
      .where('caller', '=', caller)
      .where('key', '=', key)
      .where('claim', '=', own)
      .where('answer_status', 'is', null)
  }

  async function claim(place: Place, route: string, digest: Buffer): Promise<void> {
    await tables
      .deleteFrom('idempotency_keys')
      .where('caller', '=', place.caller)
      .where('key', '=', place.key)
      .where('expires_at', '<', new Date())
      .execute()
    const claimed = await tables
      .insertInto('idempotency_keys')
      .values({ ...place, route, request_digest: digest, expires_at: new Date(Date.now() + claimMs) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst()
    if (claimed !== undefined) return
    const first = await rowOf(place)
    if (first !== undefined && (first.route !== route || !first.request_digest.equals(digest)))
      throw failures.conflict('duplicate', 'this `idempotency-key` was sent with another request: take a new one')
    throw new Repeated(answerOf(first))
  }

  function rowOf({ caller, key }: Place) {
    return tables
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('caller', '=', caller)
      .where('key', '=', key)
      .executeTakeFirst()
  }

  async function firstAnswer(place: Place): Promise<Answer> {
    return answerOf(await rowOf(place))
  }

  async function keep(place: Place, { status, body = '', headers = {} }: Answer): Promise<void> {
    const kept = await ownRow(place)
      .set({
        answer_status: status,
        answer_headers: stringifyJson(headers),
        answer_body: typeof body === 'string' ? Buffer.from(body) : body,
        expires_at: new Date(Date.now() + RETENTION_MS),
      })
      .executeTakeFirst()
    if (kept.numUpdatedRows === 0n) throw new Superseded()
  }
}

/** Throws 409 if the first request has no answer yet. */
function answerOf(first: Selectable<Tables['idempotency_keys']> | undefined): Answer {
  if (first === undefined || first.answer_status === null)
    throw failures.conflict('busy', 'the first request with this `idempotency-key` has no answer yet')
  return {
    status: first.answer_status,
    body: first.answer_body ?? '',
    headers: { ...first.answer_headers, 'idempotency-replayed': 'true' },
  }
}

/**
 * SHA-256 of a body, computed off the event loop: 50 MiB take 100 ms and more. A body that is not JSON is hashed as
 * received.
 */
async function digestOf(body: unknown): Promise<Buffer> {
  const bytes = Buffer.isBuffer(body) ? (body as Buffer<ArrayBuffer>) : Buffer.from(await jsonText(body as Value))
  return Buffer.from(await subtle.digest('SHA-256', bytes))
}

/** The same request, which claims its key between its checks and its handler. */
function claiming(arrived: UncheckedRequest, claim: (digest: Buffer) => Promise<void>): UncheckedRequest {
  return {
    ...arrived,
    async body<Body extends TSchema>(schema: Body): Promise<Static<Body>> {
      const body = await arrived.body(schema)
      await claim(await digestOf(body))
      return body
    },
  }
}
