import { isList, isObject, jsonValue, stringifyJson, type Value } from '@engine/expression'
import { ToolError } from '../tool.ts'

/** How a command authenticates: a program's API key, or a person's session. */
export type Credentials =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'session'; readonly cookie: string }
  | { readonly kind: 'none' }

/** The platform rejected a request. */
export class Refusal extends ToolError {
  /** Whether a retry may succeed: the platform is unavailable, or the rate limit was exceeded. */
  readonly passes: boolean

  constructor(url: string, status: number, reason: string) {
    super(`${url}: ${status} ${reason}`)
    this.passes = status >= 500 || status === 408 || status === 429
  }
}

/** Milliseconds to wait for an answer, streams aside. */
const PATIENCE_MS = 60_000

/** An answer of the interface, with its body where that is JSON. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Value
}

/**
 * The interface of a platform (docs/platform/api.md). Rejects with a `ToolError` that contains the platform's message.
 */
export interface PlatformClient {
  readonly url: string
  /** @param path below `/api/v1` */
  get(path: string): Promise<Value>
  post(path: string, body: Value): Promise<Answered>
  /** A stream of events, from behind an event on. */
  events(path: string, lastId: string | undefined, signal: AbortSignal): Promise<Response>
}

interface Init extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>
}

/** @param url of the platform, without a slash at its end */
export function createPlatformClient(url: string, credentials: Credentials): PlatformClient {
  async function ask(path: string, init: Init): Promise<Response> {
    const headers = { accept: 'application/json', ...proof(url, credentials), ...init.headers }
    try {
      return await fetch(`${url}/api/v1${path}`, { redirect: 'error', ...init, headers })
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause
      const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause)
      throw new ToolError(`${url}: cannot be reached: ${reason}`)
    }
  }

  async function read(path: string, init: Init): Promise<Answered> {
    const answer = await ask(path, { signal: AbortSignal.timeout(PATIENCE_MS), ...init })
    const body = bodyOf(await answer.text())
    if (answer.ok) return { status: answer.status, headers: answer.headers, body }
    throw new Refusal(url, answer.status, reasonIn(body))
  }

  return {
    url,
    get: async (path) => (await read(path, { method: 'GET' })).body,
    post: (path, body) =>
      read(path, { method: 'POST', body: stringifyJson(body), headers: { 'content-type': 'application/json' } }),
    async events(path, lastId, signal) {
      const from = lastId === undefined ? {} : { 'last-event-id': lastId }
      const answer = await ask(path, { method: 'GET', signal, headers: { accept: 'text/event-stream', ...from } })
      if (answer.ok) return answer
      throw new Refusal(url, answer.status, reasonIn(bodyOf(await answer.text())))
    },
  }
}

/** A session is only valid for requests with an origin header. */
function proof(url: string, credentials: Credentials): Readonly<Record<string, string>> {
  switch (credentials.kind) {
    case 'key':
      return { authorization: `Bearer ${credentials.key}` }
    case 'session':
      return { cookie: credentials.cookie, origin: new URL(url).origin }
    case 'none':
      return {}
  }
}

function bodyOf(text: string): Value {
  try {
    return text === '' ? null : jsonValue(text)
  } catch {
    return null
  }
}

/** The message of an error with its details; none of it is a secret. */
function reasonIn(body: Value): string {
  const { error, details } = isObject(body) ? body : {}
  const more = (isList(details) ? details : [])
    .slice(1, 20)
    .map((one) => (isObject(one) ? [one['path'], one['message']] : []))
    .map((words) => `\n  ${words.filter((word) => typeof word === 'string').join(' ')}`)
  return `${typeof error === 'string' ? error : 'without a reason that can be read'}${more.join('')}`
}
