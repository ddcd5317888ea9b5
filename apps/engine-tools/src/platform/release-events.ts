import { stringifyJson, isObject, jsonValue, type ObjectValue, type Value } from '@engine/expression'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../tool.ts'
import { type PlatformClient, Refusal } from './client.ts'

/** An event of a release: the members shown in a line, and the whole event as the platform sent it. */
interface ReleaseEvent {
  readonly id: number
  readonly type: string
  readonly at: string
  readonly environment?: string
  readonly server_id?: string
  readonly data: ObjectValue
  readonly answer: Value
}

/** Milliseconds before reconnecting a broken stream or an unavailable platform. */
const RETRY_DELAY_MS = 1000
/** Breaks one after the other without an event or an answer between them. */
const MAX_BREAKS = 30

/** An answer of a platform that may be away for a while, as while it is upgraded. Rejects with a `ToolError` when it stays away. */
export async function patiently<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let breaks = 1; ; breaks++)
    try {
      return await ask()
    } catch (error) {
      if (isFinal(error) || breaks === MAX_BREAKS) throw error
      await sleep(RETRY_DELAY_MS, undefined, { signal })
    }
}

const isFinal = (error: unknown): boolean =>
  !(error instanceof ToolError) || (error instanceof Refusal && !error.passes)

/**
 * The events of an execution, each once, until its last one; a stream that breaks off is resumed. Rejects with a `ToolError` when
 * the platform stays away.
 */
export async function* eventsOf(
  client: PlatformClient,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<ReleaseEvent> {
  let last: string | undefined
  for (let breaks = 0; breaks < MAX_BREAKS; breaks++) {
    const answer = await asked(client, path, last, signal)
    // Nothing follows the last event.
    if (answer?.status === 204) return
    for await (const event of readEvents(answer?.body ?? undefined)) {
      last = String(event.id)
      breaks = 0
      yield event
    }
    signal.throwIfAborted()
    await sleep(RETRY_DELAY_MS, undefined, { signal })
  }
  throw new ToolError(`${client.url}: the stream of events breaks off repeatedly`)
}

/** Undefined: the platform is temporarily unavailable. Rejections are final. */
async function asked(client: PlatformClient, path: string, last: string | undefined, signal: AbortSignal) {
  try {
    return await client.events(path, last, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (isFinal(error)) throw error
    return undefined
  }
}

/** The events of a stream until it ends or breaks off. Its frames are `name: value` lines, and end with an empty one. */
async function* readEvents(body: ReadableStream<Uint8Array> | undefined): AsyncGenerator<ReleaseEvent> {
  if (body === undefined) return
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of body) {
      text += decoder.decode(part, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const data = frame.split('\n').filter((line) => line.startsWith('data:'))
        if (data.length > 0) yield eventIn(jsonValue(data.map((line) => line.slice(5).trim()).join('\n')))
      }
    }
  } catch {
    // The stream broke off: the next request resumes after the last event.
  }
}

/** Reads an event. Throws a `TypeError` for any other value. */
function eventIn(answer: Value): ReleaseEvent {
  const { id, type, at, environment, server_id, data } = isObject(answer) ? answer : {}
  if (typeof id !== 'number' || typeof type !== 'string' || typeof at !== 'string') throw new TypeError('not an event')
  return {
    id,
    type,
    at,
    ...(typeof environment === 'string' && { environment }),
    ...(typeof server_id === 'string' && { server_id }),
    data: isObject(data) ? data : {},
    answer,
  }
}

/** One line for a terminal or a log. */
export function lineOf({ at, type, environment, server_id, data }: ReleaseEvent): string {
  const where = [environment, server_id].filter((one) => one !== undefined).join(' ')
  const shown = ['percent', 'from', 'to', 'decision', 'reason', 'error']
    .filter((name) => data[name] !== undefined && data[name] !== null)
    .map((name) => `${name}=${typeof data[name] === 'string' ? data[name] : stringifyJson(data[name] ?? null)}`)
  return [at, type, where, ...shown].filter((one) => one !== '').join('  ')
}
