import { isObject, parseJson, type Value } from '@engine/expression'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** What happened on the writer (specification 6.1). */
export type SyncEvent =
  | {
      readonly type: 'RulePut'
      readonly tenant: string
      readonly name: string
      readonly version: string
      /** JSON text of the ruleset. */
      readonly text: string
    }
  | { readonly type: 'RuleDeleted'; readonly tenant: string; readonly name: string }
  /** JSON text of all tenants, in the form of `tenants.json`. */
  | { readonly type: 'TenantConfigChanged'; readonly text: string }

/** An event with its sender. */
export interface Envelope {
  readonly instanceId: string
  readonly event: SyncEvent
  /** Epoch milliseconds by the sender's clock: for people and latency figures, never for order. */
  readonly timestampMs: number
}

/** Bytes that are no event. The message says why. */
export class BadEvent extends Error {}

/** Bytes that one message may grow to when it is unpacked: a ruleset of the largest request, quoted twice. */
const LARGEST = 256 * 1024 * 1024

/** How zstd frames begin (RFC 8878 section 3.1.1). No JSON begins so. */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** The JSON text of an envelope, as specification 6.1 has it. */
export function envelopeText({ instanceId, event, timestampMs }: Envelope): string {
  return JSON.stringify({ instance_id: instanceId, event: payloadOf(event), timestamp_ms: timestampMs })
}

function payloadOf(event: SyncEvent): Record<string, string> {
  switch (event.type) {
    case 'RulePut': {
      const { type, tenant, name, text, version } = event
      return { type, tenant_id: tenant, name, ruleset_json: text, version }
    }
    case 'RuleDeleted':
      return { type: event.type, tenant_id: event.tenant, name: event.name }
    case 'TenantConfigChanged':
      return { type: event.type, config_json: event.text }
  }
}

/** The envelope in a JSON value. Fields that are not known are passed over. Throws `BadEvent`. */
export function envelopeOf(value: Value): Envelope {
  if (!isObject(value)) throw new BadEvent('it is not an object')
  const { instance_id: instanceId, event = null, timestamp_ms: timestampMs } = value
  if (!isObject(event)) throw new BadEvent('`event` is not an object')
  return {
    instanceId: typeof instanceId === 'string' ? instanceId : '',
    event: eventOf(event),
    timestampMs: typeof timestampMs === 'number' ? timestampMs : 0,
  }
}

function eventOf(event: Readonly<Record<string, Value>>): SyncEvent {
  const text = (field: string): string => {
    const { [field]: value } = event
    if (typeof value !== 'string') throw new BadEvent(`\`event.${field}\` is not a text`)
    return value
  }
  const type = text('type')
  switch (type) {
    case 'RulePut':
      return {
        type,
        tenant: text('tenant_id'),
        name: text('name'),
        version: text('version'),
        text: text('ruleset_json'),
      }
    case 'RuleDeleted':
      return { type, tenant: text('tenant_id'), name: text('name') }
    case 'TenantConfigChanged':
      return { type, text: text('config_json') }
    default:
      throw new BadEvent(`an event \`${type.slice(0, 40)}\` is not known`)
  }
}

/** The JSON value in a message, packed or not. Throws `BadEvent`. */
export function readMessage(bytes: Uint8Array): Value {
  const parsed = parseJson(new TextDecoder().decode(unpacked(bytes)), { duplicateKeys: 'last' })
  if (parsed.kind === 'failed') throw new BadEvent(parsed.problem.message)
  return parsed.value
}

function unpacked(bytes: Uint8Array): Uint8Array {
  if (!ZSTD.equals(bytes.subarray(0, ZSTD.length))) return bytes
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: LARGEST })
  } catch (cause) {
    throw new BadEvent('it cannot be unpacked', { cause })
  }
}

/** The bytes of a message, packed when the broker would not take them as they are. */
export function messageBytes(text: string, maxPayload: number): Uint8Array {
  const bytes = Buffer.from(text)
  return bytes.length <= maxPayload ? bytes : zstdCompressSync(bytes)
}

/**
 * What an event is about, in the order of which nothing may go wrong: a ruleset of a tenant, or all tenants. Also the rest
 * of its subject: what is not a plain character is written as `=` and two hexadecimal digits, because `.`, `*`, `>` and
 * blanks mean something to the broker.
 */
export function subjectOf(event: SyncEvent): string {
  return event.type === 'TenantConfigChanged' ? TENANTS : ruleSubject(event.tenant, event.name)
}

/** The subject of `TenantConfigChanged`; no tenant may be called so. */
export const TENANTS = 'tenants'

/** The subject of a ruleset, without the prefix. */
export function ruleSubject(tenant: string, name: string): string {
  return `${token(tenant)}.${token(name)}`
}

function token(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/gu, (character) =>
    Array.from(Buffer.from(character), (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
}
