import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { killAll, type RunningServer, start } from '../engine-server.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-connections-'))
const POLL = { timeout: 120_000, interval: 100 }
const open: Socket[] = []

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy()
  await killAll()
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const portsOf = (server: RunningServer) => ({
  http: Number(new URL(server.url).port),
  grpc: Number(/:(\d+) \(gRPC\)/.exec(server.stdout())?.[1]),
})

function connected(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  open.push(socket)
  return socket.resume()
}

/** Whether a new connection is answered, or at least kept. */
async function isKept(port: number): Promise<boolean> {
  const closed = once(connected(port), 'close').then(() => false)
  return Promise.race([closed, delay(1000, true)])
}

test('workers have --max-connections together, over all addresses, and a closed connection makes room', async () => {
  const server = await start(['--workers', '2', '--max-connections', '4', '--grpc-addr', '127.0.0.1:0'])
  const { http, grpc } = portsOf(server)
  expect(await Promise.all([http, grpc, http, grpc].map(isKept))).toEqual([true, true, true, true])
  await Promise.all([http, grpc].map((port) => once(connected(port), 'close')))
  // The line of the log may come later than the end of the connection.
  await vi.waitFor(() => expect(server.stdout().split('too many connections')).toHaveLength(2), POLL)
  for (const socket of open.splice(0)) socket.destroy()
  await vi.waitFor(async () => expect(await isKept(http)).toBe(true), POLL)
  expect(await server.stop()).toBe(0)
})

test.each(['http', 'grpc'] as const)(
  'connections with TLS to workers that break off are not counted: %s',
  async (which) => {
    const [key, cert] = [join(scratch, 'key.pem'), join(scratch, 'cert.pem')]
    const asked = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
    execFileSync('openssl', `${asked} -keyout ${key} -out ${cert}`.split(' '), { stdio: 'ignore' })
    const tls = ['http', 'grpc'].flatMap((name) => [`--${name}-tls-cert`, cert, `--${name}-tls-key`, key])
    const limits = ['--max-connections', '3', '--shutdown-timeout-secs', '600']
    const server = await start(['--workers', '2', '--grpc-addr', '127.0.0.1:0', ...limits, ...tls])
    const port = portsOf(server)[which]
    for (let round = 0; round < 8; round++)
      await vi.waitFor(async () => {
        const socket = connectTls({
          port,
          host: '127.0.0.1',
          rejectUnauthorized: false,
          ALPNProtocols: ['h2', 'http/1.1'],
        })
        open.push(socket)
        await once(socket, 'secureConnect')
        // The connection ends without a close.
        socket.destroy()
      }, POLL)
    // The shutdown does not wait for them either, for which it would have longer than this test.
    expect(await server.stop()).toBe(0)
  },
)
