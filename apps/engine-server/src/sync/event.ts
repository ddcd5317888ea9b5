import { isObject, LONG_JSON, type ParsedJson, parseJson, readJson, type Value, quote } from '@engine/expression'
import { promisify } from 'node:util'
import { zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { inTurns } from '@engine/process'

/** A change on the writer (specification 6.1). */
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
  /** Epoch milliseconds by the sender's clock: for display and latency metrics, never for ordering. */
  readonly timestampMs: number
}

/** Bytes that are not a valid event. The message contains the reason. */
export class BadEvent extends Error {}

/**
 * Maximum bytes of a message after decompression, given the maximum request: the event quotes the ruleset once more, which
 * doubles its size if it consists of quotes. Writers accept nothing that becomes larger.
 */
export function largestMessage(maxRequestBytes: number): number {
  return 2 * maxRequestBytes + 65_536
}

/** `largestMessage` of the default of `--max-request-body-bytes`. */
export const DEFAULT_MAX_EVENT_BYTES = largestMessage(10_485_760)

/** The magic number of zstd frames (RFC 8878 section 3.1.1). No JSON text starts with it. */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** The JSON text of an envelope (specification 6.1). */
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

/** The envelope in a JSON value. Unknown fields are ignored. Throws `BadEvent`. */
export function envelopeOf(value: Value): Envelope {
  if (!isObject(value)) throw new BadEvent('it is not an object')
  const { instance_id: instanceId, event = null, timestamp_ms: timestampMs } = value
  if (!isObject(event)) throw new BadEvent('`event` is not an object')
  const read = eventOf(event)
  if (typeof instanceId !== 'string' || instanceId === '') throw new BadEvent('`instance_id` is not a text, or empty')
  if (typeof timestampMs !== 'number' || !Number.isSafeInteger(timestampMs))
    throw new BadEvent('`timestamp_ms` is not an integer')
  return { instanceId, event: read, timestampMs }
}

/**
 * Checks that an event matches its subject: broker permissions are granted by subject. Third-party writers do not escape
 * names, so a name with dots is accepted unescaped as well. Throws `BadEvent`.
 */
export function checkSubject(subject: string, event: SyncEvent): void {
  const raw = event.type === 'TenantConfigChanged' ? TENANTS : `${event.tenant}.${event.name}`
  const isRaw = raw === subject && (event.type === 'TenantConfigChanged' || token(event.tenant) === event.tenant)
  if (isRaw || subjectOf(event) === subject) return
  throw new BadEvent(`its subject is ${quote(subject)}, and it is about ${quote(subjectOf(event))}`)
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
      throw new BadEvent(`an event ${quote(type)} is not known`)
  }
}

/**
 * The JSON value in a message, compressed or not. Throws `BadEvent`. Blocks the event loop for some 20 ms per MB: use
 * `readMessageInTurns` for potentially long messages.
 *
 * @param largest maximum bytes after decompression
 */
export function readMessage(bytes: Uint8Array, largest = DEFAULT_MAX_EVENT_BYTES): Value {
  const size = packedSize(bytes, largest)
  try {
    return valueIn(parseJson(textOf(size === undefined ? bytes : zstdDecompressSync(bytes, upTo(size))), LAST))
  } catch (error) {
    throw badEvent(error)
  }
}

/** Like `readMessage`; a long message is decompressed on another thread and parsed in pieces between other requests. */
export async function readMessageInTurns(bytes: Uint8Array, largest = DEFAULT_MAX_EVENT_BYTES): Promise<Value> {
  const size = packedSize(bytes, largest)
  if ((size ?? bytes.length) <= LONG_JSON) return readMessage(bytes, largest)
  try {
    const text = textOf(size === undefined ? bytes : await unpack(bytes, upTo(size)))
    return valueIn(await inTurns(readJson(text, LAST)))
  } catch (error) {
    throw badEvent(error)
  }
}

const unpack = promisify(zstdDecompress)
const LAST = { duplicateKeys: 'last' } as const

const upTo = (size: number) => ({ maxOutputLength: Math.max(1, size) })
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function valueIn(parsed: ParsedJson): Value {
  if (parsed.kind === 'failed') throw new BadEvent(parsed.problem.message)
  return parsed.value
}

/** All other errors come from decompression. */
function badEvent(error: unknown): BadEvent {
  return error instanceof BadEvent ? error : new BadEvent('it cannot be unpacked', { cause: error })
}

/** Bytes of a compressed message after decompression; undefined: it is not compressed. Throws `BadEvent`. */
function packedSize(bytes: Uint8Array, largest: number): number | undefined {
  if (!ZSTD.equals(bytes.subarray(0, ZSTD.length))) return undefined
  const size = unpackedSize(bytes)
  // Checked before decompression: a few bytes can become gigabytes, and each attempt is expensive.
  if (size === undefined || size > largest)
    throw new BadEvent(`it does not declare a size of at most ${largest} bytes unpacked (--max-request-body-bytes)`)
  return size
}

/** The content size in a zstd frame header (RFC 8878 section 3.1.1.1); undefined: not declared. */
function unpackedSize(bytes: Uint8Array): number | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 18))
  const descriptor = view[ZSTD.length] ?? 0
  const isSingle = (descriptor & 0x20) !== 0
  const length = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  const at = ZSTD.length + 1 + (isSingle ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0)
  if (length === 0 || view.length < at + length) return undefined
  if (length === 8) return Number(view.readBigUInt64LE(at))
  return view.readUIntLE(at, length) + (length === 2 ? 256 : 0)
}

/** The bytes of a message, compressed if they exceed the broker's limit. */
export function messageBytes(text: string, maxPayload: number): Uint8Array {
  const bytes = Buffer.from(text)
  return bytes.length <= maxPayload ? bytes : zstdCompressSync(bytes)
}

/**
 * The ordering key of an event: a ruleset of a tenant, or all tenants. Also the suffix of its subject: special
 * characters are written as `=` and two hexadecimal digits, because `.`, `*`, `>` and blanks have a meaning to the
 * broker.
 */
export function subjectOf(event: SyncEvent): string {
  return event.type === 'TenantConfigChanged' ? TENANTS : ruleSubject(event.tenant, event.name)
}

/** The subject of `TenantConfigChanged`, a reserved name: no tenant may have it. */
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
