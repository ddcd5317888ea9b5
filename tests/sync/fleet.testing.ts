import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningServer, start } from '../engine-server.testing.ts'
import { freePort } from './nats.testing.ts'

/** A server of a fleet, as its clients see it. */
export interface Peer {
  readonly url: string
  /** The JSON answer of a GET, or undefined when there was none or it was an error. */
  get(path: string): Promise<unknown>
  post(path: string, body: unknown): Promise<Response>
  health(): Promise<Health | undefined>
}

/** A member of a fleet: the program, which can be ended and started again with the same arguments. */
export interface Member extends Peer {
  readonly id: string
  /** Undefined: it is not running. */
  readonly server: RunningServer | undefined
  start(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>
  pause(): void
  resume(): void
}

/** What tests look at in `/health`. */
export interface Health {
  readonly status: string
  readonly checks: Readonly<Record<string, string>>
  readonly storage: { readonly rules_count: number }
  readonly sync: {
    readonly connected: boolean
    readonly role: string
    readonly lag_events: number
    readonly last_applied_seq: number
    readonly outbox: number
    readonly digest: string
  }
}

/** A folder that goes away with `remove`. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'engine-sync-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A member that is not started yet. It has one port as long as it lives, so that others find it again. */
export async function member(id: string, args: readonly string[]): Promise<Member> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let server: RunningServer | undefined
  return {
    ...peerAt(url),
    id,
    get server() {
      return server
    },
    async start() {
      server = await start(['--instance-id', id, '--log-level', 'info', '--http-addr', `127.0.0.1:${port}`, ...args])
    },
    async kill() {
      const running = server
      server = undefined
      running?.process.kill('SIGKILL')
      await running?.ended
    },
    async stop() {
      const running = server
      server = undefined
      return running === undefined ? null : running.stop()
    },
    pause: () => void server?.process.kill('SIGSTOP'),
    resume: () => void server?.process.kill('SIGCONT'),
  }
}

/** The server at an address. */
export function peerAt(url: string): Peer {
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      // A connection that is kept would be waited for at each stop.
      headers: { connection: 'close', ...(init.headers as Record<string, string> | undefined) },
      signal: AbortSignal.timeout(10_000),
    })
  return {
    url,
    async get(path) {
      try {
        const answer = await request(path)
        return answer.ok ? await answer.json() : undefined
      } catch {
        return undefined
      }
    },
    post: (path, body) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async health() {
      try {
        return (await (await request('/health')).json()) as Health
      } catch {
        return undefined
      }
    },
  }
}

/** A ruleset whose terminal contains a mark. */
export function marked(name: string, version: string, mark: number | string): object {
  return {
    config: { name, version, entry_step: 'end' },
    steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: 'decided', mark } } },
  }
}

/** Wait for a condition; throws its description after a generous time. */
export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  milliseconds = 30_000,
): Promise<void> {
  const end = performance.now() + milliseconds
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${milliseconds} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
