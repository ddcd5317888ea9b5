import { parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { credentials } from '@grpc/grpc-js'
import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { killAll, type RunningServer, start } from '../engine-server.testing.ts'
import { engineClient } from '../grpc/client.testing.ts'
import { receiptFolder } from '../receipts/server.testing.ts'
import { answering } from '../workers.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-reload-'))
const file = (name: string) => join(scratch, name)
const POLL = { timeout: 120_000, interval: 50 }

afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const line = (name: string, scope: string, token: string) =>
  `${name}:${scope}:${createHash('sha256').update(token).digest('hex')}\n`

/** Sends SIGHUP and waits for its outcome in the log. */
async function hangUp(server: RunningServer, outcome: 'reloaded' | 'failed'): Promise<string> {
  const said = outcome === 'reloaded' ? 'SIGHUP: files reloaded' : 'SIGHUP: reload failed'
  const before = server.stdout().split(said).length
  server.process.kill('SIGHUP')
  await vi.waitFor(() => expect(server.stdout().split(said).length).toBe(before + 1), POLL)
  return (
    server
      .stdout()
      .split('\n')
      .findLast((text) => text.includes(said)) ?? ''
  )
}

function certificate(name: string, subject: string): void {
  const asked = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
  const where = `-keyout ${file(`${name}.key`)} -out ${file(`${name}.pem`)} -subj /CN=${subject}`
  execFileSync('openssl', [...`${asked} ${where}`.split(' '), '-addext', 'subjectAltName=DNS:localhost'], {
    stdio: 'ignore',
  })
}

/** The subject of the certificate that a new connection is shown. */
async function shown(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return String(subject.CN)
}

