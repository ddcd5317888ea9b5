import { byteChunks } from '@engine/process'
import { Readable } from 'node:stream'

/**
 * Bytes of a body that is buffered before it is forwarded: with its headers it is one write, while a stream takes
 * several, and writes are most of the proxy's cost for a decision.
 */
const MAX_BYTES = 64 * 1024

/** Whether the stated length of a body is short enough for buffering. */
export const isShort = (length: string | readonly string[] | undefined): boolean =>
  typeof length === 'string' && Number(length) <= MAX_BYTES

/** The bytes of a body. Rejects when it breaks off. */
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

/** The parts of a body that has arrived or is arriving. */
export const partsOf = (body: Readable | Buffer): AsyncIterable<Buffer> | Iterable<Buffer> =>
  body instanceof Readable ? byteChunks(body) : [body]
