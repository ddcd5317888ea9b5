import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CapabilityProvider } from '@engine/ruleset'
import { afterAll, describe, expect, test } from 'vitest'
import { blockOf } from '../docs/page.testing.ts'
import { handled } from './raw.testing.ts'
import { adultCheck, JSON_TYPE, startHost, startServer, type TestServer } from './server.testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-http-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function withServer(options: readonly string[], use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer(...options)
  try {
    await use(server)
  } finally {
    await server.stop()
  }
}

/** Computes a digest again and again: some 100 µs a round. */
const TEXT = 'ab'.repeat(10_000)

const SLOW = {
  config: { name: 'slow', entry_step: 'loop', max_depth: 1_000_000, timeout_ms: 0 },
  steps: {
    loop: {
      id: 'loop',
      type: 'action',
      actions: [{ action: 'set_variable', name: 'n', value: 'if sha256(text) == "" then 0 else coalesce($n, 0) + 1' }],
      next_step: 'check',
    },
    check: {
      id: 'check',
      type: 'decision',
      branches: [{ condition: '$n < rounds', next_step: 'loop' }],
      default_next: 'end',
    },
    end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '', output: [['n', '$n']] } },
  },
}

const DIGEST: unknown = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)

describe('rulesets', () => {
  test('are created with 201, updated with 200, listed, read as stored, deleted with 204', async () => {
    await withServer([], async (server) => {
      const created = await server.post('/api/v1/rulesets', adultCheck())
      expect([created.status, created.body]).toEqual([201, { status: 'created', name: 'adult-check', digest: DIGEST }])
      const updated = await server.post(
        '/api/v1/rulesets',
        adultCheck({ config: { version: '2.0.0', description: 'x' } }),
      )
      expect([updated.status, updated.body]).toEqual([200, { status: 'updated', name: 'adult-check', digest: DIGEST }])
      expect((await server.request('GET', '/api/v1/rulesets')).body).toEqual([
        { name: 'adult-check', version: '2.0.0', description: 'x', step_count: 3, digest: DIGEST },
      ])
      expect((await server.request('GET', '/api/v1/rulesets/adult-check')).body.config.version).toBe('2.0.0')
      const deleted = await server.request('DELETE', '/api/v1/rulesets/adult-check')
      expect([deleted.status, deleted.text]).toEqual([204, ''])
      expect((await server.request('GET', '/api/v1/rulesets')).body).toEqual([])
    })
  })

  test('with sub-rules are read as stored, over a restart too, and decide with the steps in their place', async () => {
    const document = JSON.parse(blockOf('docs/rulesets.md', 'Sub-rules', 'json')) as object
    const options = ['--rules-dir', join(directory, 'sub-rules'), '--workers', '2']
    const input = { maths: { points: 70 }, art: { points: 30 } }
    await withServer(options, async (server) => {
      expect((await server.post('/api/v1/rulesets', document)).status).toBe(201)
      const wrong = { ...document, sub_rules: {} }
      const refused = await server.post('/api/v1/rulesets', wrong)
      expect([refused.status, refused.body.details[0].path]).toEqual([400, '/steps/first/ref_name'])
    })
    await withServer(options, async (server) => {
      expect((await server.request('GET', '/api/v1/rulesets/grades')).body).toEqual(document)
      const { body } = await server.post('/api/v1/execute/grades', { input, trace: true })
      expect(body).toMatchObject({ code: 'GRADED', output: { maths: 'passed', art: 'failed' } })
      expect(body.trace.path).toMatch(/^first -> first\/check -> .* -> done$/)
    })
  })

  test('keep versions, roll back, and forget nothing over a restart', async () => {
    const options = ['--rules-dir', join(directory, 'versions'), '--max-versions', '3']
    await withServer(options, async (server) => {
      for (const version of ['1.0.0', '1.1.0', '1.2.0'])
        await server.post('/api/v1/rulesets', adultCheck({ config: { version } }))
      const rolledBack = await server.post('/api/v1/rulesets/adult-check/rollback', { seq: 1 })
      expect([rolledBack.status, rolledBack.body]).toEqual([
        200,
        { status: 'rolled_back', name: 'adult-check', from_version: '1.2.0', to_version: '1.0.0', digest: DIGEST },
      ])
      expect((await server.post('/api/v1/rulesets/adult-check/rollback', { seq: 99 })).status).toBe(404)
    })
    await withServer(options, async (server) => {
      const { body } = await server.request('GET', '/api/v1/rulesets/adult-check/versions')
      expect(body).toMatchObject({ name: 'adult-check', current_version: '1.0.0' })
      expect(body.versions.map(({ seq, version }: { seq: number; version: string }) => [seq, version])).toEqual([
        [3, '1.2.0'],
        [2, '1.1.0'],
        [1, '1.0.0'],
      ])
      expect(Date.parse(body.versions[0].timestamp)).toBeGreaterThan(Date.now() - 60_000)
      expect((await server.request('GET', '/health')).body.storage).toMatchObject({
        mode: 'persistent',
        rules_count: 1,
      })
    })
  })
})

