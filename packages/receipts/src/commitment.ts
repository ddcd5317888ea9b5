import { type Value, writeJson } from '@engine/expression'
import { CANONICAL_FORM } from '@engine/signing'
import { hash, randomFillSync } from 'node:crypto'

/** Length of a salt in bytes. */
export const SALT_BYTES = 16

/** A committed text with its salt. Both together are the evidence; without the salt a commitment reveals nothing. */
export type SaltedText = readonly [salt: string, text: string]

/** Filled in one call: generating 16 bytes separately takes as long as a whole entry. */
const pool = Buffer.alloc(16 * 1024)
let used = pool.length

/** A new salt: base64url of 16 random bytes. */
export function createSalt(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const from = used
  used += SALT_BYTES
  return pool.toString('base64url', from, used)
}

/** The commitment to a text: base64url of the SHA-256 of `<salt>.<text>`. */
export function commitmentOf([salt, text]: SaltedText): string {
  return hash('sha256', `${salt}.${text}`, 'base64url')
}

/**
 * The canonical JSON of a value: RFC 8785, but with all digits of integers beyond 2^53 and of decimals. `parseJson`
 * with the numbers `exact` returns the same value. Throws `RangeError` for values nested some thousand deep.
 */
export function canonicalText(value: Value): string {
  const writing = writeJson(value, { form: CANONICAL_FORM })
  for (;;) {
    const text = writing.advance(Infinity)
    if (text !== undefined) return text
  }
}