describe.each([
  ['one process', []],
  ['workers', ['--workers', '2']],
] as const)('SIGHUP with %s', (_, workers) => {
  test('reloads the tokens, over HTTP and gRPC; an invalid file changes nothing', async () => {
    const tokens = file('tokens')
    writeFileSync(tokens, line('old', 'admin', 'one'))
    const server = await start(['--api-tokens-file', tokens, '--grpc-addr', '127.0.0.1:0', ...workers])
    const place = /(127\.0\.0\.1:\d+) \(gRPC\)/.exec(server.stdout())?.[1] ?? ''
    const statuses = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const client = engineClient(place)
      const rpc = await client.call('Execute', { name: 'none', input_json: '{}' }, { metadata: headers })
      client.close()
      const over = async (path: string) => (await fetch(`${server.url}${path}`, { headers })).status
      // The lines of a worker and of its owner.
      const code = 'code' in rpc ? rpc.code : 0
      return [await over('/api/v1/rulesets'), await over('/api/v1/config/audit-sample-rate'), code]
    }
    const known = [200, 200, 5]
    const unknown = [401, 401, 16]
    expect([await statuses('one'), await statuses('two')]).toEqual([known, unknown])

    writeFileSync(tokens, line('new', 'admin', 'two'))
    expect(await hangUp(server, 'reloaded')).toContain('--api-tokens-file')
    expect([await statuses('one'), await statuses('two')]).toEqual([unknown, known])

    writeFileSync(tokens, 'ada:dance:00\n')
    expect(await hangUp(server, 'failed')).toContain('line 1: `dance` is not a scope')
    rmSync(tokens)
    expect(await hangUp(server, 'failed')).toContain('no such file or directory')
    execFileSync('mkfifo', [tokens])
    expect(await hangUp(server, 'failed')).toContain('is not a regular file')
    expect([await statuses('one'), await statuses('two')]).toEqual([unknown, known])
    expect(await server.stop()).toBe(0)
    rmSync(tokens)
  })

  test('signs receipts with the new key; a file that is no key changes nothing', async () => {
    const folder = receiptFolder('ask')
    const server = await start([...folder.options, ...workers])
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json', connection: 'close' }
      const reply = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: reply.status, body: (await reply.json()) as { readonly receipt?: unknown } }
    }
    expect((await post('/api/v1/rulesets', answering('A'))).status).toBe(201)
    /** Receipts of new connections, so that each worker decides. */
    const receipts = () =>
      Promise.all(
        Array.from({ length: 6 }, async () => {
          const { status, body } = await post('/api/v1/execute/rule', { input: {}, receipt: true })
          expect(status).toBe(200)
          return JSON.stringify(body.receipt)
        }),
      )
    const faultsBy = (keys: string, texts: readonly string[]) => {
      const known = parseReceiptKeys(keys)
      return texts.flatMap((text) => verifyReceipt(text, known).faults)
    }
    const first = await receipts()
    expect(faultsBy(readFileSync(folder.publicFile, 'utf8'), first)).toEqual([])

    const second = folder.rotate('second')
    expect(await hangUp(server, 'reloaded')).toContain('--receipts-key')
    const after = await receipts()
    expect(faultsBy(readFileSync(second, 'utf8'), after)).toEqual([])

    writeFileSync(folder.keyFile, 'not a key\n')
    expect(await hangUp(server, 'failed')).toContain('--receipts-key')
    const still = await receipts()
    expect(faultsBy(readFileSync(second, 'utf8'), still)).toEqual([])
    // The list has a time span for each key, to which its receipts belong.
    const listed = await (await fetch(`${server.url}/api/v1/receipts/keys`)).text()
    expect(parseReceiptKeys(listed).size).toBe(2)
    expect(faultsBy(listed, [...first, ...after, ...still])).toEqual([])
    expect(await server.stop()).toBe(0)
  })

  test('reloads the certificates, over HTTP and gRPC; a mismatch changes nothing', async () => {
    certificate('tls', 'first')
    const [cert, key] = [file('tls.pem'), file('tls.key')]
    const pair = ['http', 'grpc'].flatMap((name) => [`--${name}-tls-cert`, cert, `--${name}-tls-key`, key])
    const server = await start([...pair, '--grpc-addr', '127.0.0.1:0', ...workers])
    const grpcPort = Number(/:(\d+) \(gRPC\)/.exec(server.stdout())?.[1])
    const ports = [Number(new URL(server.url).port), grpcPort]
    const subjects = () => Promise.all([...ports, ...ports].map(shown))
    expect(await subjects()).toEqual(['first', 'first', 'first', 'first'])
    const old = engineClient(`localhost:${grpcPort}`, credentials.createSsl(readFileSync(file('tls.pem'))))
    expect(await old.call('Health', {})).toMatchObject({ message: { status: 'healthy' } })

    certificate('tls', 'second')
    expect(await hangUp(server, 'reloaded')).toContain('--grpc-tls-cert')
    expect(await subjects()).toEqual(['second', 'second', 'second', 'second'])
    expect(new X509Certificate(readFileSync(file('tls.pem'))).subject).toBe('CN=second')
    // Open connections stay open.
    expect(await old.call('Health', {})).toMatchObject({ message: { status: 'healthy' } })
    const trusting = engineClient(`localhost:${grpcPort}`, credentials.createSsl(readFileSync(file('tls.pem'))))
    expect(await trusting.call('Health', {})).toMatchObject({ message: { status: 'healthy' } })
    for (const client of [old, trusting]) client.close()

    certificate('other', 'third')
    writeFileSync(file('tls.pem'), readFileSync(file('other.pem')))
    expect(await hangUp(server, 'failed')).toContain('is not the key of the certificate')
    expect(await subjects()).toEqual(['second', 'second', 'second', 'second'])
    expect(await server.stop()).toBe(0)
  })
})

test('SIGHUP without such files does not stop the server', async () => {
  const server = await start()
  server.process.kill('SIGHUP')
  await server.says(/SIGHUP: no option names a file to reload/)
  expect((await fetch(`${server.url}/healthz/live`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
})
