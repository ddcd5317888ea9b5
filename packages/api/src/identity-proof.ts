import { Type } from 'typebox'
import type { ReadonlyStatic } from './static.ts'

/**
 * How the platform verifies that an address belongs to the engine that registered it (docs/platform/engine-link.md): it
 * sends a nonce, and the engine answers with a keyed hash that only the holder of the registration's token can compute.
 * The token itself is never transmitted.
 */

/** Relative to the engine's address. */
export const IDENTITY_PROOF_PATH = '/api/v1/identity-proof'

/** Request of `POST /api/v1/identity-proof`. */
export const IdentityChallenge = Type.Object(
  { nonce: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: '32 random bytes in base64url' }) },
  { title: 'IdentityChallenge', additionalProperties: false },
)
export type IdentityChallenge = ReadonlyStatic<typeof IdentityChallenge>

/** Its answer. */
export const IdentityProof = Type.Object(
  {
    server_id: Type.String({ maxLength: 64, description: 'of the registration that the proof is for' }),
    proof: Type.String({
      maxLength: 64,
      description: 'HMAC-SHA-256 in base64url under the proxy token of that registration',
    }),
  },
  { title: 'IdentityProof' },
)
export type IdentityProof = ReadonlyStatic<typeof IdentityProof>

/** The statement proved. */
export interface IdentityStatement {
  readonly serverId: string
  /** The registered origin, normalized by `parseWebOrigin`. */
  readonly origin: string
  readonly nonce: string
}

/**
 * The text that is hashed, in UTF-8. Its first element separates it from any other use of the token as a key; JSON
 * quoting separates the parts.
 */
export function identityProofMessage({ serverId, origin, nonce }: IdentityStatement): string {
  return JSON.stringify(['engine-identity-proof/1', serverId, origin, nonce])
}
