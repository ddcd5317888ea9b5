import type { Agent as HttpAgent, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { HealthRecord } from '@engine/api'
import { jsonValue } from '@engine/expression'
import { EngineError } from '../errors.ts'
import { failure } from '../http/error-mapping.ts'
import { askForBody, type ServingState, writeAnswer } from '@engine/http-server'
import { PEER_HEADER } from '../http/http-requester.ts'
import { REQUEST_ID_HEADER } from '../requester.ts'
import type { HealthService } from '../services/health.ts'

// Same check as in `packages/http-server/src/node-http.ts`.
const { Agent, request: ask } = process.getBuiltinModule('node:http')

/** A worker's connection to the owner of the store. */
export interface OwnerProxy {
  /** Forwards a request to the owner and returns its response. */
  pass(request: IncomingMessage, response: ServerResponse, state: ServingState): void
  readonly health: HealthService
}

/** Shorter than the keep-alive of the server, so that no connection is reused at the moment the server closes it. */
const KEEP_ALIVE_TIMEOUT_MS = 20_000

/** @param socketPath the socket on which the owner listens */
export function createOwnerProxy(socketPath: string): OwnerProxy {
  const agent = new Agent({ keepAlive: true, timeout: KEEP_ALIVE_TIMEOUT_MS })
  return {
    pass(request, response, state) {
      const { method, url, rawHeaders } = request
      const headers = endToEnd(rawHeaders, PEER_HEADER)
      const { expect } = request.headers
      if (expect !== undefined) headers.push('expect', expect)
      const { remoteAddress } = request.socket
      if (remoteAddress !== undefined) headers.push(PEER_HEADER, remoteAddress)
      // The owner would otherwise reject requests without a host, which HTTP/1.0 allows.
      if (request.headers.host === undefined) headers.push('host', 'localhost')
      const passed = ask({ socketPath, agent, method, path: url, headers })
      passed.once('response', (answer) => void answered(answer, request, response, passed, state))
      passed.on('error', () => writeAnswer(response, failure(away(), request), state))
      response.once('close', () => passed.destroy())
      if (expect === undefined) return void request.pipe(passed)
      // The owner decides by the headers whether to read the body at all.
      passed.once('continue', () => {
        askForBody(request)
        request.pipe(passed)
      })
      passed.flushHeaders()
    },
    health: {
      async check() {
        const { status, record } = await healthOf(socketPath, agent)
        return { isReady: status === 200, record }
      },
      drain: () => {},
    },
  }
}

function away(): EngineError {
  return new EngineError('shutting-down', 'the process that owns the store does not answer')
}

/** Headers of a refusal that are passed on to the client. */
const FORWARDED_HEADERS = ['allow', 'accept-encoding', 'retry-after', 'www-authenticate', REQUEST_ID_HEADER] as const

async function answered(
  answer: IncomingMessage,
  request: IncomingMessage,
  response: ServerResponse,
  passed: NodeJS.WritableStream,
  state: ServingState,
): Promise<void> {
  if (response.headersSent || response.destroyed) return void answer.resume()
  const { statusCode: status = 502, headers, rawHeaders } = answer
  if (request.complete) {
    // The framing of the body is that of this connection, not of the client's.
    response.writeHead(status, [
      ...endToEnd(rawHeaders, 'transfer-encoding'),
      ...(state.draining ? ['connection', 'close'] : []),
    ])
    // When one side disconnects, the other connection is closed.
    return void pipeline(answer, response, () => {})
  }
  // Rejected before it arrived completely: stop forwarding, and give the client a moment to read the response.
  request.unpipe(passed)
  const { 'content-type': type } = headers
  const told = Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  try {
    writeAnswer(
      response,
      { status, body: await text(answer), ...(type === undefined ? {} : { type }), headers: told },
      state,
    )
  } catch {
    writeAnswer(response, failure(away(), request), state)
  }
}

/** Hop-by-hop headers (RFC 9110 section 7.6.1), and `expect`, which each hop sends itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
  'expect',
])

/**
 * The end-to-end headers in the form Node expects: name, value, name, value. Headers named by `connection` are passed
 * on: owner and worker are one server, and a header that either process understands must not be lost.
 *
 * @internal
 */
export function endToEnd(raw: readonly string[], dropped?: string): string[] {
  const kept: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    const key = name.toLowerCase()
    if (!HOP_BY_HOP.has(key) && key !== dropped) kept.push(name, raw[index + 1] ?? '')
  }
  return kept
}

function healthOf(socketPath: string, agent: HttpAgent): Promise<{ status: number; record: HealthRecord }> {
  return new Promise((resolve, reject) => {
    const asked = ask({ socketPath, agent, path: '/health', headers: { host: 'localhost' } }, (answer) => {
      text(answer)
        .then((body) => ({ status: answer.statusCode ?? 502, record: jsonValue(body) as unknown as HealthRecord }))
        .then(resolve, reject)
    })
    asked.on('error', () => reject(away()))
    asked.end()
  })
}
