import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Runtime } from '../runtime.ts'

/** An incremental digest. */
export interface Hash {
  update(bytes: Uint8Array): unknown
  digest(): Uint8Array
}

/** Characters hashed between two charges. */
const STRIDE = 16_384

/** The digest of a text. Charges each character while hashing. */
export function digested({ budget }: Runtime, hash: Hash, subject: string): Uint8Array {
  for (let start = 0; start < subject.length;) {
    // Do not split a surrogate pair.
    const end = start + STRIDE + (isHighSurrogate(subject.charCodeAt(start + STRIDE - 1)) ? 1 : 0)
    const part = subject.slice(start, end)
    budget.spend(2 * part.length)
    hash.update(utf8ToBytes(part))
    start = end
  }
  return hash.digest()
}

/** A digest that can be keyed; `block`: its block size in bytes. */
export interface Keyed {
  readonly hash: Parameters<typeof hmac.create>[0]
  readonly block: number
}

export const HS256: Keyed = { hash: sha256, block: 64 }

/** The keyed digests, by their names in RFC 7518. */
export const KEYED: ReadonlyMap<string, Keyed> = new Map([
  ['HS256', HS256],
  ['HS384', { hash: sha384, block: 128 }],
  ['HS512', { hash: sha512, block: 128 }],
])

/** The HMAC of a text (RFC 2104): a key longer than the block size is replaced by its digest. */
export function authenticated(runtime: Runtime, { hash, block }: Keyed, secret: string, subject: string): Uint8Array {
  const key = secret.length > block ? digested(runtime, hash.create(), secret) : utf8ToBytes(secret)
  return digested(runtime, hmac.create(hash, key), subject)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}
