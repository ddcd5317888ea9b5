import { DeliverPolicy, JetStreamApiCodes, JetStreamApiError, type JsMsg, type StreamInfo } from '@nats-io/jetstream'
import { RequestError } from '@nats-io/transport-node'
import { type IncomingMessage, StateConflict, StoreRefusal } from './broker.ts'

/** The header with the revision of an event. */
export const REVISION = 'Engine-Revision'

/** Where a new consumer begins: at the first event, at the next one, or at a sequence number. */
export function beginningAt(from: 'first' | 'next' | number) {
  if (typeof from === 'number') return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }
  return { deliver_policy: from === 'first' ? DeliverPolicy.All : DeliverPolicy.New }
}

const CONFLICTS: ReadonlySet<number> = new Set([
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
])

/** The conflict behind a write of the state that another writer has overtaken; undefined: another error. */
export function conflictOf(error: unknown): StateConflict | undefined {
  const isConflict = error instanceof JetStreamApiError && CONFLICTS.has(error.code)
  return isConflict ? new StateConflict(error.message) : undefined
}

/** A message in the form of every broker. @param subject without the prefix */
export function incoming(message: JsMsg, subject: string): IncomingMessage {
  const revision = message.headers?.get(REVISION) ?? ''
  return {
    seq: message.seq,
    subject,
    revision: revision === '' ? undefined : Number(revision),
    payload: message.data,
    pending: message.info.pending,
    isRedelivered: message.redelivered,
    ack: () => message.ack(),
    retry: () => message.nak(1000),
  }
}

/** Undefined instead of a not-found error. */
export async function orNothing<T>(missing: number | readonly number[], request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof JetStreamApiError && [missing].flat().includes(error.code)) return undefined
    throw error
  }
}

/** Replicas of a stream that have not confirmed its last entries, or are offline. */
export function staleReplicasOf({ config: { name }, cluster }: StreamInfo): readonly string[] {
  const stale = (cluster?.replicas ?? []).filter(({ current, offline }) => !current || offline)
  return stale.map((replica) => `\`${name}\` on \`${replica.name}\``)
}

/** Error codes of the broker: no cluster, or too few servers at the moment. */
const TOO_FEW_SERVERS: ReadonlySet<number> = new Set([10_005, 10_023, 10_074])

/** Creates it with this number of replicas, or with one if the broker has too few servers at the moment. */
export async function inCopies<T>(copies: number, make: (copies: number) => Promise<T>): Promise<T> {
  try {
    return await make(copies)
  } catch (error) {
    if (copies > 1 && error instanceof JetStreamApiError && TOO_FEW_SERVERS.has(error.code)) return make(1)
    throw error
  }
}

/** Error code of the broker: it could not store a message. */
const STORE_FAILED = 10_077

/** The storage is full: an operator must make room, and recreating the stream does not help. */
const FULL = /exceeded|insufficient|no space|too large|quota/i

export function refusalOf(what: StoreRefusal['what'], error: unknown): unknown {
  const isRefusal = error instanceof JetStreamApiError && error.code === STORE_FAILED && !FULL.test(error.message)
  return isRefusal ? new StoreRefusal(what, error.message, { cause: error }) : error
}

/** The client's error class is not exported. */
export function hasNoResponders(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof RequestError && error.cause.isNoResponders()
}

/** Whether messages are in a stream whose subjects do not begin like those of this fleet. */
export function hasOthers(subjects: Readonly<Record<string, unknown>> | undefined, own: string): boolean {
  return Object.keys(subjects ?? {}).some((subject) => !subject.startsWith(own))
}

/** Bytes; the broker uses -1 for no limit. */
export function sizeLimit(size: number | undefined): number {
  return size === undefined || size <= 0 ? Infinity : size
}

/** Whether a subject of a stream covers everything that `<words>.>` covers. */
export function covers(subject: string, wanted: string): boolean {
  return subject === wanted || (subject.endsWith('.>') && wanted.startsWith(subject.slice(0, -1))) || subject === '>'
}
