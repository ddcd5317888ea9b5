import {
  createCallQueue,
  createNameLookup,
  type Egress,
  EgressRefusal,
  guardedLookup,
  portOf,
  refuseAddress,
  type Resolve,
} from '@engine/egress'
import { isObject, stringifyJson, typeName, type Value, quote } from '@engine/expression'
import type { CapabilityProvider, CapabilityRequest, CapabilityResponse } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import type { Agent, Dispatcher } from 'undici'
import { HOP_BY_HOP } from '@engine/http-server'
import { byteChunks, createCircuit, parsedJson } from '@engine/process'
import { HOPS_HEADER } from './hops.ts'
import { VERSION } from '../version.ts'
import { CallContext } from './call-context.ts'

/** Default and maximum timeout of a call in milliseconds. Milliseconds to connect. */
const TIMEOUT_MS = { initial: 5000, most: 30_000, connect: 5000 } as const
/** Bytes of an answer. */
const MAX_ANSWER = 1024 * 1024
/** Bytes of the headers of an answer. */
const MAX_HEADERS = 16 * 1024
/** Connections to one origin, calls that wait for one, and calls to all origins. */
const CALLS = { running: 64, waiting: 256, total: 1024 } as const

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

/** Settings of the connections to one origin. Every request uses one exclusively; then it is kept for the next. */
const POOL = { connections: CALLS.running, pipelining: 1, allowH2: false, maxHeaderSize: MAX_HEADERS } as const

/** Headers reserved for the engine: they define the message framing, the target and the origin of the request. */
const RESERVED: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'content-length', 'expect', 'host', HOPS_HEADER])

export interface NetworkHttpOptions {
  readonly egress: Egress
  /** Shared by all tenants; tests give their own. */
  readonly resolve?: Resolve
}

/** The provider, and how to end its connections. */
export interface NetworkHttp {
  readonly provider: CapabilityProvider
  close(): Promise<void>
}

/**
 * `network.http` (specification 2.8): one HTTP request, its answer with whatever status. Payload `{url, headers?,
 * json_body?}`; result `{status, body, json_body?}` (`json_body` when the answer is JSON), metadata `{status,
 * content_type}`. Redirects are answers like any other. The address is checked when the connection is made, so that the
 * checked address is the one called; no retries. A cancelled call immediately releases its connection, or its place in
 * the queue.
 */
export function createNetworkHttp({ egress, resolve = systemLookup }: NetworkHttpOptions): NetworkHttp {
  /** From the first call on: loading the client takes a tenth of the time of a start. */
  let agent: Promise<Agent> | undefined
  const createAgent = async (): Promise<Agent> => {
    const { Agent, Pool } = await import('undici')
    return new Agent({
      factory: (origin, options) => {
        const lookup = guardedLookup(egress, resolve, portOf(new URL(origin)))
        return new Pool(origin, { ...options, ...POOL, connect: { lookup, timeout: TIMEOUT_MS.connect } })
      },
    })
  }
  const circuit = createCircuit(() => performance.now())
  const queue = createCallQueue(CALLS)

  async function send(request: CapabilityRequest, { url, options }: Outgoing): Promise<CapabilityResponse> {
    const { origin } = url
    const span = request.context instanceof CallContext ? request.context.span : undefined
    span?.rename(request.operation.toUpperCase())
    span?.set(attributesOf(request.operation, url))
    refuseAddress(egress, url)
    const rest = circuit.rest(origin)
    if (rest > 0) throw new Error(`${origin} failed several times in a row and is called again in ${seconds(rest)} s`)
    const ending = endingOf(request)
    try {
      const done = await queue.turn(origin, ending.signal)
      if (done === undefined) throw ending.signal.reason
      try {
        agent ??= createAgent()
        const response = await answered(url, { ...options, dispatcher: await agent }, ending.signal)
        circuit.succeeded(origin)
        const { status } = response.payload as { readonly status: number }
        span?.set({ 'http.response.status_code': status, ...(status < 400 ? {} : { 'error.type': String(status) }) })
        return response
      } catch (cause) {
        span?.set({ 'error.type': cause instanceof Error ? cause.name : '_OTHER' })
        // A rejected target, a rejected answer and a cancelled caller do not count as failures of the target.
        if (!(cause instanceof Refusal || cause instanceof EgressRefusal) && !request.signal.aborted)
          circuit.failed(origin)
        throw cause
      } finally {
        done()
      }
    } finally {
      ending.dispose()
    }
  }

  return {
    // Not `async`: errors in the request itself are thrown.
    provider: {
      name: 'network.http',
      operations: METHODS,
      required: ['url'],
      call: (request) => send(request, outgoing(request)),
    },
    close: async () => (await agent)?.destroy(),
  }
}

/**
 * The trace attributes of a call, by the OpenTelemetry semantic conventions; the query is omitted because it may
 * contain secrets.
 */
function attributesOf(operation: string, url: URL): Readonly<Record<string, string | number>> {
  return {
    'http.request.method': operation.toUpperCase(),
    'url.full': `${url.origin}${url.pathname}`,
    'server.address': url.hostname,
    'server.port': portOf(url),
  }
}

/** The answer to a call was rejected because of its form. */
class Refusal extends Error {}

