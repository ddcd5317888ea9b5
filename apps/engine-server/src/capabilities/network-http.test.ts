import { isObject, type Value } from '@engine/expression'
import type { CapabilityRequest } from '@engine/ruleset'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { startCollector } from '../../../../packages/process/src/collector.testing.ts'
import { openTracing, readTracingVariables, ShutdownList } from '@engine/process'
import { Hops } from './hops.ts'
import { CallContext } from './call-context.ts'
import { createEgress, type EgressPolicy, parseHostPattern } from '@engine/egress'
import { createNetworkHttp } from './network-http.ts'
import { observed } from './instrumentation.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server on loopback that answers as a test wants. */
async function peer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** A request as a server received it. */
interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

async function echo() {
  const seen: Seen[] = []
  const { url, server } = await peer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"score":7}')
    })
  })
  return { url, server, seen }
}

const REQUEST: CapabilityRequest = {
  isAwaited: true,
  capability: 'network.http',
  operation: 'get',
  payload: {},
  ruleset: 'r',
  step: 's',
  context: undefined,
  timeoutMs: undefined,
  signal: new AbortController().signal,
}

type Resolve = NonNullable<Parameters<typeof createNetworkHttp>[0]['resolve']>

function network(policy: EgressPolicy = 'open', resolve?: Resolve, allowed: readonly string[] = []) {
  const egress = createEgress(policy, allowed.map(parseHostPattern), '--network-http-allow')
  const made = createNetworkHttp({ egress, ...(resolve === undefined ? {} : { resolve }) })
  closing.push(made.close)
  // A synchronous throw becomes a rejection too.
  const call = async (operation: string, payload: { [key: string]: Value }, more: Partial<CapabilityRequest> = {}) =>
    made.provider.call({ ...REQUEST, operation, payload, ...more })
  return { call, provider: made.provider }
}

describe('a request', () => {
  test.each(['get', 'post', 'put', 'patch', 'delete', 'options'])('%s', async (operation) => {
    const { url, seen } = await echo()
    const { call } = network()
    const response = await call(operation, { url: `${url}/v1?q=1`, headers: { 'X-Key': 'k' }, json_body: { n: 1 } })
    expect(response).toEqual({
      payload: { status: 200, body: '{"score":7}', json_body: { score: 7 } },
      metadata: { status: '200', content_type: 'application/json' },
    })
    expect(seen).toMatchObject([{ method: operation.toUpperCase(), url: '/v1?q=1', body: '{"n":1}' }])
    expect(seen[0]?.headers).toMatchObject({ 'x-key': 'k', 'content-type': 'application/json' })
  })

  test('head has no body', async () => {
    const { url } = await echo()
    const { call } = network()
    expect((await call('head', { url })).payload).toEqual({ status: 200, body: '' })
    await expect(call('head', { url, json_body: 1 })).rejects.toThrow('`head` sends no `json_body`')
  })

  test('any status is an answer, and a redirect is not followed', async () => {
    const { url } = await peer((request, response) => {
      const status = Number(request.url?.slice(1))
      response.writeHead(status, { location: 'http://169.254.169.254/' }).end('no')
    })
    const { call } = network()
    for (const status of [301, 307, 404, 500])
      expect((await call('get', { url: `${url}/${status}` })).payload).toEqual({ status, body: 'no' })
  })

  test('an answer that is JSON keeps its integers, and cannot reach into objects', async () => {
    const { url } = await peer((_request, response) => response.end('{"__proto__":{"x":1},"n":9007199254740993}'))
    const { payload } = await network().call('get', { url })
    const { json_body: body } = payload as { json_body: { n: bigint } }
    expect([body.n, Object.keys(body), ({} as { x?: number }).x]).toEqual([
      9007199254740993n,
      ['__proto__', 'n'],
      undefined,
    ])
  })

  test('connections are kept alive and reused', async () => {
    const { url, server } = await echo()
    let connections = 0
    server.on('connection', () => connections++)
    const { call } = network()
    for (let count = 0; count < 20; count++) await call('post', { url, json_body: {} })
    // A second one may begin while the first is being handed back.
    expect(connections).toBeLessThan(4)
  })

  test('carries the hop count, regardless of the headers that the rule sets', async () => {
    const { url, seen } = await echo()
    const { call } = network()
    await call('get', { url })
    const context = new CallContext(undefined, new Hops(3))
    for (let count = 0; count < 3; count++) await call('get', { url }, { context })
    await expect(call('get', { url, headers: { 'X-Engine-Hops': '0' } }, { context })).rejects.toThrow(
      'the header `x-engine-hops` is set by the engine',
    )
    expect(seen.map(({ headers }) => headers['x-engine-hops'])).toEqual(['1', '4', '5', '5'])
  })

  test('propagates the trace and has a span of its own', async () => {
    const collector = await startCollector()
    closing.push(() => collector.close())
    const identity = { program: 'engine-server', service: 's', version: '1', instance: 'i' }
    const log = { warn: () => undefined }
    const options = { endpoint: collector.endpoint, service: 's', isServiceGiven: true }
    const { traces } = readTracingVariables(options, {})
    const tracing = await openTracing({ traces, ...identity }, log, new ShutdownList())
    if (tracing === undefined) throw new Error('there is an endpoint')
    const { url, seen } = await echo()
    const { provider } = network()
    const request = tracing.server('execute', {}, {})
    const calls: unknown[] = []
    await observed(provider, (call) => calls.push(call)).call({
      ...REQUEST,
      payload: { url },
      context: new CallContext(request, new Hops(0)),
    })
    request.end()
    await tracing.close(5000)
    const span = collector.spans.find(({ name }) => name === 'GET')
    expect(span).toMatchObject({ traceId: request.traceId, kind: 3, attributes: { 'engine.ruleset': 'r' } })
    expect(seen[0]?.headers['traceparent']).toBe(`00-${request.traceId}-${span?.spanId}-01`)
    expect(calls).toMatchObject([{ capability: 'network.http', operation: 'get', outcome: 'success' }])
  })
})

