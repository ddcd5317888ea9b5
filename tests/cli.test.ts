import { once } from 'node:events'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createServer, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startCollector } from '../packages/process/src/collector.testing.ts'
import { StartError } from '@engine/process'
import { killAll, run, spawned, start } from './engine-server.testing.ts'
import { startServer } from './http/server.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-cli-'))

afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Runs until it exits. */
async function ending(args: readonly string[], env?: Record<string, string>) {
  const one = run(args, env)
  return { code: await one.ended, stdout: one.stdout(), stderr: one.stderr() }
}

const directory = (name: string): string => {
  const path = join(scratch, name)
  mkdirSync(path, { recursive: true })
  return path
}

const ruleset = (name: string, code = 'YES') => ({
  config: { name, version: '1.0.0', entry_step: 'end' },
  steps: { end: { id: 'end', name: 'End', type: 'terminal', result: { code, message: 'done' } } },
})

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** The lines of a log that are JSON, parsed. */
const logLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line))

describe('information and mistakes', () => {
  test('--version prints the version on standard output', async () => {
    expect(await ending(['--version'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    })
  })

  test('--help prints the options on standard output', async () => {
    const { code, stdout, stderr } = await ending(['--help'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/--rules-dir <dir> .*ENGINE_RULES_DIR/s)
  })

  test('all mistakes are reported together on standard error, with exit code 2', async () => {
    expect(await ending(['--prot', '1', '--http-tls-cert', 'x'], { ENGINE_LOG_LEVEL: 'loud' })).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        'error: unknown option --prot: did you mean --port?',
        'error: environment variable ENGINE_LOG_LEVEL: `loud` is not one of `error`, `warn`, `info`, `debug`',
        'error: option --http-tls-cert: needs --http-tls-key as well',
        'See `engine-server --help`.',
        '',
      ].join('\n'),
    })
  })
})

/** The reason for which a start fails, without a new process. The program's own message is tested with a port in use. */
async function failing(args: readonly string[]): Promise<string> {
  const reason: unknown = await startServer(...args).then(
    async (server) => server.stop(),
    (error: unknown) => error,
  )
  expect(reason).toBeInstanceOf(StartError)
  const { message } = reason as StartError
  expect(message).not.toContain('\n')
  return message
}

describe('an error of the start is one line on standard error and exit code 1', () => {
  test('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const { code, stderr, stdout } = await ending(['--http-addr', `127.0.0.1:${port}`])
    taken.close()
    expect(code).toBe(1)
    expect(stdout).not.toContain('listens on')
    expect(stderr).toBe(`error: --http-addr: cannot use \`127.0.0.1:${port}\`: it is in use\n`)
  })

  test('a rules directory that is a file', async () => {
    const file = join(scratch, 'file')
    writeFileSync(file, '')
    expect(await failing(['--rules-dir', file])).toContain(`--rules-dir: cannot use \`${file}\``)
  })

  test('a missing certificate', async () => {
    expect(await failing(['--http-tls-cert', '/nowhere.pem', '--http-tls-key', '/nowhere.pem'])).toContain(
      '--http-tls-cert: cannot use `/nowhere.pem`: no such file or directory',
    )
  })

  test('an invalid certificate', async () => {
    const file = join(scratch, 'not.pem')
    writeFileSync(file, 'nothing')
    expect(await failing(['--http-tls-cert', file, '--http-tls-key', file])).toContain('--http-tls-cert')
  })

  test.each([
    ['nothing in it', '', 'it contains no token'],
    ['a mistake in it', 'ada:dance:00', 'line 1: `dance` is not a scope'],
  ])('a tokens file with %s', async (_, text, message) => {
    const file = join(scratch, 'tokens')
    writeFileSync(file, text)
    expect(await failing(['--api-tokens-file', file])).toContain(message)
  })

  test('a missing seed directory', async () => {
    expect(await failing(['--seed-dir', '/nowhere'])).toContain('--seed-dir')
  })

  test('a socket in a missing directory', async () => {
    expect(await failing(['--uds-path', '/nowhere/e.sock'])).toContain('--uds-path: cannot use `/nowhere/e.sock`')
  })
})

