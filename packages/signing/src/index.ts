export { CANONICAL_FORM, canonicalJson, canonicalWriting, UnsignableRuleset } from './canonical-json.ts'
export { BadKey, generateKeys, parsePrivateKey, parsePublicKey, type KeyPair } from './keys.ts'
export {
  embedded,
  MalformedSignature,
  signatureOf,
  SIGNATURE_FIELD,
  type Signature,
  withoutSignature,
} from './signature.ts'
export { publicKeyOf, sign, signatureOver } from './sign.ts'
export { NO_SIGNATURE, startVerification, verify, type SignatureFault, type TrustedKeys } from './verify.ts'
export { BadBinary, decodeBinary, encodeBinary, unfoldBinary } from './binary.ts'