describe('a call ends with', () => {
  test('its timeout, in the headers of the answer and in its body', async () => {
    const { url } = await peer((request, response) => {
      if (request.url === '/body') response.write('x')
    })
    const { call } = network()
    for (const path of ['/head', '/body'])
      await expect(call('get', { url: url + path }, { timeoutMs: 50 })).rejects.toThrow('no answer within 50 ms')
  })

  test('an answer that is too large, with and without its length', async () => {
    const { url } = await peer((request, response) => {
      if (request.url === '/length') response.setHeader('content-length', 2 * 1024 * 1024)
      response.end(Buffer.alloc(2 * 1024 * 1024))
    })
    const { call } = network()
    for (const path of ['/length', '/chunks'])
      await expect(call('get', { url: url + path })).rejects.toThrow('the answer is larger than 1048576 bytes')
  })

  test('headers that are too large', async () => {
    const { url } = await peer((_request, response) => response.setHeader('x-large', 'x'.repeat(40_000)).end())
    await expect(network().call('get', { url })).rejects.toThrow(
      'the headers of the answer are larger than 16384 bytes',
    )
  })

  test('a compressed answer', async () => {
    const { url } = await peer((_request, response) => response.setHeader('content-encoding', 'gzip').end('x'))
    await expect(network().call('get', { url })).rejects.toThrow('the answer is encoded as `gzip`')
  })

  test('a connection that is reset, one that is refused, and a response that is not HTTP', async () => {
    const broken = await peer((request) => request.socket.destroy())
    const { call } = network()
    await expect(call('get', { url: broken.url })).rejects.toThrow('the connection was reset')
    await expect(call('get', { url: 'http://127.0.0.1:1/' })).rejects.toThrow('the connection was refused')
    const odd = await peer((request) => request.socket.end('hello\r\n\r\n'))
    await expect(call('get', { url: odd.url })).rejects.toThrow('the answer is not valid HTTP')
  })

  test('five failures in a row: the sixth call is not attempted', async () => {
    const { url } = await peer((request) => request.socket.destroy())
    const { call } = network()
    for (let count = 0; count < 5; count++) await expect(call('get', { url })).rejects.toThrow('reset')
    await expect(call('get', { url })).rejects.toThrow(/failed several times in a row and is called again in \d+ s/)
  })

  test('a rejected answer does not count as a failure of its sender', async () => {
    const { url } = await peer((_request, response) => response.end(Buffer.alloc(2 * 1024 * 1024)))
    const { call } = network()
    for (let count = 0; count < 7; count++) await expect(call('get', { url })).rejects.toThrow('is larger than')
  })
})

