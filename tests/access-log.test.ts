import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { startCollector } from '../packages/process/src/collector.testing.ts'
import { start } from './engine-server.testing.ts'
import { connected } from './grpc/connected-client.testing.ts'
import { adultCheck, startServer } from './http/server.testing.ts'
import { useDatabase } from './platform/databases.testing.ts'
import { startPlatform } from './platform/platform.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-access-log-'))
afterAll(() => rmSync(scratch, { recursive: true }))

async function engine(...options: readonly string[]) {
  const server = await startServer(...options)
  onTestFinished(() => server.stop())
  const requests = () => server.loggedFields.filter((_, index) => server.logged[index] === 'info: request')
  return { ...server, requests }
}

describe('with --access-log an engine logs each request', () => {
  test('by method, path, route, status, duration and sender, without its query and body', async () => {
    const { post, request, requests } = await engine('--access-log')
    await post('/api/v1/rulesets?dry_run=true', adultCheck(), { 'x-request-id': 'order-7' })
    await post('/api/v1/execute/adult-check', { input: { secret: 1 } })
    await request('GET', '/api/v1/nothing?token=secret')
    await request('DELETE', '/api/v1/rulesets/none', { headers: { 'x-request-id': 'not valid!' } })
    const line = { ms: expect.any(Number), ip: '127.0.0.1', trace_id: undefined }
    await expect.poll(requests).toHaveLength(4)
    expect(requests()).toEqual([
      {
        ...line,
        method: 'POST',
        path: '/api/v1/rulesets',
        route: '/api/v1/rulesets',
        status: 200,
        request_id: 'order-7',
      },
      { ...line, method: 'POST', path: '/api/v1/execute/adult-check', route: '/api/v1/execute/:name', status: 404 },
      { ...line, method: 'GET', path: '/api/v1/nothing', route: undefined, status: 404 },
      {
        ...line,
        method: 'DELETE',
        path: '/api/v1/rulesets/none',
        route: '/api/v1/rulesets/:name',
        status: 404,
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
    expect(JSON.stringify(requests())).not.toContain('secret')
  })

  test('with the id of its trace', async () => {
    const collector = await startCollector()
    onTestFinished(() => collector.close())
    const { request, requests } = await engine('--access-log', '--otlp-endpoint', collector.endpoint)
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await request('GET', '/health', { headers: { traceparent } })
    await request('POST', '/api/v1/execute/none', { headers: { traceparent } })
    const logged = expect.objectContaining({ trace_id: '0af7651916cd43dd8448eb211c80319c' })
    await expect.poll(requests).toEqual([logged, logged])
  })

  test('and each call of gRPC', async () => {
    const { server, client } = await connected('--access-log')
    await client.call('Execute', { name: 'none', input_json: '{}' }, { metadata: { 'x-request-id': 'order-8' } })
    const calls = () => server.loggedFields.filter((_, index) => server.logged[index] === 'info: call')
    await expect.poll(calls).toEqual([
      {
        method: expect.stringMatching(/\/Execute$/),
        status: 'NOT_FOUND',
        ms: expect.any(Number),
        ip: '127.0.0.1',
        request_id: 'order-8',
        trace_id: undefined,
      },
    ])
  })

  test('and nothing without the option', async () => {
    const { request, logged } = await engine()
    await request('GET', '/health')
    expect(logged).not.toContain('info: request')
  })
})

describe('a platform logs each request', () => {
  const database = useDatabase('postgres')
  test.each([
    [['--access-log'], 'info'],
    [[], 'debug'],
  ])('with the options %j at level %s', async (options, level) => {
    const platform = await startPlatform(database(), options)
    onTestFinished(() => platform.stop())
    await platform.browser().request('GET', '/api/v1/me?a=b', undefined, { 'x-request-id': 'order-9' })
    const lines = () => platform.lines.filter(([, , message]) => message === 'request')
    await expect.poll(lines).toHaveLength(1)
    const fields = {
      method: 'GET',
      path: '/api/v1/me',
      route: '/api/v1/me',
      status: 401,
      ms: expect.any(Number),
      ip: '127.0.0.1',
      request_id: 'order-9',
      trace_id: undefined,
    }
    expect(lines()).toEqual([[level, fields, 'request']])
  })
})

test('the variables of OpenTelemetry send traces', async () => {
  const collector = await startCollector()
  const one = await start([], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_RESOURCE_ATTRIBUTES: 'team=risk',
    OTEL_SERVICE_NAME: 'pricing',
  })
  await fetch(`${one.url}/health`)
  expect(await one.stop()).toBe(0)
  await collector.close()
  expect(collector.spans).toMatchObject([
    { name: 'GET /health', resource: { 'service.name': 'pricing', team: 'risk' } },
  ])
})

test.runIf(hasProgram('script'))('on a terminal lines are text, and no JSON', () => {
  const program = join(import.meta.dirname, '../apps/engine-server/bin/engine-server.js')
  const command = `'${process.execPath}' '${program}' --http-addr 127.0.0.1:0 --disable-grpc & sleep 0.1; while ! grep -q listening '${scratch}/typescript'; do sleep 0.1; done; kill $!; wait $!`
  execFileSync('script', ['-qefc', command, join(scratch, 'typescript')], {
    stdio: 'pipe',
    env: { ...process.env, NO_COLOR: '1' },
    timeout: 60_000,
  })
  const text = execFileSync('cat', [join(scratch, 'typescript')], { encoding: 'utf8' })
  expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3}Z info  engine-server: listening  pid=\d+ /m)
  expect(text).not.toContain('{"level"')
})

function hasProgram(name: string): boolean {
  return execFileSync('sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim() !== ''
}
