import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { constants } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, loadPackageDefinition, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { startCollector } from '../../packages/process/src/collector.testing.ts'
import { handled } from '../http/raw.testing.ts'
import { adultCheck, startServer } from '../http/server.testing.ts'
import { clientOf, engineClient, HEALTH_PROTO, LOADING } from './client.testing.ts'
import { adult, connected, silence, waiting } from './connected-client.testing.ts'
import { sessionOf } from './raw-call.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-grpc-'))
afterAll(() => rmSync(scratch, { recursive: true }))

test('tokens, in both spellings', async () => {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  const file = join(scratch, 'tokens')
  writeFileSync(file, `reader:read:${digest('r')}\nrunner:execute:${digest('x')}\n`)
  const { client } = await connected('--api-tokens-file', file)
  const ask = async (method: string, metadata: Record<string, string>) => {
    const reply = await client.call(method, { name: 'nope', input_json: '{}' }, { metadata })
    return 'code' in reply ? reply.code : 0
  }
  expect(await ask('Execute', {})).toBe(status.UNAUTHENTICATED)
  expect(await ask('Execute', { authorization: 'Bearer wrong' })).toBe(status.UNAUTHENTICATED)
  expect(await ask('Execute', { authorization: 'Bearer r' })).toBe(status.PERMISSION_DENIED)
  expect(await ask('Execute', { authorization: 'Bearer x' })).toBe(status.NOT_FOUND)
  expect(await ask('Execute', { 'x-api-key': 'x' })).toBe(status.NOT_FOUND)
  expect(await ask('ListRuleSets', { 'x-api-key': 'r' })).toBe(0)
  expect(await ask('ListRuleSets', { 'x-api-key': 'x' })).toBe(status.PERMISSION_DENIED)
  expect(await ask('Eval', { 'x-api-key': 'r' })).toBe(status.PERMISSION_DENIED)
  expect(await ask('BatchExecute', { 'x-api-key': 'r' })).toBe(status.PERMISSION_DENIED)
  expect(await ask('Health', {})).toBe(0)
})

test('a connection that has reached its age takes no new calls, and ends when those under way are answered', async () => {
  const service = await silence()
  const { server, client } = await connected('--grpc-max-connection-age-secs', '1')
  await server.post('/api/v1/rulesets', waiting(service.url))
  const idle = sessionOf(server.grpc)
  const told = once(idle, 'goaway')
  const closed = once(idle, 'close')
  const underWay = client.call('Execute', { name: 'waits', input_json: '{}' })
  await service.called
  expect((await told)[0]).toBe(constants.NGHTTP2_NO_ERROR)
  await closed
  service.answer()
  expect(await underWay).not.toHaveProperty('code')
  expect(await client.call('Execute', { name: 'waits', input_json: '{}' })).not.toHaveProperty('code')
})

test('it continues the trace of its caller', async () => {
  const collector = await startCollector()
  onTestFinished(() => collector.close())
  const { server, client } = await connected('--otlp-endpoint', collector.endpoint)
  await server.post('/api/v1/rulesets', adultCheck())
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await client.call('Execute', adult, { metadata: { traceparent } })
  await expect
    .poll(() => collector.spans.find(({ name }) => name === 'engine.EngineService/Execute'))
    .toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331', kind: 2 })
})

/** A certificate and its key. */
interface Files {
  readonly key: string
  readonly cert: string
}

