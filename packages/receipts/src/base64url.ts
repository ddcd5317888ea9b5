/** Length of a SHA-256 hash in bytes. */
export const HASH_BYTES = 32

/**
 * Decodes base64url without padding (RFC 4648 section 5) of this length; undefined for any other text, including one
 * with unused bits.
 */
export function bytesOf(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : undefined
}
