import { isUtf8 } from 'node:buffer'

/** The text of bytes; undefined if they are not UTF-8. */
export const utf8In = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : undefined