describe('executions', () => {
  test('answer code, message, output and microseconds, and a trace on request', async () => {
    await withServer([], async (server) => {
      await server.post('/api/v1/rulesets', adultCheck())
      const plain = await server.post('/api/v1/execute/adult-check', { input: { age: 20 } })
      expect(plain.body).toEqual({
        code: 'ADULT',
        message: 'may order',
        output: { limit: 100 },
        duration_us: expect.any(Number),
      })
      const traced = await server.post('/api/v1/execute/adult-check', { input: { age: 2 }, trace: true })
      expect(traced.body.trace).toEqual({
        path: 'check -> no',
        steps: [
          { id: 'check', name: 'Old enough?', duration_us: expect.any(Number), branch: null },
          { id: 'no', name: 'Minor', duration_us: expect.any(Number) },
        ],
      })
      const escaped = await server.post('/api/v1/execute/adult%2Dcheck', { input: { age: 20 } })
      expect(escaped.body.code).toBe('ADULT')
      await server.post('/api/v1/rulesets', adultCheck({ config: { enable_trace: true } }))
      for (const asked of [{}, { trace: false }, { trace: null }])
        expect((await server.post('/api/v1/execute/adult-check', { input: {}, ...asked })).body.trace).toBeUndefined()
      const batch = await server.post('/api/v1/execute/adult-check/batch', { inputs: [{}] })
      expect(batch.body.results[0].trace).toBeUndefined()
    })
  })

  test('large integers stay exact in decisions and answers', async () => {
    await withServer([], async (server) => {
      const echo = {
        config: { name: 'echo', entry_step: 'e' },
        steps: { e: { id: 'e', type: 'terminal', result: { code: 'OK', message: '', output: [['n', 'n + 1']] } } },
      }
      await server.post('/api/v1/rulesets', echo)
      const reply = await server.post('/api/v1/execute/echo', '{"input": {"n": 9007199254740993}}')
      expect(reply.text).toContain('"n":9007199254740994')
    })
  })

  test('a new version decides from the moment it is acknowledged', async () => {
    await withServer([], async (server) => {
      for (let limit = 1; limit < 20; limit++) {
        await server.post(
          '/api/v1/rulesets',
          adultCheck({ steps: { yes: { id: 'yes', type: 'terminal', result: { code: `V${limit}`, message: '' } } } }),
        )
        expect((await server.post('/api/v1/execute/adult-check', { input: { age: 18 } })).body.code).toBe(`V${limit}`)
      }
    })
  })

  test('one ruleset calls another; a cycle is an error', async () => {
    await withServer([], async (server) => {
      const caller = (name: string, target: string) => ({
        config: { name, entry_step: 'call' },
        steps: {
          call: {
            id: 'call',
            type: 'action',
            actions: [
              { action: 'call_ruleset', ruleset_name: target, input_mapping: '{"age": years}', result_variable: 'r' },
            ],
            next_step: 'end',
          },
          end: {
            id: 'end',
            type: 'terminal',
            result: {
              code: 'OK',
              message: '',
              output: [
                ['inner', '$r.code'],
                ['limit', '$r.output.limit'],
              ],
            },
          },
        },
      })
      await server.post('/api/v1/rulesets', adultCheck())
      await server.post('/api/v1/rulesets', caller('outer', 'adult-check'))
      expect((await server.post('/api/v1/execute/outer', { input: { years: 30 } })).body.output).toEqual({
        inner: 'ADULT',
        limit: 100,
      })
      await server.post('/api/v1/rulesets', caller('ping', 'pong'))
      await server.post('/api/v1/rulesets', caller('pong', 'ping'))
      const circle = await server.post('/api/v1/execute/ping', { input: {} })
      expect([circle.status, circle.body.error]).toEqual([
        500,
        'ruleset `pong` failed: rulesets call each other in a circle: ping -> pong -> ping',
      ])
      await server.request('DELETE', '/api/v1/rulesets/adult-check')
      expect((await server.post('/api/v1/execute/outer', { input: {} })).body.error).toBe(
        'there is no ruleset `adult-check`, called in step `call`',
      )
    })
  })

  test('a long one does not block others, and ends at its timeout', async () => {
    await withServer([], async (server) => {
      await server.post('/api/v1/rulesets', SLOW)
      await server.post('/api/v1/rulesets', adultCheck())
      let isDone = false
      const slow = server
        .post('/api/v1/execute/slow', { input: { rounds: 5000, text: TEXT } })
        .finally(() => (isDone = true))
      await handled()
      expect((await server.post('/api/v1/execute/adult-check', { input: {} })).status).toBe(200)
      expect(isDone).toBe(false)
      await slow
      await server.post('/api/v1/rulesets', { ...SLOW, config: { ...SLOW.config, timeout_ms: 30 } })
      const late = await server.post('/api/v1/execute/slow', { input: { rounds: 1e12, text: TEXT } })
      expect([late.status, late.body.error]).toEqual([
        500,
        expect.stringMatching(/exceeded 30 ms \(config.timeout_ms\)/),
      ])
    })
  })

  test('the server has a timeout for rulesets that have none', async () => {
    await withServer(['--execution-timeout-ms', '30'], async (server) => {
      const { timeout_ms: _, ...config } = SLOW.config
      await server.post('/api/v1/rulesets', { ...SLOW, config })
      expect((await server.post('/api/v1/execute/slow', { input: { rounds: 1e12, text: TEXT } })).body.error).toMatch(
        /exceeded 30 ms/,
      )
    })
  })
})

