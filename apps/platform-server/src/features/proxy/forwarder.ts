import { byteChunks } from '@engine/process'
import { askForBody, HttpError, httpErrors } from '@engine/http-server'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { type Dispatcher, errors } from 'undici'
import type { EngineConnections } from '../engines/connections.ts'
import type { Claimant, Identities } from '../engines/identity.ts'
import { isShort, wholeOf } from './buffered-body.ts'
import { AnswerReader, type EngineAnswer, type Leaving } from './engine-answer.ts'

/** A request to one engine. */
export interface Forwarded {
  readonly engine: Claimant
  /** Path with its query on the engine. */
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: PassedBody | undefined
  /** Aborted when the caller disconnects. */
  readonly signal: Leaving
  /** Timeout for the headers of the answer in milliseconds; undefined: that of the connection. */
  readonly limitMs: number | undefined
}

/** Why an engine did not answer. */
export class Unreached extends Error {
  /** True if no part of the request was sent, so that another engine may be tried. */
  readonly isUnsent: boolean
  /** True if the engine did not answer in time. */
  readonly isLate: boolean
  constructor(cause: unknown, isUnsent: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.isUnsent = isUnsent
    this.isLate = /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(codeOf(cause))
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Sends requests to engines over persistent connections. */
export interface Forwarder {
  /** Rejects with `Unreached`, or `HttpError` for a body that is too large. */
  send(forwarded: Forwarded): Promise<EngineAnswer>
}

/** Sends requests only to engines that have proved their identity, and only at permitted addresses. */
export function createForwarder(
  connections: Pick<EngineConnections, 'to'>,
  identities: Pick<Identities, 'require' | 'doubt'>,
): Forwarder {
  return {
    async send({ engine, path, method, headers, body, signal, limitMs }) {
      const dispatcher = admitted(engine, limitMs)
      const pool = dispatcher instanceof Promise ? await dispatcher : dispatcher
      const reader = new AnswerReader(signal)
      try {
        pool.dispatch({ path, method, headers, body: body?.bytes() ?? null, headersTimeout: limitMs ?? null }, reader)
        return await reader.answer
      } catch (error) {
        if (body?.refusal !== undefined) throw body.refusal
        const failure = new Unreached(error, method === 'GET' || body === undefined ? !signal.aborted : !reader.isBegun)
        // A slow connection still leads to the same engine.
        if (!signal.aborted && !failure.isLate) identities.doubt(engine)
        throw failure
      }
    },
  }

  function admitted(engine: Claimant, limitMs: number | undefined): Dispatcher | Promise<Dispatcher> {
    try {
      const pool = connections.to(engine)
      const proof = identities.require(engine)
      return proof === undefined ? pool : proved(pool, limitMs === undefined ? proof : within(limitMs, proof))
    } catch (error) {
      throw new Unreached(error, true)
    }
  }

  async function proved(pool: Dispatcher, proof: Promise<void>): Promise<Dispatcher> {
    try {
      await proof
      return pool
    } catch (error) {
      throw new Unreached(error, true)
    }
  }
}

/** Rejects like a late answer. */
async function within(limitMs: number, proof: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new errors.HeadersTimeoutError('no proof of identity in time')), limitMs)
  try {
    await Promise.race([proof, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The body of a forwarded request: either buffered, or read from its sender only as fast as the engine accepts it. */
export interface PassedBody {
  /** Why the body is not forwarded; undefined if it is. */
  readonly refusal: HttpError | undefined
  /** True if the body is still complete after an engine has read some of it. */
  readonly isReplayable: boolean
  /** Called again for each engine that is tried. */
  bytes(): Readable | Buffer
}

/**
 * Undefined if the request has no body. Rejects with `HttpError` if the stated length exceeds the limit, and if the
 * sender of a short body disconnects.
 *
 * @param most maximum size in bytes
 * @param passes called with each part
 */
export async function passedBody(
  raw: IncomingMessage,
  most: number,
  passes: (part: Buffer) => void,
): Promise<PassedBody | undefined> {
  const { 'content-length': length, 'transfer-encoding': coding } = raw.headers
  if (coding === undefined && (length === undefined || length === '0')) return undefined
  if (Number(length) > most) throw httpErrors.tooLarge(most)
  if (!isShort(length)) return streamed(raw, most, passes)
  askForBody(raw)
  const whole = await wholeOf(raw)
  passes(whole)
  return { refusal: undefined, isReplayable: true, bytes: () => whole }
}

function streamed(raw: IncomingMessage, most: number, passes: (part: Buffer) => void): PassedBody {
  let refusal: HttpError | undefined
  async function* bytes(): AsyncIterable<Uint8Array> {
    askForBody(raw)
    let size = 0
    // If the body is abandoned, the connection stays open for the answer.
    for await (const part of byteChunks(raw.iterator({ destroyOnReturn: false }))) {
      size += part.length
      if (size > most) {
        refusal = httpErrors.tooLarge(most)
        throw refusal
      }
      passes(part)
      yield part
    }
  }
  return {
    get refusal() {
      return refusal
    },
    isReplayable: false,
    bytes: () => Readable.from(bytes(), { objectMode: false }),
  }
}
