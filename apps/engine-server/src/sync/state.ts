import { isObject, parseJson, type Value } from '@engine/expression'
import type { StateEntry } from './broker.ts'
import {
  BadEvent,
  checkSubject,
  type Envelope,
  type SyncEvent,
  envelopeOf,
  envelopeText,
  readMessage,
  readMessageInTurns,
  subjectOf,
} from './event.ts'
import type { OutboxEvent } from './outbox.ts'
import { LAST_REVISION } from './revisions.ts'

/**
 * The keys of the state bucket that are not subjects: the writer lease, and the checkpoint. They cannot collide with
 * subjects: in these, the tenant is followed by a dot.
 */
export const LEASE = 'lease'
export const CHECKPOINT = 'head'

/** A summary of the writer's state, written when all changes are published. */
export interface Checkpoint {
  readonly instanceId: string
  /** The highest published revision. */
  readonly revision: number
  /** See `stateDigest`. */
  readonly digest: string
  readonly rulesets: number
  /** Epoch milliseconds by the writer's clock. */
  readonly timestampMs: number
}

/** Held by the writer: one run of one instance. */
export interface Lease {
  readonly instanceId: string
  readonly session: string
  /** A revision, which orders runs: the run with the greater one started later. Undefined: written by an older release. */
  readonly began: number | undefined
}

/** The last change of one subject. */
export interface StateRecord {
  readonly subject: string
  readonly revision: number
  readonly envelope: Envelope
}

/** A change in the form of the outbox and the state bucket: the envelope with two additional fields. */
export function outboxEvent(envelope: Envelope, revision: number): OutboxEvent {
  const subject = subjectOf(envelope.event)
  const { type } = envelope.event
  return {
    revision,
    subject,
    type,
    text: `${JSON.stringify({ revision, subject }).slice(0, -1)},${envelopeText(envelope).slice(1)}`,
  }
}

/** Parses a change; undefined: the text is not one. */
export function outboxEventOf(text: string): OutboxEvent | undefined {
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  if (parsed.kind === 'failed' || !isObject(parsed.value)) return undefined
  const { revision, subject, event = null } = parsed.value
  if (typeof revision !== 'number' || typeof subject !== 'string' || !isObject(event)) return undefined
  return { revision, subject, type: event['type'] as SyncEvent['type'], text }
}

/** The envelope of a change, in the form of the stream. */
export function eventText({ revision, subject, text }: OutboxEvent): string {
  return `{${text.slice(JSON.stringify({ revision, subject }).length)}`
}

/**
 * Reads a record of the state bucket. A long one is parsed in pieces, between other requests. Rejects with `BadEvent`,
 * also if the record belongs to another subject.
 *
 * @param largest maximum bytes after decompression
 */
export async function readRecord(subject: string, bytes: Uint8Array, largest?: number): Promise<StateRecord> {
  return recordOf(subject, await readMessageInTurns(bytes, largest))
}

/**
 * Validates a decoded record. Throws `BadEvent`.
 *
 * @internal
 */
export function recordOf(subject: string, record: Value): StateRecord {
  if (!isObject(record)) throw new BadEvent('it is not an object')
  const { revision } = record
  if (typeof revision !== 'number' || !isRevision(revision)) throw new BadEvent('`revision` is not an integer from 1')
  const envelope = envelopeOf(record)
  checkSubject(subject, envelope.event)
  return { subject, revision, envelope }
}

/** Whether a number is a valid revision. */
export function isRevision(revision: number): boolean {
  return Number.isSafeInteger(revision) && revision > 0
}

/** Whether a state record marks its subject as deleted. */
export function isTombstone({ type }: SyncEvent): boolean {
  return type === 'RuleDeleted'
}

export function checkpointBytes({ instanceId, revision, digest, rulesets, timestampMs }: Checkpoint): Uint8Array {
  const checkpoint = { instance_id: instanceId, revision, digest, rulesets, timestamp_ms: timestampMs }
  return Buffer.from(JSON.stringify(checkpoint))
}

/** Undefined: the entry is invalid. */
export function checkpointOf({ value }: StateEntry): Checkpoint | undefined {
  const { instance_id: instanceId, revision, digest, rulesets = 0, timestamp_ms: timestampMs = 0 } = fieldsIn(value)
  if (typeof instanceId !== 'string' || typeof digest !== 'string') return undefined
  // A writer without any change has revision 0.
  if (typeof revision !== 'number' || !(revision === 0 || isRevision(revision))) return undefined
  return { instanceId, revision, digest, rulesets: Number(rulesets), timestampMs: Number(timestampMs) }
}

export function leaseBytes({ instanceId, session, began }: Lease): Uint8Array {
  return Buffer.from(JSON.stringify({ instance_id: instanceId, session, began }))
}

/** Undefined: the entry is invalid. */
export function leaseOf({ value }: StateEntry): Lease | undefined {
  const { instance_id: instanceId, session, began } = fieldsIn(value)
  if (typeof instanceId !== 'string' || typeof session !== 'string') return undefined
  const isCounted = typeof began === 'number' && isRevision(began) && began <= LAST_REVISION
  return { instanceId, session, began: isCounted ? began : undefined }
}

/** Maximum bytes of a checkpoint or lease, parsed in one piece; those of a writer have some 300. */
const MAX_HEAD_BYTES = 64 * 1024

/** Empty unless the value is an object of at most `MAX_HEAD_BYTES` bytes. */
function fieldsIn(value: Uint8Array): Readonly<Record<string, Value>> {
  if (value.length > MAX_HEAD_BYTES) return {}
  try {
    const read = readMessage(value, MAX_HEAD_BYTES)
    return isObject(read) ? read : {}
  } catch (error) {
    if (error instanceof BadEvent) return {}
    throw error
  }
}