describe('batches', () => {
  test('one failed input does not fail the others', async () => {
    await withServer([], async (server) => {
      await server.post('/api/v1/rulesets', adultCheck())
      const { body } = await server.post('/api/v1/execute/adult-check/batch', {
        inputs: [{ age: 20 }, { age: 'x' }, 7, { age: 2 }],
        options: { trace: true },
      })
      expect(body.results.map(({ code }: { code: string }) => code)).toEqual(['ADULT', 'error', 'error', 'MINOR'])
      expect(body.results[0].trace.path).toBe('check -> yes')
      expect(body.results[1].error).toContain('`>=` is not defined for string and number')
      expect(body.summary).toEqual({ total: 4, success: 2, failed: 2, total_duration_us: expect.any(Number) })
      const stopped = await server.post('/api/v1/execute/adult-check/batch', {
        inputs: [{ age: 'x' }, { age: 20 }],
        options: { stop_on_error: true },
      })
      expect(stopped.body.summary).toMatchObject({ total: 2, success: 0, failed: 1 })
    })
  })

  test('a stream of lines is answered line by line, in order, a bad line by its number', async () => {
    await withServer(['--max-request-body-bytes', '4096'], async (server) => {
      await server.post('/api/v1/rulesets', adultCheck())
      const lines = Array.from({ length: 3000 }, (_, index) => `{"age": ${index % 40}}`)
      lines[5] = '{"age": '
      lines[7] = `{"age": "${'x'.repeat(5000)}"}`
      lines[9] = ''
      const reply = await server.request('POST', '/api/v1/execute/adult-check/batch', {
        body: lines.join('\r\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      })
      expect(reply.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
      const results = reply.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { code: string; line?: number; error?: string })
      expect(results).toHaveLength(2999)
      expect(results[5]).toMatchObject({ code: 'error', line: 6 })
      expect(results[7]).toMatchObject({
        code: 'error',
        line: 8,
        error: 'this line is longer than 4096 bytes (--max-request-body-bytes)',
      })
      expect(results.slice(20, 23).map(({ code }) => code)).toEqual(['ADULT', 'ADULT', 'ADULT'])
    })
  })

  test('inputs are not decided while the client does not read', async () => {
    await withServer(['--max-request-body-bytes', '1000000'], async (server) => {
      await server.post('/api/v1/rulesets', adultCheck())
      const stream = httpRequest(`${server.url}/api/v1/execute/adult-check/batch?trace=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
      })
      const line = `{"age": 20}\n`.repeat(5000)
      let sent = 0
      let isFull = false
      stream.on('error', () => undefined).on('response', (response) => response.pause())
      while (!isFull && sent < 400) {
        sent++
        if (!stream.write(line))
          isFull = await Promise.race([
            new Promise<boolean>((resolve) => stream.once('drain', () => resolve(false))),
            new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 500)),
          ])
      }
      expect(isFull).toBe(true)
      stream.destroy()
      expect((await server.post('/api/v1/execute/adult-check', { input: {} })).status).toBe(200)
    })
  })
})

describe('debug mode', () => {
  test('shows every value that an execution read', async () => {
    await withServer(['--debug-mode'], async (server) => {
      await server.post('/api/v1/rulesets', adultCheck())
      const { body } = await server.post('/api/v1/debug/execute/adult-check', { input: { age: 20 } })
      expect(body.result.code).toBe('ADULT')
      expect(body.steps[0]).toMatchObject({
        id: 'check',
        branches: [
          {
            condition: 'age >= 18',
            parsed: '(age >= 18)',
            value: true,
            taken: true,
            next_step: 'yes',
            fields: { age: 20 },
          },
        ],
      })
      const inline = await server.post('/api/v1/debug/execute-inline', {
        ruleset: adultCheck({ config: { name: 'other' } }),
        input: { age: 'x' },
      })
      expect(inline.body.error).toMatchObject({ code: 'wrong-type', step: 'check' })
      const evaluated = await server.post('/api/v1/debug/eval', { expression: 'a + 2 * 3', context: { a: 1 } })
      expect(evaluated.body).toMatchObject({
        parsed: '(a + (2 * 3))',
        ast: { Binary: { op: 'Add' } },
        code: expect.stringContaining('return'),
      })
      expect(evaluated.body.steps.at(-1)).toEqual({ expression: '(a + (2 * 3))', value: 7 })
    })
  })

  test('is absent otherwise', async () => {
    await withServer([], async (server) => {
      expect((await server.post('/api/v1/debug/eval', { expression: '1' })).status).toBe(404)
    })
  })
})

describe('access', () => {
  test('tokens open the routes of their scopes', async () => {
    const file = join(directory, 'tokens')
    const line = (name: string, scopes: string, token: string) =>
      `${name}:${scopes}:${createHash('sha256').update(token).digest('hex')}`
    writeFileSync(
      file,
      ['# who may do what', line('shop', 'execute', 'shop-token'), line('ops', 'admin', 'ops-token')].join('\n'),
    )
    await withServer(['--api-tokens-file', file], async (server) => {
      const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
      expect((await server.post('/api/v1/rulesets', adultCheck())).status).toBe(401)
      expect((await server.post('/api/v1/rulesets', adultCheck(), bearer('wrong'))).status).toBe(401)
      const forbidden = await server.post('/api/v1/rulesets', adultCheck(), bearer('shop-token'))
      expect([forbidden.status, forbidden.body.code]).toEqual([403, 'FORBIDDEN'])
      expect((await server.post('/api/v1/rulesets', adultCheck(), { 'x-api-key': 'ops-token' })).status).toBe(201)
      expect((await server.post('/api/v1/execute/adult-check', { input: {} }, bearer('shop-token'))).status).toBe(200)
      expect((await server.post('/api/v1/execute/adult-check', { input: {} })).headers.get('www-authenticate')).toBe(
        'Bearer',
      )
      expect((await server.request('GET', '/healthz/live')).status).toBe(200)
    })
  })
})

describe('listeners', () => {
  test('a Unix socket that only its group may open, replacing that of a killed server', async () => {
    const socketPath = join(directory, 'engine.sock')
    await withServer(['--disable-http', '--uds-path', socketPath], async () => {
      expect(statSync(socketPath).mode & 0o777).toBe(0o660)
      const text = await new Promise<string>((resolve, reject) => {
        httpRequest({ socketPath, path: '/healthz/live' }, (response) => {
          let body = ''
          response
            .setEncoding('utf8')
            .on('data', (chunk: string) => (body += chunk))
            .on('end', () => resolve(body))
        })
          .on('error', reject)
          .end()
      })
      expect(text).toBe('{"status":"alive"}')
    })
  })

  test('TLS', async () => {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-subj',
        '/CN=localhost',
        '-days',
        '1',
      ],
      { stdio: 'ignore' },
    )
    await withServer(['--http-tls-cert', cert, '--http-tls-key', key], async (server) => {
      const url = new URL('/healthz/live', server.url.replace('127.0.0.1', 'localhost'))
      expect(url.protocol).toBe('https:')
      const status = await new Promise((resolve, reject) => {
        httpsRequest(url, { ca: readFileSync(cert), family: 4 }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
      expect(status).toBe(200)
    })
  })
})

describe('audit', () => {
  test('writes changes and sampled executions, without payload unless configured', async () => {
    const auditDir = join(directory, 'audit')
    await withServer(
      [
        '--audit-dir',
        auditDir,
        '--rules-dir',
        join(directory, 'audited'),
        '--instance-id',
        'one',
        '--audit-sample-rate',
        '0',
      ],
      async (server) => {
        await server.post('/api/v1/rulesets', adultCheck())
        await server.post('/api/v1/rulesets', adultCheck({ config: { version: '2.0.0' } }))
        await server.post('/api/v1/rulesets/adult-check/rollback', { seq: 1 })
        await server.post('/api/v1/execute/adult-check', { input: { age: 20 } })
        await server.request('PUT', '/api/v1/config/audit-sample-rate', {
          body: '{"sample_rate": 100}',
          headers: JSON_TYPE,
        })
        await server.post('/api/v1/execute/adult-check', { input: { age: 20 } })
        await server.request('DELETE', '/api/v1/rulesets/adult-check')
      },
    )
    const [file = ''] = readdirSync(auditDir)
    expect(file).toMatch(/^audit-\d{4}-\d\d-\d\d\.jsonl$/)
    const lines = readFileSync(join(auditDir, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({ event }) => event)).toEqual([
      'server_started',
      'rule_created',
      'rule_updated',
      'rule_rollback',
      'config_changed',
      'rule_executed',
      'rule_deleted',
      'server_stopped',
    ])
    expect(lines[2]).toMatchObject({ rule_name: 'adult-check', from_version: '1.0.0', to_version: '2.0.0' })
    expect(lines[3]).toMatchObject({ rule_name: 'adult-check', from_version: '2.0.0', to_version: '1.0.0', seq: 1 })
    expect(Object.keys(lines[5] ?? {})).toEqual([
      'event',
      'timestamp',
      'instance_id',
      'tenant_id',
      'rule_name',
      'version',
      'code',
      'duration_us',
      'address',
      'request_id',
    ])
  })
})

describe('the shutdown', () => {
  test('completes requests in flight, answers not ready meanwhile, and accepts nothing new', async () => {
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const waiting: CapabilityProvider = {
      name: 'test.wait',
      operations: ['wait'],
      required: [],
      async call() {
        arrived.resolve()
        await released.promise
        return { payload: null, metadata: {} }
      },
    }
    const server = await startHost([waiting])
    const call = { action: 'external_call', service: 'test.wait', method: 'wait', params: [], result_variable: 'r' }
    const steps = {
      call: { id: 'call', type: 'action', actions: [call], next_step: 'end' },
      end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '' } },
    }
    await server.post('/api/v1/rulesets', { config: { name: 'waits', entry_step: 'call' }, steps })
    const running = server.post('/api/v1/execute/waits', { input: {} })
    await arrived.promise
    const stopped = server.stop()
    released.resolve()
    const reply = await running
    expect([reply.status, reply.body.code, reply.headers.get('connection')]).toEqual([200, 'DONE', 'close'])
    await stopped
    await expect(fetch(`${server.url}/healthz/live`)).rejects.toThrow('fetch failed')
  })

  test('a request that takes too long is answered with 503', async () => {
    await withServer(['--request-timeout-secs', '1'], async (server) => {
      await server.post('/api/v1/rulesets', SLOW)
      const reply = await server.post('/api/v1/execute/slow', { input: { rounds: 15_000, text: TEXT } })
      expect([reply.status, reply.body]).toEqual([
        503,
        { error: expect.stringContaining('(--request-timeout-secs)'), code: 'TIMEOUT' },
      ])
      await server.post('/api/v1/rulesets', adultCheck())
    })
  })
})

describe('the description', () => {
  test('names every route, and the page loads nothing from elsewhere', async () => {
    await withServer(['--debug-mode'], async (server) => {
      const { body, headers } = await server.request('GET', '/api/v1/openapi.json')
      expect([body.openapi, headers.get('content-type')]).toEqual([
        '3.1.0',
        expect.stringContaining('application/json'),
      ])
      expect(Object.keys(body.paths).sort()).toEqual([
        '/api/v1/config/audit-sample-rate',
        '/api/v1/debug/eval',
        '/api/v1/debug/execute-inline',
        '/api/v1/debug/execute/{name}',
        '/api/v1/eval',
        '/api/v1/execute/{name}',
        '/api/v1/execute/{name}/batch',
        '/api/v1/identity-proof',
        '/api/v1/rulesets',
        '/api/v1/rulesets/validate',
        '/api/v1/rulesets/{name}',
        '/api/v1/rulesets/{name}/analyze',
        '/api/v1/rulesets/{name}/filter',
        '/api/v1/rulesets/{name}/graph',
        '/api/v1/rulesets/{name}/impact',
        '/api/v1/rulesets/{name}/inputs',
        '/api/v1/rulesets/{name}/replay',
        '/api/v1/rulesets/{name}/rollback',
        '/api/v1/rulesets/{name}/sql',
        '/api/v1/rulesets/{name}/versions',
        '/api/v1/rulesets/{name}/versions/{seq}',
        '/api/v1/rulesets/{name}/why-not',
        '/health',
        '/healthz/live',
        '/healthz/ready',
        '/metrics',
      ])
      for (const [path, methods] of Object.entries(body.paths as Record<string, Record<string, { summary: string }>>)) {
        for (const [method, { summary }] of Object.entries(methods)) {
          expect(summary, `${method} ${path}`).toBeTruthy()
          const probe = await server.request('OPTIONS', path.replace('{name}', 'x'))
          expect([probe.status, probe.headers.get('allow')]).toEqual([
            405,
            expect.stringContaining(method.toUpperCase()),
          ])
        }
      }
      const home = await fetch(`${server.url}/`, { redirect: 'manual' })
      expect([home.status, home.headers.get('location')]).toEqual([302, '/docs/'])
      const page = await server.request('GET', '/docs/')
      expect(page.status).toBe(200)
      expect(page.text).toContain('<title>engine</title>')
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '')
      expect(sources.filter((source) => /^(?:https?:)?\/\//.test(source))).toEqual([])
    })
  })
})
