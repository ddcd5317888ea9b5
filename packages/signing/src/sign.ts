import type { RulesetDocument } from '@engine/ruleset'
import { createPublicKey, type KeyObject, sign as signBytes } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'
import { embedded } from './signature.ts'

/**
 * The document with its signature embedded, in place of one that it had. Throws `UnsignableRuleset`.
 *
 * @param signedAt ISO 8601 UTC
 */
export function sign(document: RulesetDocument, privateKey: KeyObject, signedAt: string): RulesetDocument {
  const publicKey = createPublicKey(privateKey).export({ format: 'raw-public' })
  const signature = signBytes(null, Buffer.from(canonicalJson(document)), privateKey)
  return embedded(document, {
    public_key: publicKey.toString('base64'),
    signature: signature.toString('base64'),
    signed_at: signedAt,
  })
}
