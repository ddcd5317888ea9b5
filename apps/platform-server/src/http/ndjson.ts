import type { Value } from '@engine/expression'
import { drained, MEDIA, SECURITY_HEADERS } from '@engine/http-server'
import { jsonText } from '@engine/process'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/** Whether a request accepts one item per line. */
export function acceptsNdjson({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === 'application/x-ndjson')
}

/** Characters written in one piece. */
const ENOUGH = 64 * 1024

/**
 * Answer with one item per line. The reader sets the pace, and memory holds no more than a piece; when a piece fails
 * after the answer has begun, the connection is cut, so that a client does not take a part for the whole.
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
        if (text.length < ENOUGH && index < next.value.length - 1) continue
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
