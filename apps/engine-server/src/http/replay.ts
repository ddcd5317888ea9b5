import { askForBody, type BodyLimits, MEDIA, SECURITY_HEADERS } from '@engine/http-server'
import type { RecordLine } from '../analysis/tasks.ts'
import { EngineError } from '../errors.ts'
import type { ReplayStream } from '../services/analysis.ts'
import { type Streaming, writePart } from './batch.ts'
import { lines } from './request-lines.ts'

interface ReplayStreaming extends Pick<Streaming, 'request' | 'response' | 'progress'> {
  readonly limits: BodyLimits
}

/** Maximum number of records that are replayed in one task. */
const MAX_LINES = 1000

/**
 * Replays records as they arrive: each line of the request has a line in the answer, in order, and the last line has
 * the totals. While the client does not read, nothing is read from it.
 */
export async function streamReplay(
  stream: ReplayStream,
  { request, response, limits, progress }: ReplayStreaming,
): Promise<void> {
  askForBody(request)
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': MEDIA.ndjson })
  response.flushHeaders()
  try {
    for await (const arrived of lines(request, limits)) {
      const records = arrived.map(({ text, number }): RecordLine => {
        const fault = text instanceof EngineError ? text.message : undefined
        return { number, text: text instanceof EngineError ? '' : text, fault }
      })
      for (let start = 0; start < records.length; start += MAX_LINES) {
        await writePart(response, await stream.add(records.slice(start, start + MAX_LINES)))
        progress()
        if (response.destroyed) return
      }
    }
    response.end(`{"summary":${stream.summary()}}\n`)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    // The status was already sent: a replay without the line of totals is incomplete.
    if (!response.destroyed) response.end(`${JSON.stringify({ error: error.message })}\n`)
  }
}
