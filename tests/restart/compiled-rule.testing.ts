import { crc32, zstdCompressSync } from 'node:zlib'

/** The compiled form of an unchanged JSON text (specification 8), without a reader of the engine. */
export function compiled(json: string): Uint8Array {
  const payload = zstdCompressSync(Buffer.from(json))
  const header = Buffer.alloc(14)
  header.write('ENGR', 'latin1')
  header[4] = 1
  header.writeUInt32LE(crc32(payload), 6)
  header.writeUInt32LE(payload.length, 10)
  return Buffer.concat([header, payload])
}
