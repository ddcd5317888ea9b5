import type { Value } from '@engine/expression'
import { drained, MEDIA, SECURITY_HEADERS } from '@engine/http-server'
import { jsonText } from '@engine/process'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/** True if a request accepts one item per line. */
export function acceptsNdjson({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === 'application/x-ndjson')
}

/** Size of a piece of the answer. */
const MAX_CHUNK_CHARACTERS = 64 * 1024

/**
 * Answers with one item per line. The reader sets the pace, and memory holds at most one piece; if a piece fails after
 * the answer has begun, the connection is closed, so that no client takes a partial answer for a complete one.
 *
 * @param progress called after each piece: the deadline of the request is extended
 */
export async function writeNdjson(
  response: ServerResponse,
  pieces: AsyncIterable<readonly object[]>,
  progress: () => void,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]()
  let next = await iterator.next()
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': MEDIA.ndjson })
  try {
    while (next.done !== true && !response.destroyed) {
      let text = ''
      for (const [index, item] of next.value.entries()) {
        text += `${await jsonText(item as Value)}\n`
        if (text.length < MAX_CHUNK_CHARACTERS && index < next.value.length - 1) continue
        if (!response.write(text)) await drained(response, 'close')
        if (response.destroyed) return
        text = ''
      }
      progress()
      next = await iterator.next()
    }
    response.end()
  } catch (error) {
    response.destroy()
    throw error
  }
}