const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1000)

const systemLookup = createNameLookup()

interface Outgoing {
  readonly url: URL
  readonly options: Omit<Dispatcher.RequestOptions, 'origin' | 'path'>
}

/** Throws an `Error` for the author of the rule. */
function outgoing({ operation, payload, context }: CapabilityRequest): Outgoing {
  const { url: target, headers: given, json_body: body, ...rest } = payload
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw new Error(`${quote(unknown)} is unknown: expected \`url\`, \`headers\`, \`json_body\``)
  const url = urlOf(target)
  const isOurs = context instanceof CallContext
  const headers: Record<string, string> = {
    'user-agent': `engine-server/${VERSION}`,
    accept: '*/*',
    // An answer that unfolds while it is read could be any size.
    'accept-encoding': 'identity',
    ...headersOf(given),
    ...(isOurs ? context.span?.propagation() : {}),
    [HOPS_HEADER]: String(isOurs ? context.hops.next() : 1),
  }
  if (body === undefined) return { url, options: { method: operation.toUpperCase(), headers } }
  if (operation === 'head') throw new Error('`head` sends no `json_body`')
  headers['content-type'] ??= 'application/json'
  return {
    url,
    options: { method: operation.toUpperCase(), headers, body: stringifyJson(body) },
  }
}

function urlOf(target: Value | undefined): URL {
  if (typeof target !== 'string') throw new Error(`\`url\` must be a text, found ${typeName(target ?? null)}`)
  const url = URL.parse(target)
  // Its content may be a secret, so it is not repeated.
  if (url === null) throw new Error('`url` is not a URL such as `https://api.example.com/v1/score`')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`\`url\` must begin with \`http:\` or \`https:\`, found ${quote(url.protocol)}`)
  if (url.username !== '' || url.password !== '') throw new Error('`url` must not hold a user or a password')
  return url
}

function headersOf(given: Value | undefined): Record<string, string> {
  if (given === undefined || given === null) return {}
  if (!isObject(given)) throw new Error(`\`headers\` must be an object of texts, found ${typeName(given)}`)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/.test(lower)) throw new Error('a name in `headers` is not that of a header')
    if (RESERVED.has(lower)) throw new Error(`the header ${quote(lower)} is set by the engine`)
    // Line breaks would let a value become headers of its own.
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Error(`the header ${quote(lower)} must be a text of one line without control characters`)
    headers[lower] = value
  }
  return headers
}

/** The limits of a call: its timeout, and the given signal. The reason of its signal is an `Error`. */
function endingOf({ timeoutMs, signal }: CapabilityRequest): { readonly signal: AbortSignal; dispose(): void } {
  const limit = Math.min(timeoutMs ?? TIMEOUT_MS.initial, TIMEOUT_MS.most)
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${limit} ms`)), limit)
  const giveUp = () => controller.abort(new Error('no answer in time'))
  if (signal.aborted) giveUp()
  else signal.addEventListener('abort', giveUp)
  return {
    signal: controller.signal,
    dispose: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    },
  }
}

async function answered(
  url: URL,
  options: Outgoing['options'] & { readonly dispatcher: Agent },
  signal: AbortSignal,
): Promise<CapabilityResponse> {
  try {
    const { request } = await import('undici')
    const { statusCode, headers, body } = await request(url, { ...options, signal })
    const encoding = headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') {
      // Giving up an answer is an error to its stream, and to nothing else.
      body.on('error', () => undefined).destroy()
      throw new Refusal(`the answer is encoded as ${quote(String(encoding))}, though only \`identity\` was accepted`)
    }
    return await responseOf(statusCode, String(headers['content-type'] ?? ''), await textOf(body))
  } catch (cause) {
    throw reasonOf(cause, signal)
  }
}

async function textOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of byteChunks(body)) {
    size += chunk.length
    if (size > MAX_ANSWER) throw new Refusal(`the answer is larger than ${MAX_ANSWER} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function responseOf(status: number, type: string, body: string): Promise<CapabilityResponse> {
  const parsed = await parsedJson(body, { duplicateKeys: 'last' })
  return {
    payload: { status, body, ...(parsed.kind === 'parsed' ? { json_body: parsed.value } : {}) },
    metadata: { status: String(status), content_type: type },
  }
}

/** Errors of the system in words for the author of a rule: without addresses, which are not disclosed. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ENOTFOUND', 'the host is not known'],
  ['EAI_AGAIN', 'the host could not be looked up'],
  ['ECONNRESET', 'the connection was reset'],
  ['UND_ERR_SOCKET', 'the connection was reset'],
  ['UND_ERR_CONNECT_TIMEOUT', `no connection within ${TIMEOUT_MS.connect} ms`],
  ['UND_ERR_HEADERS_OVERFLOW', `the headers of the answer are larger than ${MAX_HEADERS} bytes`],
])

function reasonOf(cause: unknown, signal: AbortSignal): Error {
  if (signal.aborted && signal.reason instanceof Error) return signal.reason
  if (!(cause instanceof Error)) return new Error(String(cause))
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  if (cause.name === 'HTTPParserError') return new Error('the answer is not valid HTTP', { cause })
  return code === undefined ? cause : new Error(REASONS.get(code) ?? code, { cause })
}
