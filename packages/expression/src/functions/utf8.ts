import { BYTES } from './bytes-as-text.ts'

/**
 * Exists on every platform that this package runs on; declared here because the package includes no platform's types.
 */
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => {
  decode(bytes: Uint8Array): string
}

declare const TextEncoder: new () => { encode(text: string): Uint8Array }

const encoder = new TextEncoder()

/** Text as UTF-8; half of a surrogate pair becomes U+FFFD. */
export function bytesOfText(subject: string): Uint8Array {
  return encoder.encode(subject)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decode Base64 text (RFC 4648). Throws when it is malformed or not UTF-8. */
export function fromBase64(subject: string): string {
  return utf8.decode(BYTES.fromBase64(subject.trim()))
}

/** Decode Base64 in the URL-safe alphabet to bytes, with or without padding. Throws when it is malformed. */
export function bytesOfBase64Url(subject: string): Uint8Array {
  return BYTES.fromBase64Url(subject.trim())
}

/** Decode text in URL-safe Base64. Throws when it is malformed or not UTF-8. */
export function fromBase64Url(subject: string): string {
  return utf8.decode(bytesOfBase64Url(subject))
}

/** Encode bytes in URL-safe Base64 without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return BYTES.toBase64Url(bytes)
}

/** Decode hexadecimal text. Throws when it is malformed or not UTF-8. */
export function fromHex(subject: string): string {
  return utf8.decode(BYTES.fromHex(subject.trim()))
}
