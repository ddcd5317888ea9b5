import { byteChunks } from '@engine/process'
import { Readable } from 'node:stream'

/**
 * Largest body that is buffered before it is forwarded, in bytes: one write sends it with its headers, a stream takes
 * several writes, and writes are most of the proxy's cost of a decision.
 */
const MAX_BYTES = 64 * 1024

/** True if the stated length of a body is short enough for buffering. */
export const isShort = (length: string | readonly string[] | undefined): boolean =>
  typeof length === 'string' && Number(length) <= MAX_BYTES

/** The bytes of a body. Rejects if it breaks off. */
export function wholeOf(body: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    body.on('data', (part: Buffer) => parts.push(part))
    body.once('error', reject)
    body.once('end', () => resolve(parts[0] !== undefined && parts.length === 1 ? parts[0] : Buffer.concat(parts)))
    body.once('close', () => {
      if (!body.readableEnded) reject(new Error('a body broke off'))
    })
  })
}

/** The parts of a body that is complete or still arriving. */
export const partsOf = (body: Readable | Buffer): AsyncIterable<Buffer> | Iterable<Buffer> =>
  body instanceof Readable ? byteChunks(body) : [body]