describe('an abandoned call', () => {
  test('releases its connection, or its place in the queue, immediately', async () => {
    const open = new Set<unknown>()
    const { url } = await peer((request, response) => {
      if (request.url === '/quick') return void response.end('ok')
      open.add(request)
      request.once('close', () => open.delete(request))
    })
    const { call } = network()
    const gone = new AbortController()
    const waiting = Array.from({ length: 300 }, () => call('get', { url }, { signal: gone.signal, timeoutMs: 20_000 }))
    const settled = Promise.allSettled(waiting)
    await expect.poll(() => open.size).toBe(64)
    gone.abort()
    expect((await settled).every(({ status }) => status === 'rejected')).toBe(true)
    await expect.poll(() => open.size).toBe(0)
    // Each of more than can wait at a time: had any of those before kept its place, some would be refused.
    const quick = Array.from({ length: 320 }, () => call('get', { url: `${url}/quick` }))
    expect((await Promise.all(quick)).every(({ payload }) => isObject(payload) && payload['status'] === 200)).toBe(true)
  })

  test('does not disclose its target', async () => {
    const { url } = await peer((request, response) => {
      if (request.url === '/quick') response.end('ok')
    })
    const { call } = network()
    for (let count = 0; count < 6; count++) {
      const gone = new AbortController()
      const given = call('get', { url }, { signal: gone.signal })
      gone.abort()
      await expect(given).rejects.toThrow('no answer in time')
    }
    expect((await call('get', { url: `${url}/quick` })).payload).toMatchObject({ status: 200 })
  })
})

test('calls beyond the length of the queue are refused', async () => {
  const { url } = await peer(() => undefined)
  const { call } = network()
  const gone = new AbortController()
  const waiting = Array.from({ length: 320 }, () => call('get', { url }, { signal: gone.signal }))
  const settled = Promise.allSettled(waiting)
  await expect(call('get', { url })).rejects.toThrow(`320 calls are waiting for ${url} already`)
  gone.abort()
  await settled
})

test('a thousand calls leave no timer and no request behind', async () => {
  const { url } = await echo()
  const { call } = network()
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  await call('get', { url })
  const before = timers()
  for (let count = 0; count < 50; count++) {
    const calls = Array.from({ length: 20 }, () => call('get', { url }))
    await Promise.all(calls)
  }
  // The pool keeps one for all its connections; a timer for each call would be a thousand.
  expect(timers()).toBeLessThan(before + 100)
})

test('errors of the request are thrown, so that they fail an execution that does not wait', () => {
  const { provider } = network()
  expect(() => provider.call({ ...REQUEST, payload: {} })).toThrow('`url` must be a text, found null')
})

test.each([true, false])('an endless answer is aborted, with or without a length: %s', async (hasLength) => {
  let isClosed = false
  const { url } = await peer((request, response) => {
    if (hasLength) response.setHeader('content-length', 500_000)
    const drip = setInterval(() => response.write('x'), 5)
    request.once('close', () => {
      isClosed = true
      clearInterval(drip)
    })
  })
  await expect(network().call('get', { url }, { timeoutMs: 100 })).rejects.toThrow('no answer within 100 ms')
  await expect.poll(() => isClosed).toBe(true)
})

describe('a payload', () => {
  test.each<[object, string | RegExp]>([
    [{}, '`url` must be a text, found null'],
    [{ url: 7 }, '`url` must be a text, found number'],
    [{ url: 'nonsense' }, '`url` is not a URL such as'],
    [{ url: 'file:///etc/passwd' }, 'must begin with `http:` or `https:`, found `file:`'],
    [{ url: 'gopher://a/' }, 'found `gopher:`'],
    [{ url: 'http://user:secret@a/' }, '`url` must not hold a user or a password'],
    [{ url: 'http://user@a/' }, '`url` must not hold a user or a password'],
    [{ url: 'http://a/', body: 1 }, '`body` is unknown: expected `url`, `headers`, `json_body`'],
    [{ url: 'http://a/', headers: [] }, '`headers` must be an object of texts'],
    [{ url: 'http://a/', headers: { a: 1 } }, 'the header `a` must be a text of one line'],
    [{ url: 'http://a/', headers: { a: 'x\r\nevil: 1' } }, 'the header `a` must be a text of one line'],
    [{ url: 'http://a/', headers: { a: 'x\nevil: 1' } }, 'the header `a` must be a text of one line'],
    [{ url: 'http://a/', headers: { 'a\r\nb': 'x' } }, 'a name in `headers` is not that of a header'],
    [{ url: 'http://a/', headers: { Host: 'b' } }, 'the header `host` is set by the engine'],
    [{ url: 'http://a/', headers: { 'Transfer-Encoding': 'chunked' } }, 'the header `transfer-encoding` is set by'],
    [{ url: 'http://a/', headers: { 'Content-Length': '0' } }, 'the header `content-length` is set by'],
  ])('%j is refused', async (payload, message) => {
    const resolve: Resolve = () => expect.unreachable('nothing may be looked up')
    await expect(network('open', resolve).call('get', payload as { [key: string]: Value })).rejects.toThrow(message)
  })

  test('a line break in a path is not sent as a line break', async () => {
    const { url, seen } = await echo()
    await network().call('get', { url: `${url}/a\r\nx: 1` })
    expect(seen[0]).toMatchObject({ url: '/ax:%201' })
  })
})

