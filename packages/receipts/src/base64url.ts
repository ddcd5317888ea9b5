/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32

/** Base64url without padding (RFC 4648 section 5) of so many bytes; undefined for any other text, unused bits included. */
export function bytesOf(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : undefined
}
