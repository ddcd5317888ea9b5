import type { RulesetDocument } from '@engine/ruleset'
import { createPublicKey, type KeyObject, sign as signBytes } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'
import { embedded, type Signature } from './signature.ts'

/** The public key of a private one, base64 of 32 bytes. */
export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: 'raw-public' }).toString('base64')
}

/**
 * The signature of a document, given its canonical JSON (`canonicalWriting`).
 *
 * @param signedAt ISO 8601 UTC
 */
export function signatureOver(canonical: string, privateKey: KeyObject, signedAt: string): Signature {
  return {
    public_key: publicKeyOf(privateKey),
    signature: signBytes(null, Buffer.from(canonical), privateKey).toString('base64'),
    signed_at: signedAt,
  }
}

/**
 * The document with its signature embedded, replacing an existing one. Throws `UnsignableRuleset`.
 *
 * @param signedAt ISO 8601 UTC
 */
export function sign(document: RulesetDocument, privateKey: KeyObject, signedAt: string): RulesetDocument {
  return embedded(document, signatureOver(canonicalJson(document), privateKey, signedAt))
}