describe('server-side request forgery', () => {
  /** Names as an attacker could configure them; no external service is contacted. */
  const NAMES: Readonly<Record<string, readonly string[]>> = {
    'localtest.example': ['127.0.0.1'],
    'localtest6.example': ['::1'],
    'metadata.google.internal': ['169.254.169.254'],
    'metadata.example': ['169.254.169.254'],
    'both.example': ['93.184.216.34', '169.254.169.254'],
    'half.example': ['93.184.216.34', '10.0.0.1'],
    'mapped.example': ['::ffff:169.254.169.254'],
    'nat64.example': ['64:ff9b::a9fe:a9fe'],
    'aws6.example': ['fd00:ec2::254'],
    'intern.example': ['10.1.2.3'],
    'localhost.': ['127.0.0.1'],
    localhost: ['127.0.0.1', '::1'],
  }
  const asked: string[] = []
  const resolve: Resolve = async (host) => {
    asked.push(host)
    const addresses = NAMES[host] ?? []
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }

  const FORBIDDEN = 'link-local and cloud metadata addresses are never called'
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254.:80/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://169.254.43518/',
    'http://169.16689662/',
    'http://0xA9FEA9FE/',
    'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
    'http://169。254。169。254/',
    'http://%31%36%39.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[::169.254.169.254]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[64:ff9b:1::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://169.254.170.2/v2/credentials',
    'http://[fd00:ec2::23]/v1/credentials',
    'http://[fd20:ce::254]/computeMetadata/v1/',
    'http://[fd00:c1::a9fe:a9fe]/opc/v2/',
    'http://[64:ff9b:1:a9fe:a9:fe00::]/',
    'http://[64:ff9b:1:1:2:3:a9fe:a9fe]/',
    'http://[2001:db8:122:344::169.254.169.254]/',
    'https://169.254.169.254:8443/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://metadata.example/',
    'http://both.example/',
    'http://mapped.example/',
    'http://nat64.example/',
    'http://aws6.example/',
  ])('%s is refused whatever the policy', async (url) => {
    const allowed = ['169.254.0.0/16', '100.64.0.0/10', '168.63.129.16', '192.0.0.0/8', '[::]/0', '0.0.0.0/0']
    const names = [...Object.keys(NAMES).filter((name) => !name.endsWith('.')), '*.example']
    for (const policy of ['open', 'public', 'allowlist'] as const)
      for (const patterns of [[], [...allowed, ...names]])
        if (policy !== 'allowlist' || patterns.length > 0)
          await expect(network(policy, resolve, patterns).call('get', { url })).rejects.toThrow(FORBIDDEN)
  })

  test.each([
    'http://127.0.0.1:9/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://①②⑦.0.0.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://10.0.0.1/',
    'http://172.16.5.4/',
    'http://192.168.0.1/',
    'http://100.64.1.1/',
    'http://[fd12::1]/',
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://localtest.example/',
    'http://localtest6.example/',
    'http://intern.example/',
    'http://half.example/',
  ])('%s is refused by the policy `public`, and by `allowlist`', async (url) => {
    await expect(network('public', resolve).call('get', { url })).rejects.toThrow('is a private address')
    await expect(network('allowlist', resolve).call('get', { url })).rejects.toThrow('is not among the hosts')
  })

  test('a name is looked up once for a connection: it cannot change between the check and the call', async () => {
    const { url, seen } = await echo()
    const { port } = new URL(url)
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const { call } = network('open', async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 })))
    expect((await call('get', { url: `http://rebinding.example:${port}/` })).payload).toMatchObject({ status: 200 })
    expect([seen.length, answers]).toEqual([1, [['169.254.169.254']]])
  })

  test('a name without an address, and an unknown one', async () => {
    await expect(network('open', resolve).call('get', { url: 'http://nowhere.example/' })).rejects.toThrow(
      '`nowhere.example` has no address',
    )
    const unknown: Resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
    await expect(network('open', unknown).call('get', { url: 'http://nowhere.example/' })).rejects.toThrow(
      'the host is not known',
    )
  })
})
