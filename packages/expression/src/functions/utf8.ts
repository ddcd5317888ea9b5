import { requirePlatform } from './platform.ts'

requirePlatform()

/**
 * Exists on every platform that this package runs on; declared here because the package includes no platform's types.
 */
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => {
  decode(bytes: Uint8Array): string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decode Base64 text (RFC 4648). Throws when it is malformed or not UTF-8. */
export function fromBase64(subject: string): string {
  return utf8.decode(Uint8Array.fromBase64(subject.trim()))
}

/** Decode Base64 in the URL-safe alphabet to bytes, with or without padding. Throws when it is malformed. */
export function bytesOfBase64Url(subject: string): Uint8Array {
  return Uint8Array.fromBase64(subject.trim(), { alphabet: 'base64url' })
}

/** Decode text in URL-safe Base64. Throws when it is malformed or not UTF-8. */
export function fromBase64Url(subject: string): string {
  return utf8.decode(bytesOfBase64Url(subject))
}

/** Encode bytes in URL-safe Base64 without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

/** Decode hexadecimal text. Throws when it is malformed or not UTF-8. */
export function fromHex(subject: string): string {
  return utf8.decode(Uint8Array.fromHex(subject.trim()))
}
