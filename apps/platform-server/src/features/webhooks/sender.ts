import { byteChunks } from '@engine/process'
import {
  createNameLookup,
  type Egress,
  EgressRefusal,
  guardedLookup,
  portOf,
  refuseAddress,
  type Resolve,
} from '@engine/egress'
import { Agent, type Dispatcher, Pool, request } from 'undici'

/** Timeouts for connecting, and for one attempt from its start to its answer. */
const TIMEOUTS_MS = { connect: 5000, attempt: 10_000 } as const
/** Maximum size of an answer, of which only the status is used, and of its headers, in bytes. */
const MAX_BYTES = { answer: 64 * 1024, headers: 16 * 1024 } as const
/** Maximum number of connections to one receiver. */
const MAX_CONNECTIONS = 8

/** The outcome of one attempt. */
export interface Outcome {
  /** Status of the answer; null if there was no answer. */
  readonly status: number | null
  /** The reason of a missing answer, for the log. */
  readonly reason: string | undefined
}

/** A message to send. */
export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends messages to untrusted receivers: with limits on time and size, and without following redirects. */
export interface Sender {
  /** Never rejects. Undefined if the signal aborted the attempt. */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Outcome | undefined>
  /** Throws `EgressRefusal` if the URL names an address that is never called. */
  refuse(url: URL): void
  close(): Promise<void>
}

/** @param resolve tests replace it */
export function createSender(egress: Egress, resolve: Resolve = createNameLookup()): Sender {
  const agent = new Agent({
    factory: (origin, options) => {
      const lookup = guardedLookup(egress, resolve, portOf(new URL(origin)))
      return new Pool(origin, { ...options, connect: { lookup, timeout: TIMEOUTS_MS.connect } })
    },
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_BYTES.headers,
  })

  async function attempted({ url, headers, body }: Outgoing, signal: AbortSignal): Promise<number> {
    const target = new URL(url)
    refuseAddress(egress, target)
    const answer = await request(target, { dispatcher: agent, method: 'POST', headers, body, signal })
    await emptied(answer.body)
    return answer.statusCode
  }

  return {
    async send(outgoing, signal) {
      const ending = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUTS_MS.attempt)])
      try {
        return { status: await attempted(outgoing, ending), reason: undefined }
      } catch (error) {
        return signal.aborted ? undefined : { status: null, reason: reasonOf(error, ending.aborted) }
      }
    },
    refuse: (url) => refuseAddress(egress, url),
    close: () => agent.destroy(),
  }
}

/**
 * Reads an answer to its end, so that the connection can be reused; an answer that is too large closes the connection,
 * and its status still counts.
 */
async function emptied(body: Dispatcher.ResponseData['body']): Promise<void> {
  let size = 0
  // Abandoning an answer emits an error on its stream only.
  body.on('error', () => undefined)
  for await (const part of byteChunks(body)) if ((size += part.length) > MAX_BYTES.answer) break
}

function reasonOf(error: unknown, isLate: boolean): string {
  if (isLate) return `no answer within ${TIMEOUTS_MS.attempt} ms`
  if (error instanceof EgressRefusal) return error.message
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
