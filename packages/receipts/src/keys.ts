import { isObject, type ObjectValue, parseJson, type Value } from '@engine/expression'
import { parsePublicKey } from '@engine/signing'
import { hash, type KeyObject, verify } from 'node:crypto'
import { bytesOf } from './base64url.ts'
import { type Checkpoint, signedBytes } from './checkpoint.ts'
import type { Fault } from './fault.ts'
import { Malformed, requireMembers, requireText } from './malformed.ts'

/** A key that verifies checkpoints, and its validity in epoch milliseconds, both ends inclusive. */
export interface ReceiptKey {
  readonly key: KeyObject
  readonly from: number
  readonly until: number
}

/** Keys by id. */
export type ReceiptKeys = ReadonlyMap<string, ReceiptKey>

/** The id of a key: the first 16 hexadecimal digits of the SHA-256 of its 32 bytes. */
export function keyId(publicKey: KeyObject): string {
  return hash('sha256', publicKey.export({ format: 'raw-public' }), 'hex').slice(0, 16)
}

/** `y` of the points of small order, top bit cleared: such a key accepts signatures that anyone can make. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

function receiptKey(text: string): KeyObject {
  const key = parsePublicKey(text)
  const raw = Buffer.from(key.export({ format: 'raw-public' }))
  raw[31] = (raw[31] ?? 0) & 0x7f
  if (SMALL_ORDER.has(raw.toString('hex')))
    throw new Malformed('the public key is a point of small order: anyone could sign for it')
  return key
}

/**
 * The keys of a file: one line of `engine keygen`, or a list `{"keys": [{"public_key", "from", "until"}]}`. Throws
 * `Malformed`, and `BadKey` of `@engine/signing`; neither message contains the text.
 */
export function parseReceiptKeys(text: string): ReceiptKeys {
  const trimmed = text.trim()
  const keys = trimmed.startsWith('{')
    ? directoryOf(trimmed)
    : [{ key: receiptKey(trimmed), from: 0, until: Number.MAX_SAFE_INTEGER }]
  return new Map(keys.map((one) => [keyId(one.key), one]))
}

const WHAT = 'key'

function directoryOf(text: string): readonly ReceiptKey[] {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new Malformed(`the keys are not valid JSON: ${parsed.problem.message}`)
  const keys = isObject(parsed.value) ? parsed.value['keys'] : undefined
  if (!Array.isArray(keys)) throw new Malformed('the keys must be an object such as {"keys": [{"public_key": "…"}]}')
  const read = (keys as readonly Value[]).map((one) => {
    if (!isObject(one)) throw new Malformed('each key must be an object such as {"public_key": "…"}')
    return listedKey(one)
  })
  if (new Set(read.map(({ key }) => keyId(key))).size < read.length)
    throw new Malformed('a key is listed twice: give it one time span')
  return read
}

function listedKey(one: ObjectValue): ReceiptKey {
  requireMembers(one, WHAT, ['public_key'], ['key', 'from', 'until'])
  const key = receiptKey(requireText(one, 'public_key', WHAT))
  if (Object.hasOwn(one, 'key') && one['key'] !== keyId(key))
    throw new Malformed('`key` is not the id of its `public_key`')
  const from = timeOf(one['from'], 0)
  const until = timeOf(one['until'], Number.MAX_SAFE_INTEGER)
  if (from > until) throw new Malformed('`from` of a key is later than its `until`')
  return { key, from, until }
}

function timeOf(value: Value | undefined, fallback: number): number {
  if (value === undefined || value === null) return fallback
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Malformed('`from` and `until` of a key must be epoch milliseconds')
  return value
}

const SIGNATURE_BYTES = 64

/** The last verified checkpoint by key: receipts of one tree are usually verified together. */
const lastVerified = new WeakMap<
  ReceiptKey,
  { readonly text: string; readonly signature: string; readonly holds: boolean }
>()

function holds(known: ReceiptKey, text: string, signature: string, bytes: Buffer): boolean {
  const last = lastVerified.get(known)
  if (last?.text === text && last.signature === signature) return last.holds
  const verified = { text, signature, holds: verify(null, signedBytes(text), known.key, bytes) }
  lastVerified.set(known, verified)
  return verified.holds
}

/** Why the signature of a checkpoint is invalid; undefined if it is valid. */
export function signatureFault(
  keys: ReceiptKeys,
  checkpoint: Checkpoint,
  text: string,
  signature: string,
): Fault | undefined {
  const known = keys.get(checkpoint.key)
  if (known === undefined)
    return { code: 'unknown-key', message: `it is signed by the key ${checkpoint.key}, which was not given` }
  if (checkpoint.time < known.from || checkpoint.time > known.until)
    return { code: 'expired-key', message: `the key ${checkpoint.key} does not sign at the time of the checkpoint` }
  const bytes = bytesOf(signature, SIGNATURE_BYTES)
  if (bytes === undefined)
    return { code: 'signature', message: `the signature is not base64url of ${SIGNATURE_BYTES} bytes` }
  return holds(known, text, signature, bytes)
    ? undefined
    : { code: 'signature', message: 'the signature is not that of the checkpoint by this key' }
}