describe('started', () => {
  test('at a terminal it suggests requests with its actual port, and the decision comes to a result', async () => {
    const command = 'exec engine-server --http-addr 127.0.0.1:0 --disable-grpc --seed-dir examples'
    const one = spawned('script', ['-qefc', `echo "process $$"; ${command}`, '/dev/null'])
    const [, pid = ''] = await one.says(/process (\d+)/)
    const [, url = '', body = ''] = await one.says(/curl -s (\S+\/execute\/\S+) .* -d '(.*)'/)
    const answer = await post(url, JSON.parse(body))
    expect(await answer.json()).toMatchObject({ code: expect.any(String), trace: expect.anything() })
    // The program at the terminal, which would survive its terminal: SIGHUP reads tokens again.
    process.kill(Number(pid), 'SIGTERM')
    await one.ended
  })

  test('without a terminal its standard output is nothing but JSON, and names its actual port', async () => {
    const one = await start()
    const lines = one.stdout().trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).not.toContain(undefined)
    expect(one.stdout()).toContain('0 rulesets, kept in memory only')
    expect((await fetch(`${one.url}/healthz/ready`)).status).toBe(200)
    expect(await (await fetch(`${one.url}/metrics`)).text()).toContain('engine_info{version=')
  })

  test('its log is JSON and says that authentication is disabled', async () => {
    const one = await start()
    expect(await one.stop()).toBe(0)
    const lines = logLines(one.stdout())
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: expect.stringContaining('--api-tokens-file') }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ level: 'info', msg: 'listening' }))
    expect(lines.at(-1)).toMatchObject({ level: 'info', msg: 'stopped' })
  })

  test('in memory mode rulesets are lost at shutdown', async () => {
    const first = await start()
    expect((await post(`${first.url}/api/v1/rulesets`, ruleset('gone'))).status).toBe(201)
    expect(await first.stop()).toBe(0)
    const second = await start()
    expect(await (await fetch(`${second.url}/api/v1/rulesets`)).json()).toEqual([])
  })

  test('with a rules directory they survive a restart', async () => {
    const rules = join(scratch, 'rules')
    const first = await start(['--rules-dir', rules])
    expect((await post(`${first.url}/api/v1/rulesets`, ruleset('kept'))).status).toBe(201)
    expect((await post(`${first.url}/api/v1/rulesets`, ruleset('kept', 'NO'))).status).toBe(200)
    expect(await first.stop()).toBe(0)
    expect(readdirSync(rules)).toContain('kept.json')
    const second = await start(['--rules-dir', rules])
    expect(second.stdout()).toContain(`1 ruleset, kept in ${rules}`)
    const executed = await post(`${second.url}/api/v1/execute/kept`, { input: {} })
    expect(await executed.json()).toMatchObject({ code: 'NO' })
  })

  test('seeds are stored once and never replace stored rulesets', async () => {
    const [seeds, rules] = [directory('seeds'), join(scratch, 'seeded')]
    mkdirSync(join(seeds, 'a'), { recursive: true })
    writeFileSync(join(seeds, 'a/ruleset.json'), JSON.stringify(ruleset('seed', 'SEED')))
    const args = ['--rules-dir', rules, '--seed-dir', seeds]
    const first = await start(args)
    const execute = async (url: string) => (await post(`${url}/api/v1/execute/seed`, { input: {} })).json()
    expect(await execute(first.url)).toMatchObject({ code: 'SEED' })
    await post(`${first.url}/api/v1/rulesets`, ruleset('seed', 'MINE'))
    expect(await first.stop()).toBe(0)
    const second = await start(args)
    expect(await execute(second.url)).toMatchObject({ code: 'MINE' })
  })
})

