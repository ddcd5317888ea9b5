import { parseJson, type Value } from '@engine/expression/core'
import { BASE } from './client.ts'

/** State of a stream; `lost`: it is reconnecting. */
export type StreamState = 'live' | 'lost' | 'closed'

interface Listener {
  /** Names of the handled events. */
  readonly types: readonly string[]
  /** @returns whether this was the last event of the stream */
  readonly take: (type: string, data: Value) => boolean
  readonly tell: (state: StreamState) => void
}

/** Delay before a refused stream is requested again; doubled after each refusal. */
const RETRY_DELAY_MS = 2000
const MAX_RETRY_DELAY_MS = 60_000

/**
 * Handle the events of a path until the returned function ends it. The browser resumes a broken connection after its
 * last event. It gives up after a response that is not a stream, for example from a restarting platform; this function
 * then reconnects.
 */
export function listen(path: string, { types, take, tell }: Listener): () => void {
  let last: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = RETRY_DELAY_MS
  let source = open()
  function open(): EventSource {
    const query = last === undefined ? '' : `?last_event_id=${encodeURIComponent(last)}`
    const opened = new EventSource(BASE + path + query)
    opened.addEventListener('open', () => {
      wait = RETRY_DELAY_MS
      tell('live')
    })
    opened.addEventListener('error', () => {
      tell('lost')
      if (opened.readyState !== EventSource.CLOSED) return
      timer = setTimeout(() => (source = open()), wait)
      wait = Math.min(MAX_RETRY_DELAY_MS, wait * 2)
    })
    for (const type of types) opened.addEventListener(type, (event) => receive(opened, type, event))
    return opened
  }
  function receive(opened: EventSource, type: string, { data, lastEventId }: MessageEvent<string>): void {
    const read = parseJson(data, { duplicateKeys: 'last' })
    if (read.kind === 'failed') return
    if (lastEventId !== '') last = lastEventId
    if (!take(type, read.value)) return
    opened.close()
    tell('closed')
  }
  return () => {
    clearTimeout(timer)
    source.close()
  }
}