test('calls are counted by method and status, including those that never arrived', async () => {
  const { server, client } = await connected()
  const counted = async () =>
    (await server.request('GET', '/metrics')).text.match(/^engine_grpc_calls_total\{method="engine.*$/gm)
  expect(await counted()).toContain('engine_grpc_calls_total{method="engine.EngineService/Execute",status="OK"} 0')
  await client.call('Execute', { name: 'nope', input_json: '{}' })
  await client.call('Health', {})
  expect(await counted()).toEqual(
    expect.arrayContaining([
      'engine_grpc_calls_total{method="engine.EngineService/Execute",status="NOT_FOUND"} 1',
      'engine_grpc_calls_total{method="engine.EngineService/Health",status="OK"} 1',
    ]),
  )
})

describe('connected', () => {
  test('over TLS, and not in plain text then', async () => {
    const files = { key: join(scratch, 'key.pem'), cert: join(scratch, 'cert.pem') }
    const asked = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
    const names = ['-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', [...`${asked} -keyout ${files.key} -out ${files.cert}`.split(' '), ...names], {
      stdio: 'ignore',
    })
    const { server, client } = await connected('--grpc-tls-cert', files.cert, '--grpc-tls-key', files.key)
    const trusting = credentials.createSsl(readFileSync(files.cert))
    const safe = engineClient(`localhost:${server.grpc.split(':')[1]}`, trusting)
    onTestFinished(() => safe.close())
    expect(await safe.call('Health', {})).toMatchObject({ message: { status: 'healthy' } })
    expect(await client.call('Health', {}, { deadline: 60_000 })).toMatchObject({ code: status.UNAVAILABLE })
  })

  test('over TLS with client certificates: a client without one, or with one of another signer, is rejected', async () => {
    const made = (name: string) => {
      const files = { key: join(scratch, `${name}.key`), cert: join(scratch, `${name}.pem`) }
      const asked = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
      const names = ['-addext', 'subjectAltName=DNS:localhost']
      execFileSync('openssl', [...`${asked} -keyout ${files.key} -out ${files.cert}`.split(' '), ...names], {
        stdio: 'ignore',
      })
      return files
    }
    const [own, known, other] = ['own', 'known', 'other'].map(made) as [Files, Files, Files]
    const options = ['--grpc-tls-cert', own.cert, '--grpc-tls-key', own.key, '--grpc-tls-client-ca', known.cert]
    const { server } = await connected(...options)
    const ask = async (files?: Files) => {
      const [key = null, cert = null] = files === undefined ? [] : [readFileSync(files.key), readFileSync(files.cert)]
      const address = `localhost:${server.grpc.split(':')[1]}`
      const one = engineClient(address, credentials.createSsl(readFileSync(own.cert), key, cert))
      onTestFinished(() => one.close())
      return one.call('Health', {}, { deadline: 60_000 })
    }
    expect(await ask(known)).toMatchObject({ message: { status: 'healthy' } })
    expect(await ask(other)).toMatchObject({ code: status.UNAVAILABLE })
    expect(await ask()).toMatchObject({ code: status.UNAVAILABLE })
  })

  test('over the Unix domain socket, on which HTTP is spoken too', async () => {
    const path = join(scratch, 'engine.sock')
    const server = await startServer('--uds-path', path)
    onTestFinished(() => server.stop())
    await server.post('/api/v1/rulesets', adultCheck())
    const client = engineClient(`unix:${path}`)
    onTestFinished(() => client.close())
    const overHttp = async () => {
      const [response] = (await once(httpRequest({ socketPath: path, path: '/health' }).end(), 'response')) as [
        IncomingMessage,
      ]
      response.resume()
      return response.statusCode
    }
    expect(await overHttp()).toBe(200)
    for (let count = 0; count < 3; count++)
      expect(await client.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
    expect(await overHttp()).toBe(200)
  })

  test('the shutdown waits for a call under way, and refuses new ones', async () => {
    const { url, called, answer } = await silence()
    const { server, client } = await connected()
    await server.post('/api/v1/rulesets', waiting(url))
    const underWay = client.call('Execute', { name: 'waits', input_json: '{}' })
    await called
    const stopped = server.stop(60_000)
    await handled()
    answer()
    expect(await underWay).toMatchObject({ message: { code: 'OK' } })
    await stopped
    expect(await client.call('Health', {}, { deadline: 60_000 })).toMatchObject({ code: status.UNAVAILABLE })
  })

  test('the standard health service', async () => {
    const { server } = await connected()
    const health = clientOf(
      loadPackageDefinition(loadSync(HEALTH_PROTO, LOADING)),
      'grpc.health.v1.Health',
      server.grpc,
    )
    onTestFinished(() => health.close())
    for (const service of ['', 'engine.EngineService'])
      expect(await health.call('Check', { service })).toEqual({ message: { status: 1 } })
    expect(await health.call('Check', { service: 'other' })).toMatchObject({ code: status.NOT_FOUND })
  })
})