/** An execution whose request has been sent up to its last byte. */
async function almostSent(url: string): Promise<{ socket: Socket; last: string; answer: Promise<string> }> {
  const { hostname, port } = new URL(url)
  const body = JSON.stringify({ input: {} })
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const answer = once(socket, 'close').then(() => text)
  socket.write(
    `POST /api/v1/execute/r HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  )
  await once(socket, 'data') // 100 Continue: the request has arrived
  text = ''
  socket.write(body.slice(0, -1))
  return { socket, last: body.slice(-1), answer }
}

async function refusesConnections(url: string): Promise<boolean> {
  return fetch(`${url}/healthz/live`).then(
    () => false,
    () => true,
  )
}

describe('connected', () => {
  test('over a Unix domain socket alone, whose file is removed at shutdown', async () => {
    const socketPath = join(scratch, 'e.sock')
    const one = run(['--disable-http', '--disable-grpc', '--uds-path', socketPath])
    await one.says(/listens on \S+e\.sock:/)
    expect(statSync(socketPath).mode & 0o777).toBe(0o660)
    const [response] = (await once(request({ socketPath, path: '/health' }).end(), 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    response.resume()
    const second = await ending(['--disable-http', '--disable-grpc', '--uds-path', socketPath])
    expect(second).toMatchObject({ code: 1, stderr: `error: --uds-path: cannot use \`${socketPath}\`: it is in use\n` })
    one.process.kill('SIGTERM')
    expect(await one.ended).toBe(0)
    expect(existsSync(socketPath)).toBe(false)
  })

  test('a socket left by a killed server is replaced', async () => {
    const socketPath = join(scratch, 'left.sock')
    const first = await start(['--uds-path', socketPath])
    first.process.kill('SIGKILL')
    await first.ended
    expect(existsSync(socketPath)).toBe(true)
    const second = await start(['--uds-path', socketPath])
    expect(second.stdout()).toContain(` and ${socketPath}: `)
  })

  test('with tokens, and no warning about missing ones', async () => {
    const file = join(scratch, 'good-tokens')
    writeFileSync(file, `ada:read:${createHash('sha256').update('secret').digest('hex')}\n`)
    const one = await start(['--api-tokens-file', file])
    expect(one.stdout()).not.toContain('(--api-tokens-file)')
    const list = (headers: Record<string, string>) => fetch(`${one.url}/api/v1/rulesets`, { headers })
    expect((await list({})).status).toBe(401)
    expect((await list({ authorization: 'Bearer secret' })).status).toBe(200)
  })

  test('with an audit, whose last lines are written at shutdown', async () => {
    const [auditDir, rules] = [join(scratch, 'audit'), join(scratch, 'audited')]
    const one = await start(['--audit-dir', auditDir, '--audit-sample-rate', '100', '--rules-dir', rules])
    await post(`${one.url}/api/v1/rulesets`, ruleset('seen'))
    await post(`${one.url}/api/v1/execute/seen`, { input: { secret: 1 } })
    expect(await one.stop()).toBe(0)
    const text = readdirSync(auditDir)
      .map((name) => readFileSync(join(auditDir, name), 'utf8'))
      .join('')
    const events = logLines(text).map(({ event }) => event)
    expect(events).toEqual(['server_started', 'rule_created', 'rule_executed', 'server_stopped'])
    expect(text).not.toContain('secret')
  })

  test('with a collector, which has the spans after the shutdown', async () => {
    const collector = await startCollector()
    const one = await start(['--otlp-endpoint', collector.endpoint, '--service-name', 'decisions'])
    await post(`${one.url}/api/v1/rulesets`, ruleset('traced'))
    const answer = await fetch(`${one.url}/api/v1/execute/traced`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
      body: '{"input": {}}',
    })
    expect(answer.status).toBe(200)
    expect(await one.stop()).toBe(0)
    await collector.close()
    expect(collector.spans.find(({ name }) => name === 'POST /api/v1/execute/:name')).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      resource: { 'service.name': 'decisions' },
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/execute/:name',
        'http.response.status_code': 200,
        'url.path': '/api/v1/execute/traced',
        'url.scheme': 'http',
        'server.address': '127.0.0.1',
        'engine.ruleset': 'traced',
      },
    })
    expect(collector.spans.find(({ name }) => name === 'POST /api/v1/rulesets')).toMatchObject({
      attributes: { 'http.route': '/api/v1/rulesets', 'http.response.status_code': 201 },
    })
  })

  test.each([
    [['--debug-mode'], '/api/v1/debug/eval', 200],
    [[], '/api/v1/debug/eval', 404],
  ] as const)('with %j, %s answers %i', async (args, path, status) => {
    const one = await startServer(...args)
    expect((await one.post(path, { expression: '1 + 1', context: {} })).status).toBe(status)
    await one.stop()
  })

  test('without metrics when they are switched off', async () => {
    const one = await start([], { ENGINE_METRICS_ENABLED: 'false' })
    expect((await fetch(`${one.url}/metrics`)).status).toBe(404)
  })
})

describe('the shutdown', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: a request in flight is answered, no other is accepted, exit code 0',
    async (signal) => {
      const one = await start()
      await post(`${one.url}/api/v1/rulesets`, ruleset('r'))
      const { socket, last, answer } = await almostSent(one.url)
      one.process.kill(signal)
      await one.says(/"msg":"stopping"/)
      await expect.poll(() => refusesConnections(one.url)).toBe(true)
      socket.write(last)
      expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(.|\r\n)*"code":"YES"/)
      expect(await one.ended).toBe(0)
    },
  )

  test('an idle connection does not delay it', async () => {
    // Longer than this test may take.
    const one = await start(['--shutdown-timeout-secs', '600'])
    const { hostname, port } = new URL(one.url)
    const socket = connect(Number(port), hostname)
    socket.write('GET /healthz/live HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'data')
    expect(await one.stop()).toBe(0)
  })

  test('a request that never ends is cut off after --shutdown-timeout-secs, exit code 0', async () => {
    // The request itself may take longer than this test.
    const one = await start(['--shutdown-timeout-secs', '1', '--request-timeout-secs', '600'])
    await post(`${one.url}/api/v1/rulesets`, ruleset('r'))
    const { answer } = await almostSent(one.url)
    expect(await one.stop()).toBe(0)
    expect(await answer).not.toContain('200 OK')
  })

  test('a second signal exits immediately', async () => {
    const one = await start()
    await post(`${one.url}/api/v1/rulesets`, ruleset('r'))
    await almostSent(one.url)
    one.process.kill('SIGTERM')
    await one.says(/"msg":"stopping"/)
    one.process.kill('SIGTERM')
    expect(await one.ended).toBe(143)
  })
})
