import { createHash } from 'node:crypto'
import type { StoredRuleset } from '../store/store.ts'

/** 32-bit words of SHA-256: combining words takes a quarter of the steps of bytes. */
const WORDS = 8

const digests = new WeakMap<StoredRuleset, Uint32Array>()

/**
 * A digest of all stored rulesets: the sum (exclusive or) of a SHA-256 of each ruleset with its tenant, in
 * hexadecimal. It does not depend on the order, so instances with the same rulesets have the same digest.
 */
export function stateDigest(rulesets: Iterable<readonly [tenant: string, ruleset: StoredRuleset]>): string {
  const sum = new Uint32Array(WORDS)
  for (const [tenant, ruleset] of rulesets) {
    const digest = digestOf(tenant, ruleset)
    for (let at = 0; at < WORDS; at++) sum[at] = (sum[at] ?? 0) ^ (digest[at] ?? 0)
  }
  return Buffer.from(sum.buffer).toString('hex')
}

/** Stored objects never change and belong to one tenant, so each is hashed once. */
function digestOf(tenant: string, ruleset: StoredRuleset): Uint32Array {
  const known = digests.get(ruleset)
  if (known !== undefined) return known
  const bytes = createHash('sha256').update(`${tenant}\0${ruleset.name}\0`).update(ruleset.text).digest()
  // Copied to align it to words.
  const digest = new Uint32Array(new Uint8Array(bytes).buffer)
  digests.set(ruleset, digest)
  return digest
}
