import { stringifyJson, type Value } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { drained, SECURITY_HEADERS } from '@engine/http-server'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../access/caller.ts'
import { type Wakeable, wakeable, type Wakes } from '../database/notifications.ts'
import { asResponseError } from '../errors.ts'
import type { Streams } from './streams.ts'

/** One server-sent event. */
export interface StreamedEvent {
  /** The value of `Last-Event-ID` after a reconnect; undefined: the id of the previous event. */
  readonly id?: string | number
  readonly type: string
  /** Sent as JSON. */
  readonly data: unknown
}

/** The events of one stream. The source keeps track of the position. */
export interface EventSource {
  /** Topics whose wake-ups indicate that there may be further events. */
  readonly topics: readonly string[]
  /**
   * The events after those of the previous call, as many as fit into memory; empty if there are none yet. Called again
   * immediately after a non-empty result, otherwise after a wake-up or a poll. `isLast` means that no more events
   * follow and the stream ends.
   */
  readonly next: () => Promise<{ readonly events: readonly StreamedEvent[]; readonly isLast?: boolean }>
}

/** The request that a stream answers. */
export interface StreamRequest {
  readonly raw: Pick<IncomingMessage, 'method'>
  readonly response: ServerResponse
  readonly caller: Pick<Caller, 'kind' | 'id'>
  readonly progress: () => void
  /** Throws if the caller has lost access to the events. */
  readonly admit: () => Promise<void>
}

/** The intervals of a stream, in milliseconds. */
export interface StreamTimes {
  /**
   * Interval of keep-alive comments on an otherwise silent connection; the rights of the caller are checked as often.
   */
  readonly ping: number
  /** Interval of polls of the source: a wake-up may be lost. */
  readonly look: number
  /** Delay before a client reconnects. */
  readonly retry: number
}

const DEFAULT_TIMES: StreamTimes = { ping: 15_000, look: 5000, retry: 2000 }

/** The deadline of the request is extended at least at this interval while its reader keeps up. */
const PROGRESS_INTERVAL_MS = 1000

interface EventStreamParts {
  readonly streams: Streams
  readonly wakes: Pick<Wakes, 'on'>
  /** Aborted when the shutdown begins: streams end, and their clients connect elsewhere. */
  readonly closing: AbortSignal
  readonly times?: StreamTimes
}

/** Answers a request with events until the source ends, the client disconnects, or the platform shuts down. */
export type EventStreams = (request: StreamRequest, source: EventSource) => Promise<undefined>

/**
 * Server-sent events (WHATWG HTML 9.2). The reader sets the pace: unread data is awaited within the deadline of the
 * request. While the database is unavailable the stream stays open and silent, since clients give up after a 503.
 */
export function createEventStreams({ streams, wakes, closing, times = DEFAULT_TIMES }: EventStreamParts): EventStreams {
  return async (request, source) => {
    const { response, raw, caller } = request
    streams.opened(caller, response)
    const woken = wakeable()
    const leave = source.topics.map((topic) => wakes.on(topic, woken.wake))
    const isOver = () => response.destroyed || closing.aborted
    closing.addEventListener('abort', woken.wake)
    response.once('close', woken.wake)
    try {
      // Called before the answer begins, so that an error here is answered with its status.
      const first = await source.next()
      response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' })
      if (raw.method !== 'HEAD') {
        const write = writerTo(request)
        await write(`retry: ${times.retry}\n\n`)
        await follow(first, { request, source, woken, write, times, isOver })
      }
      response.end()
    } finally {
      for (const one of leave) one()
      closing.removeEventListener('abort', woken.wake)
    }
    return undefined
  }
}

const EVENT_STREAM = 'text/event-stream; charset=utf-8'

interface Following {
  readonly request: StreamRequest
  readonly source: EventSource
  readonly woken: Wakeable
  readonly write: (text: string) => Promise<void>
  readonly times: StreamTimes
  readonly isOver: () => boolean
}

type Told = Awaited<ReturnType<EventSource['next']>>

async function follow(first: Told, { request, source, woken, write, times, isOver }: Following): Promise<void> {
  const begun = performance.now()
  const since = { written: begun, looked: begun, admitted: begun }
  const isDue = (clock: keyof typeof since, interval: number) => performance.now() - since[clock] >= interval
  for (let told = first; ;) {
    if (told.events.length > 0) {
      await write(told.events.map(textOf).join(''))
      since.written = performance.now()
    }
    if (told.isLast === true) return
    const isWoken = told.events.length > 0 || (await woken.next(Math.min(PROGRESS_INTERVAL_MS, times.look, times.ping)))
    if (isOver()) return
    request.progress()
    if (isDue('admitted', times.ping)) {
      if (!(await isAdmitted(request))) return
      since.admitted = performance.now()
    }
    if (isDue('written', times.ping)) {
      await write(': ping\n\n')
      since.written = performance.now()
    }
    const looks = isWoken || isDue('looked', times.look)
    told = looks ? await orNothing(() => source.next()) : NOTHING
    if (looks) since.looked = performance.now()
  }
}

const NOTHING: Told = { events: [] }

/** True if the caller may still see the events; otherwise the client learns the reason when it reconnects. */
async function isAdmitted({ admit }: StreamRequest): Promise<boolean> {
  try {
    await admit()
    return true
  } catch (error) {
    const { code } = asResponseError(error)
    if (code === 'defect') throw error
    return code === 'unavailable'
  }
}

/** Returns no events while the database is unavailable. */
async function orNothing(next: EventSource['next']): Promise<Told> {
  try {
    return await next()
  } catch (error) {
    if (asResponseError(error).code !== 'unavailable') throw error
    return NOTHING
  }
}

function writerTo({ response, progress }: StreamRequest) {
  return async (text: string) => {
    if (response.destroyed) return
    if (!response.write(text)) await drained(response, 'close')
    progress()
  }
}

/** JSON text has no line breaks, so one line suffices. */
function textOf({ id, type, data }: StreamedEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${stringifyJson(data as Value)}\n\n`
}

/** The event to resume after: the header of a reconnect, or the parameter of a first request. */
export function lastEventId({ headers }: Pick<IncomingMessage, 'headers'>, query: URLSearchParams): string | undefined {
  const header = headers['last-event-id']
  const given = typeof header === 'string' ? header : query.get('last_event_id')
  return given === null || given === '' ? undefined : given
}

/** The number of an event; 0 means from the first one. Throws 400. */
export function numberOfEvent(text: string | undefined, name = 'last_event_id'): number {
  if (text === undefined) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw invalidParameter(name, 'must be the number of an event')
}
