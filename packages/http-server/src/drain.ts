import { type EventEmitter, once } from 'node:events'

/**
 * Resolves when the reader of a stream has read everything written, or has disconnected.
 *
 * @param gone the event that reports the disconnection
 */
export async function drained(stream: EventEmitter, gone: 'close' | 'cancelled'): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  await Promise.race([once(stream, 'drain', { signal }), once(stream, gone, { signal })])
  waiting.abort()
}
