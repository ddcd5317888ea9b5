import { requirePlatform } from './platform.ts'

requirePlatform()

/** Of every platform that this package runs on; declared here because it knows none of them. */
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => {
  decode(bytes: Uint8Array): string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of Base64 (RFC 4648). Throws where it is none, or not of UTF-8. */
export function fromBase64(subject: string): string {
  return utf8.decode(Uint8Array.fromBase64(subject.trim()))
}

/** The bytes of Base64 in the alphabet for URLs, with padding or without. Throws where it is none. */
export function bytesOfBase64Url(subject: string): Uint8Array {
  return Uint8Array.fromBase64(subject.trim(), { alphabet: 'base64url' })
}

/** The text of Base64 in the alphabet for URLs. Throws where it is none, or not of UTF-8. */
export function fromBase64Url(subject: string): string {
  return utf8.decode(bytesOfBase64Url(subject))
}

/** Base64 in the alphabet for URLs, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

/** The text of hexadecimal digits. Throws where they are none, or not of UTF-8. */
export function fromHex(subject: string): string {
  return utf8.decode(Uint8Array.fromHex(subject.trim()))
}
