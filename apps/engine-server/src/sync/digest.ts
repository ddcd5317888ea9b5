import { createHash } from 'node:crypto'
import type { StoredRuleset } from '../store/store.ts'

/** Bytes of SHA-256. */
const SIZE = 32

const digests = new WeakMap<StoredRuleset, Buffer>()

/**
 * A digest of everything that is stored: the sum (exclusive or) of a SHA-256 of each ruleset with its tenant, in
 * hexadecimal. It does not depend on the order, so instances that store the same give the same.
 */
export function stateDigest(rulesets: Iterable<readonly [tenant: string, ruleset: StoredRuleset]>): string {
  const sum = Buffer.alloc(SIZE)
  for (const [tenant, ruleset] of rulesets) {
    const digest = digestOf(tenant, ruleset)
    for (let at = 0; at < SIZE; at++) sum[at] = (sum[at] ?? 0) ^ (digest[at] ?? 0)
  }
  return sum.toString('hex')
}

/** Stored objects never change and belong to one tenant, so each is hashed once. */
function digestOf(tenant: string, ruleset: StoredRuleset): Buffer {
  const known = digests.get(ruleset)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(`${tenant}\0${ruleset.name}\0`).update(ruleset.text).digest()
  digests.set(ruleset, digest)
  return digest
}
