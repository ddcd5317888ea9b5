import { Agent, request as ask } from 'node:http'
import { text } from 'node:stream/consumers'
import { start, type RunningServer } from './engine-server.testing.ts'

/** An answer. */
export interface Reply {
  readonly status: number
  readonly text: string
  /** Whether the server keeps the connection. */
  readonly stays: boolean
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any
}

/** One connection, over which one request follows the other. */
export interface Connection {
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  close(): void
}

/** A separate connection to a server. */
export function connection(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(url)
  return {
    request: (method, path, body, headers = {}) =>
      new Promise((resolve, reject) => {
        const sent = ask(
          { hostname, port, path, agent, method, headers: { 'content-type': 'application/json', ...headers } },
          (answer) => {
            text(answer).then((said) => {
              const stays = answer.headers.connection !== 'close'
              resolve({ status: answer.statusCode ?? 0, text: said, stays, body: parsed(said) })
            }, reject)
          },
        )
        sent.on('error', reject)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
      }),
    close: () => agent.destroy(),
  }
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said)
  } catch {
    return said
  }
}

/** Connections to all workers: each new one goes to the worker that has the fewest. */
export async function connections(url: string, count: number): Promise<readonly Connection[]> {
  const made: Connection[] = []
  for (let index = 0; index < count; index++) {
    const one = connection(url)
    await one.request('GET', '/healthz/live')
    made.push(one)
  }
  return made
}

/** A server of several processes. */
export interface Crew extends RunningServer {
  /** Process ids by the number of the worker, of those that were ready last. */
  pids(): ReadonlyMap<number, number>
}

/** Start the program with two workers. */
export async function startCrew(...args: readonly string[]): Promise<Crew> {
  const started = await start(['--workers', '2', ...args])
  return { ...started, pids: () => pidsIn(started.stdout()) }
}

/** The workers that are ready, by the log. */
export function pidsIn(log: string): ReadonlyMap<number, number> {
  const lines = log.split('\n').filter((line) => line.includes('a worker is ready'))
  return new Map(
    lines.map((line) => {
      const { worker, pid } = JSON.parse(line) as { worker: number; pid: number }
      return [worker, pid]
    }),
  )
}

/** Whether a process exists. */
export function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A ruleset that answers one code. */
export function answering(code: string, name = 'rule') {
  return {
    config: { name, version: '1.0.0', entry_step: 'end' },
    steps: { end: { id: 'end', name: 'End', type: 'terminal', result: { code, message: 'done' } } },
  }
}

export const RULESETS = '/api/v1/rulesets'
export const EXECUTE = '/api/v1/execute/rule'

/** Store a ruleset that answers with a code, by default the code that `EXECUTE` expects. */
export const put = (one: Connection, code: string, name?: string, headers?: Record<string, string>) =>
  one.request('POST', RULESETS, answering(code, name), headers)

/** The code that each of these connections is answered. */
export const codes = (all: readonly Connection[], path = EXECUTE, headers?: Record<string, string>) =>
  Promise.all(all.map(async (one) => (await one.request('POST', path, { input: {} }, headers)).body.code))

/** What `codes` gives when all are answered the same. */
export const same = (all: readonly Connection[], code: string) => all.map(() => code)
