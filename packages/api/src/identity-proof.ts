import { Type } from 'typebox'
import type { ReadonlyStatic } from './static.ts'

/**
 * How the platform finds out that an address belongs to the engine that registered it (docs/platform/engine-link.md): it sends
 * a nonce, and the engine answers with a keyed hash that only the holder of the token of that registration can compute. The
 * token itself crosses the wire in neither direction.
 */

/** Below the address of an engine. */
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

/** What a proof states. */
export interface IdentityStatement {
  readonly serverId: string
  /** Of the registration, as `parseWebOrigin` writes it. */
  readonly origin: string
  readonly nonce: string
}

/**
 * The text that is hashed, in UTF-8. Its first element keeps it apart from everything else that a token may ever be the key of;
 * the quotes of JSON keep the parts apart from each other.
 */
export function identityProofMessage({ serverId, origin, nonce }: IdentityStatement): string {
  return JSON.stringify(['engine-identity-proof/1', serverId, origin, nonce])
}
