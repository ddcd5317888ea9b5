import { type EventEmitter, once } from 'node:events'

/**
 * Resolves when the reader of a stream has read everything written, or is gone.
 *
 * @param gone the event by which the stream reports that its reader is gone
 */
export async function drained(stream: EventEmitter, gone: 'close' | 'cancelled'): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  await Promise.race([once(stream, 'drain', { signal }), once(stream, gone, { signal })])
  waiting.abort()
}
