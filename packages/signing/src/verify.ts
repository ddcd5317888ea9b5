import type { RulesetDocument } from '@engine/ruleset'
import { verify as verifyBytes } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'
import { BadKey, bytesOf, parsePublicKey } from './keys.ts'
import { type Signature, SIGNATURE_BYTES } from './signature.ts'

/** Public keys in base64. Strict base64 is unique, so texts can be compared. */
export type TrustedKeys = ReadonlySet<string>

/** A required signature is missing. Worded by specification 7.1. */
export const NO_SIGNATURE = 'no signature found'

/** Why a signature is invalid, as worded in specification 7.1. */
export type SignatureFault = 'untrusted public key' | 'invalid signature' | 'invalid public key base64'

/**
 * Why a document's signature is invalid; undefined when it is valid. An untrusted key is never used. Throws
 * `UnsignableRuleset`.
 */
export function verify(
  document: RulesetDocument,
  signature: Signature,
  trusted: TrustedKeys,
): SignatureFault | undefined {
  const verification = startVerification(signature, trusted)
  return verification.fault ?? verification.finish(canonicalJson(document))
}

/** A signature with a trusted key: its message can be computed now. */
export type Verification =
  | { readonly fault: SignatureFault }
  | {
      readonly fault?: undefined
      /** Why it is invalid for a document with this canonical JSON (`canonicalWriting`). */
      finish(canonical: string): SignatureFault | undefined
    }

/** The part of `verify` that does not need the document. */
export function startVerification({ public_key, signature }: Signature, trusted: TrustedKeys): Verification {
  const key = keyOf(public_key)
  if (key === undefined) return { fault: 'invalid public key base64' }
  if (!trusted.has(public_key)) return { fault: 'untrusted public key' }
  const bytes = bytesOf(signature)
  if (bytes?.length !== SIGNATURE_BYTES) return { fault: 'invalid signature' }
  return {
    finish: (canonical) => (verifyBytes(null, Buffer.from(canonical), key, bytes) ? undefined : 'invalid signature'),
  }
}

function keyOf(text: string) {
  try {
    return parsePublicKey(text)
  } catch (error) {
    if (error instanceof BadKey) return undefined
    throw error
  }
}
