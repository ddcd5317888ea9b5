import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemProgram } from '../programs.testing.ts'
import { spawnWatched } from '../watched-process.testing.ts'

/** A real NATS server with JetStream, on one port of loopback and with one store for all its lives. */
export interface Nats {
  readonly url: string
  readonly port: number
  /** SIGKILL; resolves when the server is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves when the server is gone. */
  stop(): Promise<void>
  /** Lame duck mode (SIGUSR2): it sends its clients away, one after the other, and ends. Resolves when it is gone. */
  retire(): Promise<void>
  /** Starts it again, on the same port and store; resolves when it accepts connections. */
  start(): Promise<void>
  /** SIGSTOP: connections stay open, the kernel even accepts new ones, and nothing answers. */
  pause(): void
  /** SIGCONT */
  resume(): void
  /** Ends it and deletes its store: what starts next knows nothing. */
  wipe(): Promise<void>
  /** Ends it and removes all that it had. */
  close(): Promise<void>
}

const live = new Set<Nats>()

/** Closes everything that a test has opened and not closed. */
export async function killAllNats(): Promise<void> {
  await Promise.all([...live].map((one) => one.close()))
}

/**
 * Start the `nats-server` of `NATS_BIN`, else of the system, on a free port of loopback.
 *
 * @param options.config more of its configuration file, for example `max_payload: 8MB`
 */
export async function startNats(options: { readonly config?: string } = {}): Promise<Nats> {
  const program = process.env['NATS_BIN'] ?? systemProgram('nats-server')
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'engine-nats-'))
  const store = join(folder, 'store')
  const config = join(folder, 'nats.conf')
  writeFileSync(config, options.config ?? '')
  const command = [program, '-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store, '-c', config]
  let server: ChildProcess | undefined

  const end = async (signal: 'SIGKILL' | 'SIGTERM' | 'SIGUSR2') => {
    if (server === undefined) return
    const ended = once(server, 'exit')
    server.kill(signal)
    // One that is paused could not act on a signal other than SIGKILL.
    server.kill('SIGCONT')
    await ended
  }
  const nats: Nats = {
    url: `nats://127.0.0.1:${port}`,
    port,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    retire: () => end('SIGUSR2'),
    async start() {
      if (server !== undefined) throw new Error('this NATS server runs already')
      const started = spawnWatched({ folder, command, signal: 'KILL', stderr: 'pipe' })
      server = started
      started.once('exit', () => (server = undefined))
      await ready(started)
    },
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    async wipe() {
      await end('SIGKILL')
      rmSync(store, { recursive: true, force: true })
    },
    async close() {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
      live.delete(nats)
    },
  }
  live.add(nats)
  await nats.start()
  return nats
}

/** Waits until it listens. Throws with its output when it ends first. */
function ready(child: ChildProcess): Promise<void> {
  let log = ''
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk
      if (log.includes('Server is ready')) resolve()
    })
    child.once('exit', () => reject(new Error(`the NATS server ended:\n${log}`)))
  })
}

/**
 * Below the ports that Linux gives to outgoing connections (from 32768). In that range a client that tries again and
 * again while no socket listens can end up connected to itself, and then holds the port that the server comes back to.
 */
const PORTS = { from: 12_000, to: 32_000 }

/** A port of loopback on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from))
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
