import { type EventEmitter, once } from 'node:events'

/**
 * Resolves when whoever reads a stream has read what was written, or went away.
 *
 * @param gone the event by which the stream tells that nobody reads it any more
 */
export async function drained(stream: EventEmitter, gone: 'close' | 'cancelled'): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  await Promise.race([once(stream, 'drain', { signal }), once(stream, gone, { signal })])
  waiting.abort()
}
