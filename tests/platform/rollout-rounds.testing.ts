import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { vi } from 'vitest'
import { ROOT } from '../docs/page.testing.ts'

/** A program that can be killed, stopped and started again. */
export interface Program {
  readonly name: string
  /** Where it listens. */
  url(): string
  readonly isRunning: () => boolean
  readonly said: () => string
  start(): Promise<void>
  kill(): Promise<void>
  /** SIGSTOP, and SIGCONT after these milliseconds. */
  freeze(milliseconds: number): Promise<void>
}

const PROGRAMS = {
  platform: 'apps/platform-server/bin/engine-platform.js',
  engine: 'apps/engine-server/bin/engine-server.js',
} as const

/** @param args at each start */
export function programOf(kind: keyof typeof PROGRAMS, name: string, args: () => readonly string[]): Program {
  let child: ChildProcess | undefined
  let said = ''
  return {
    name,
    url: () => /"url":"([^"]+)"/.exec(said)?.[1] ?? '',
    isRunning: () => child !== undefined,
    said: () => said,
    async start() {
      said = ''
      const started = spawn(process.execPath, [join(ROOT, PROGRAMS[kind]), ...args()], {
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      const keep = (bytes: Buffer) => (said += bytes.toString())
      started.stdout?.on('data', keep)
      started.stderr?.on('data', keep)
      child = started
      const listens = () => {
        if (!said.includes('"msg":"listening"')) throw new Error(`${name} does not listen: ${said}`)
      }
      await vi.waitFor(listens, { timeout: 120_000, interval: 20 })
    },
    async kill() {
      const killed = child
      if (killed?.pid === undefined) return
      child = undefined
      const closed = once(killed, 'close')
      signal(killed, 'SIGKILL')
      await closed
    },
    async freeze(milliseconds) {
      const frozen = child
      if (frozen === undefined) return
      signal(frozen, 'SIGSTOP')
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      signal(frozen, 'SIGCONT')
    },
  }
}

/** Its own process group: the program may have started others. */
function signal({ pid, exitCode }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, name)
}

/** One address for replicas of which some may be away: a connection goes to one that takes it. */
export async function balanced(replicas: readonly Program[]) {
  const sockets = new Set<Socket>()
  let next = 0
  const pass = (client: Socket, tries: number): void => {
    const replica = replicas[next++ % replicas.length]
    const target = replica?.isRunning() === true ? URL.parse(replica.url()) : null
    if (target === null || tries === 0) {
      if (tries === 0) client.destroy()
      else setTimeout(() => pass(client, tries - 1), 5)
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    sockets.add(upstream)
    upstream.once('error', () => upstream.destroy())
    upstream.once('close', () => (sockets.delete(upstream), client.destroy()))
    client.once('close', () => upstream.destroy())
    client.pipe(upstream)
    upstream.pipe(client)
  }
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.once('close', () => sockets.delete(client))
    pass(client, 200)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Replicas of one platform on a server of PostgreSQL. */
export function replicasOf(count: number, database: string, origin: string): readonly Program[] {
  const folder = mkdtempSync(join(tmpdir(), 'rounds-'))
  const key = join(folder, 'secret.key')
  writeFileSync(key, randomBytes(32).toString('base64'))
  return Array.from({ length: count }, (_, index) =>
    programOf('platform', `replica ${index}`, () => {
      const place = { 'http-addr': '127.0.0.1:0', 'data-dir': mkdtempSync(join(folder, 'replica-')) }
      const options = { ...place, 'database-url': database, 'public-url': origin, 'secret-key-file': key }
      // The engines register through the balancer of the test, so their peer does not prove their address.
      const more = { 'heartbeat-interval-secs': '1', 'rate-limit': '0', 'engine-allow': '127.0.0.1' }
      return Object.entries({ ...options, ...more }).flatMap(([name, value]) => [`--${name}`, value])
    }),
  )
}
