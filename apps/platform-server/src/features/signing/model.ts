import { Type } from 'typebox'

/** Sets the key by which the platform signs released rulesets; stored encrypted. */
export const SigningKeyRequest = Type.Object(
  {
    private_key: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Ed25519, base64 of 32 bytes, as `engine keygen` makes it; never read back',
    }),
  },
  { title: 'SigningKeyRequest', examples: [{ private_key: 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=' }] },
)

/** The public half of the key of a project. */
export const SigningKey = Type.Object(
  {
    public_key: Type.Union([Type.String(), Type.Null()], {
      description: 'base64 of 32 bytes, for `--signature-trusted-keys` of engines; null: rulesets are not signed',
    }),
  },
  { title: 'SigningKey' },
)
