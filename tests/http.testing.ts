import { once } from 'node:events'
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { compose } from '../apps/engine-server/src/compose.ts'
import { readConfiguration } from '../apps/engine-server/src/config.ts'
import { shutDown } from '../apps/engine-server/src/shutdown.ts'
import { memoryLog } from '../apps/engine-server/src/telemetry/log.testing.ts'

/** The server in this process, composed as the program composes it, on a free port of loopback. */
export interface TestServer {
  readonly url: string
  readonly port: number
  /** The log: level, fields, message. */
  readonly lines: readonly (readonly [string, object, string])[]
  send(method: string, path: string, options?: SendOptions): Promise<Reply>
  /** The whole shutdown, as after a signal. Resolves when all is closed. */
  stop(): Promise<void>
}

export interface SendOptions {
  /** A string or buffer is sent as it is, anything else as JSON with its content type. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. Throws when it is none. */
  readonly json: unknown
}

const live = new Set<TestServer>()

/** Ends every server of this file that a test has not ended itself. */
export async function stopAll(): Promise<void> {
  await Promise.all(Array.from(live, (server) => server.stop()))
}

/** Start with these arguments of the program. Throws when they are refused. */
export async function startServer(args: readonly string[] = []): Promise<TestServer> {
  const request = readConfiguration(args.includes('--disable-http') ? args : ['--http-addr', '127.0.0.1:0', ...args], {})
  if (request.kind === 'end') throw new Error(request.output)
  const { configuration } = request
  const { log, lines } = memoryLog()
  const engine = await compose(configuration, 'test', log)
  const { url = '' } = await engine.listen()
  const server: TestServer = {
    url,
    port: url === '' ? 0 : Number(new URL(url).port),
    lines,
    send: (method, path, options) => send({ port: server.port }, method, path, options),
    stop: async () => {
      live.delete(server)
      await shutDown(engine.shutdown, configuration.shutdownTimeoutSecs * 1000, log)
    },
  }
  live.add(server)
  return server
}

/** Where to send something: a port of loopback or a Unix domain socket. */
export type Target = { readonly port: number } | { readonly socketPath: string }

/** One request on a connection of its own; the path goes out as it is. */
export async function send(target: Target, method: string, path: string, options: SendOptions = {}): Promise<Reply> {
  const { body, headers = {} } = options
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Buffer
  const request = httpRequest({
    ...target,
    host: '127.0.0.1',
    method,
    path,
    headers: { ...(isRaw ? {} : { 'content-type': 'application/json' }), connection: 'close', ...headers },
    agent: false,
  })
  request.end(isRaw ? body : JSON.stringify(body))
  const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer> & Incoming]
  const text = await textOf(response)
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text) as unknown
    },
  }
}

interface Incoming {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
}

/** All that a stream says. */
export async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Write bytes to a connection and read until the server closes it. */
export async function sendBytes(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(bytes)
  return textOf(socket)
}

/** Whether someone is at least this old: the ruleset that most tests decide with. */
export function adultCheck(version = '1.0.0', name = 'adult-check') {
  return {
    config: { name, version, entry_step: 'check', description: 'may order' },
    steps: {
      check: {
        id: 'check',
        name: 'Old enough?',
        type: 'decision',
        branches: [{ condition: 'age >= 18', next_step: 'yes' }],
        default_next: 'no',
      },
      yes: { id: 'yes', type: 'terminal', result: { code: 'ADULT', message: 'may order', limit: 500 } },
      no: { id: 'no', type: 'terminal', result: { code: 'MINOR', message: 'needs a guardian' } },
    },
  }
}
