import { type Static, Type } from 'typebox'
import { ListOf } from '../../resources/pagination.ts'
import { orNull } from '../../resources/resource-fields.ts'

const PublicKey = Type.String({ maxLength: 64, description: 'Ed25519, base64 of 32 bytes' })

/** Replaces all keys; existing signatures of releases are kept. */
export const TrustedKeys = Type.Object(
  { public_keys: Type.Array(PublicKey, { maxItems: 50 }) },
  {
    title: 'TrustedKeys',
    examples: [{ public_keys: ['MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI='] }],
    description: 'whose signatures of released rulesets the organization takes',
  },
)

/** Specification 2.7, as `engine sign` writes it to `_signature`. */
export const SignatureRequest = Type.Object(
  {
    algorithm: Type.Literal('ed25519'),
    public_key: PublicKey,
    signature: Type.String({ maxLength: 128, description: 'base64 of 64 bytes' }),
    signed_at: Type.Optional(Type.String({ format: 'date-time', maxLength: 64 })),
  },
  {
    title: 'ReleaseSignatureRequest',
    examples: [
      {
        algorithm: 'ed25519',
        public_key: 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=',
        signature: 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMg==',
      },
    ],
  },
)
export type SignatureRequest = Static<typeof SignatureRequest>

const SignedContent = Type.Object(
  {
    name: Type.String({ description: 'as engines have it: of the ruleset, or of its candidate in a canary' }),
    digest: Type.String(),
    public_key: orNull(Type.String({ description: 'null: it was not signed outside the platform' })),
    signed_at: orNull(Type.String()),
  },
  { title: 'ReleaseSignature' },
)

/** One content of a release with its external signature, if any. */
export type SignedContent = Static<typeof SignedContent>

/** All contents of a release, candidates included, for a tool that signs the unsigned ones. */
export const ReleaseSignatures = ListOf(SignedContent, 'ReleaseSignatures')
