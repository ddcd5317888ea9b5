import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { credentials } from '@grpc/grpc-js'
import type { RulesetDocument } from '@engine/ruleset'
import { generateKeys, parsePrivateKey, sign } from '@engine/signing'
import { engineClient } from './grpc/client.testing.ts'
import { killAll, run, runHost } from './engine-server.testing.ts'
import {
  answering,
  connection,
  connections,
  type Connection,
  lives,
  pidsIn,
  startCrew,
  RULESETS,
  EXECUTE,
  put,
  codes,
  same,
} from './workers.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-workers-'))
const directory = (name: string) => join(scratch, name)
const open: { close(): void }[] = []
const POLL = { timeout: 120_000, interval: 50 }

afterEach(async () => {
  for (const one of open.splice(0)) one.close()
  await killAll()
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

async function connected(url: string, count = 8): Promise<readonly Connection[]> {
  const made = await connections(url, count)
  open.push(...made)
  return made
}

const valueOf = (exposition: string, series: string) =>
  Number(
    exposition
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length),
  )

test('a killed worker is replaced; others continue, and no acknowledged change is missing', async () => {
  const { url, pids, stop } = await startCrew()
  const all = await connected(url)
  await put(all[0] as Connection, 'BEFORE')
  const [first, second] = [pids().get(1), pids().get(2)]
  process.kill(first as number, 'SIGKILL')
  const after = await Promise.allSettled(all.map((one) => one.request('POST', EXECUTE, { input: {} })))
  const failed = after.filter(({ status }) => status === 'rejected')
  // Only those whose connection was in its hands.
  expect(failed.length).toBeLessThanOrEqual(4)
  let written = 0
  await vi.waitFor(async () => {
    const fresh = connection(url)
    open.push(fresh)
    expect((await put(fresh, 'BEFORE', `later-${written}`)).status).toBe(201)
    written++
    expect((await fresh.request('GET', '/health')).body.workers).toEqual({ configured: 2, ready: 2 })
    // The log line may follow the answer.
    expect(pids().get(1)).not.toBe(first)
  }, POLL)
  expect(pids().get(2)).toBe(second)
  const again = await connected(url)
  expect(await codes(again)).toEqual(same(again, 'BEFORE'))
  for (const one of again) expect((await one.request('GET', RULESETS)).body).toHaveLength(written + 1)
  expect(await stop()).toBe(0)
})

test('a connection on its way to a killed worker goes to another one', async () => {
  const { url, pids, stop } = await startCrew()
  const over = new AbortController()
  let answered = 0
  const faults = new Set<unknown>()
  const clients = Array.from({ length: 16 }, async () => {
    while (!over.signal.aborted) {
      const [one] = await connections(url, 1).catch((error: NodeJS.ErrnoException) => {
        faults.add(error.code)
        return []
      })
      one?.close()
      answered++
    }
  })
  for (const number of [1, 2]) {
    const killed = pids().get(number)
    const before = answered
    await vi.waitFor(() => expect(answered).toBeGreaterThan(before + 100), POLL)
    process.kill(killed as number, 'SIGKILL')
    await vi.waitFor(() => expect(pids().get(number)).not.toBe(killed), POLL)
  }
  over.abort()
  // None of them hangs, and none was refused.
  await Promise.all(clients)
  expect([...faults].filter((code) => code !== 'ECONNRESET' && code !== 'EPIPE')).toEqual([])
  expect(await stop()).toBe(0)
})

test('a change is acknowledged once a stuck worker has been replaced', async () => {
  const { url, pids } = await startCrew()
  const [one] = await connected(url, 1)
  await put(one as Connection, 'ONE')
  const stopped = pids().get(2) as number
  process.kill(stopped, 'SIGSTOP')
  expect((await put(one as Connection, 'TWO')).status).toBe(200)
  expect(lives(stopped)).toBe(false)
  await vi.waitFor(() => expect(pids().get(2)).not.toBe(stopped), POLL)
  const all = await connected(url)
  expect(await codes(all)).toEqual(same(all, 'TWO'))
})

test('a worker that starts a change answers when all others have it, and not before', async () => {
  const rules = directory('begins-with-a-change')
  const { url, pids, stdout } = await startCrew('--workers', '3', '--rules-dir', rules)
  // Each has one of them; those of the workers that stop or end are lost.
  const all = await connected(url, 3)
  await put(all[0] as Connection, 'ONE')
  const [, still = 0, killed = 0] = [...pids().values()]
  process.kill(still, 'SIGSTOP')
  const changed = Promise.allSettled(all.map((one) => put(one, 'TWO')))
  await vi.waitFor(() => expect(readFileSync(join(rules, 'rule.json'), 'utf8')).toContain('TWO'), POLL)
  process.kill(killed, 'SIGKILL')
  await vi.waitFor(() => expect([...pids().values()]).not.toContain(killed), POLL)
  await changed
  const lines = stdout().split('\n')
  const stuck = lines.findIndex((line) => line.includes('a worker does not respond'))
  const begun = lines.findIndex((line, at) => at > lines.findIndex(isReplaced) && line.includes('a worker is ready'))
  expect(stuck).toBeGreaterThan(0)
  expect(stuck).toBeLessThan(begun)
})

const isReplaced = (line: string) => line.includes('a worker exited: replacing it')

test('metrics are those of all processes, and do not go down with a worker', async () => {
  const { url, pids } = await startCrew()
  const all = await connected(url)
  await put(all[0] as Connection, 'OK')
  for (let round = 0; round < 5; round++) await codes(all)
  const executions = 'engine_executions_total{ruleset="rule",result="success"}'
  for (const one of all) {
    const { text } = await one.request('GET', '/metrics')
    expect(valueOf(text, executions)).toBe(40)
    expect(valueOf(text, 'engine_execution_duration_seconds_count{ruleset="rule"}')).toBe(40)
    expect(valueOf(text, 'engine_execution_duration_seconds_bucket{ruleset="rule",le="+Inf"}')).toBe(40)
    expect(valueOf(text, 'engine_terminal_results_total{code="OK"}')).toBe(40)
    for (const name of ['engine_info', 'engine_uptime_seconds', 'engine_rules_total'])
      expect(text.match(new RegExp(`^${name}\\b`, 'gm'))).toHaveLength(1)
    expect(valueOf(text, 'engine_rules_total')).toBe(1)
    for (const worker of ['owner', '1', '2'])
      expect(valueOf(text, `process_resident_memory_bytes{worker="${worker}"}`)).toBeGreaterThan(0)
  }
  const killed = pids().get(1)
  process.kill(killed as number, 'SIGKILL')
  await vi.waitFor(() => expect(pids().get(1)).not.toBe(killed), POLL)
  const again = await connected(url)
  await codes(again)
  expect(valueOf((await again[0]?.request('GET', '/metrics'))?.text ?? '', executions)).toBe(48)
  await again[0]?.request('DELETE', `${RULESETS}/rule`)
  expect((await again[0]?.request('GET', '/metrics'))?.text).not.toContain('ruleset="rule"')
})

test('each event is in the audit once, and a new rate counts for all', async () => {
  const audit = directory('audit')
  const { url, stop } = await startCrew('--audit-dir', audit, '--audit-sample-rate', '0')
  const all = await connected(url)
  await put(all[0] as Connection, 'OK')
  await put(all[1] as Connection, 'CHANGED')
  await codes(all)
  const rate = (percent: number) => all[3]?.request('PUT', '/api/v1/config/audit-sample-rate', { sample_rate: percent })
  expect((await rate(100))?.body).toEqual({ sample_rate: 100, previous: 0 })
  await codes(all)
  await codes(all)
  await rate(0)
  await codes(all)
  for (const one of all)
    expect((await one.request('GET', '/api/v1/config/audit-sample-rate')).body).toEqual({ sample_rate: 0 })
  expect(await stop()).toBe(0)
  const [file = ''] = readdirSync(audit)
  const events = readFileSync(join(audit, file), 'utf8').trimEnd().split('\n')
  const counts: Record<string, number> = {}
  for (const line of events) {
    const { event, instance_id: instance } = JSON.parse(line) as { event: string; instance_id: string }
    counts[event] = (counts[event] ?? 0) + 1
    expect(instance).toMatch(/^[\w-]+$/)
  }
  expect(counts).toEqual({
    server_started: 1,
    rule_created: 1,
    rule_updated: 1,
    config_changed: 2,
    rule_executed: 16,
    server_stopped: 1,
  })
})

test('tenants and their settings reach all workers, from the API and from the file', async () => {
  const rules = directory('tenants')
  const { url } = await startCrew('--multi-tenancy-enabled', '--rules-dir', rules)
  const all = await connected(url)
  const one = all[0] as Connection
  const as = (tenant: string) => ({ 'x-tenant-id': tenant })
  const statuses = (tenant: string) =>
    Promise.all(all.map(async (any) => (await any.request('POST', EXECUTE, { input: {} }, as(tenant))).status))
  expect(await statuses('acme')).toEqual(all.map(() => 403))
  expect((await one.request('POST', '/api/v1/tenants', { id: 'acme' })).status).toBe(201)
  expect(await statuses('acme')).toEqual(all.map(() => 404))
  await put(one, 'ACME', 'rule', as('acme'))
  await put(one, 'DEFAULT')
  expect(await codes(all, EXECUTE, as('acme'))).toEqual(same(all, 'ACME'))
  expect(await codes(all)).toEqual(same(all, 'DEFAULT'))
  await one.request('PUT', '/api/v1/tenants/acme', { enabled: false })
  expect(await statuses('acme')).toEqual(all.map(() => 403))
  // A tenant from the file has the rulesets stored for it.
  mkdirSync(join(rules, 'late'))
  writeFileSync(join(rules, 'late', 'rule.json'), JSON.stringify(answering('TIMED_OUT')))
  writeFileSync(join(rules, 'tenants.json'), JSON.stringify({ acme: {}, late: {} }))
  await vi.waitFor(async () => expect(await codes(all, EXECUTE, as('late'))).toEqual(same(all, 'TIMED_OUT')), POLL)
  expect(await codes(all, EXECUTE, as('acme'))).toEqual(same(all, 'ACME'))
})

test('gRPC, TLS and the Unix domain socket are answered by all', async () => {
  const [key, cert] = [directory('key.pem'), directory('cert.pem')]
  const asked = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  const names = ['-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', [...`${asked} -keyout ${key} -out ${cert}`.split(' '), ...names], { stdio: 'ignore' })
  const socket = directory('engine.sock')
  const tls = ['http', 'grpc'].flatMap((name) => [`--${name}-tls-cert`, cert, `--${name}-tls-key`, key])
  const { url, stdout, stop } = await startCrew('--grpc-addr', '127.0.0.1:0', '--uds-path', socket, ...tls)
  const secure = (path: string, ...more: readonly string[]) =>
    execFileSync('curl', ['-s', '--cacert', cert, ...more, path], { encoding: 'utf8' })
  const place = url.replace('127.0.0.1', 'localhost')
  const json = ['-H', 'content-type: application/json', '-d']
  secure(`${place}${RULESETS}`, ...json, JSON.stringify(answering('OK')))
  for (let round = 0; round < 4; round++) {
    expect(secure(`${place}${EXECUTE}`, ...json, '{"input":{}}')).toContain('"OK"')
    const plain = ['-s', '--unix-socket', socket, ...json, '{"input":{}}', `http://localhost${EXECUTE}`]
    expect(execFileSync('curl', plain, { encoding: 'utf8' })).toContain('"OK"')
  }
  const port = /:(\d+) \(gRPC\)/.exec(stdout())?.[1]
  for (let round = 0; round < 4; round++) {
    const trusting = engineClient(`localhost:${port}`, credentials.createSsl(readFileSync(cert)))
    const local = engineClient(`unix:${socket}`)
    open.push(trusting, local)
    for (const client of [trusting, local]) {
      const reply = await client.call('Execute', { name: 'rule', input_json: '{}' })
      expect(reply).toMatchObject({ message: { code: 'OK' } })
      expect(await client.call('Health', {})).toMatchObject({ message: { status: 'healthy', rules_count: 1 } })
    }
  }
  expect(await stop()).toBe(0)
  expect(existsSync(socket)).toBe(false)
})

test('a shutdown under load: every request is answered', async () => {
  const { url, stop } = await startCrew()
  const all = await connected(url, 16)
  await put(all[0] as Connection, 'OK')
  let answered = 0
  // As clients do that keep connections: the one that the server does not keep is not used again.
  const clients = all.map(async (one, index) => {
    for (let stays = true; stays; answered++) {
      const isWrite = index % 8 === 0
      const reply = isWrite ? await put(one, 'OK', `own-${index}`) : await one.request('POST', EXECUTE, { input: {} })
      expect(reply.status).toBeLessThan(300)
      ;({ stays } = reply)
    }
  })
  await vi.waitFor(() => expect(answered).toBeGreaterThan(500), POLL)
  const ended = stop()
  await Promise.all(clients)
  expect(await ended).toBe(0)
})

test('a worker that gets the signals of the terminal waits for its owner, and ends with it', async () => {
  const { process: owner, url, pids, ended, says } = await startCrew('--rules-dir', directory('signals'))
  const [first, second] = [...pids().values()] as [number, number]
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(first, signal)
  const [one, two] = await connected(url, 2)
  expect((await one?.request('GET', '/health'))?.body.workers.ready).toBe(2)
  expect((await two?.request('GET', '/healthz/live'))?.status).toBe(200)
  expect(lives(first) && lives(second)).toBe(true)
  // With something in hand the first signal waits; the second one does not.
  const { port } = new URL(url)
  const hanging = createHanging(Number(port))
  await hanging.begun
  owner.kill('SIGTERM')
  await says(/"stopping"/)
  owner.kill('SIGTERM')
  expect(await ended).toBe(143)
  await vi.waitFor(() => expect([lives(first), lives(second)]).toEqual([false, false]), POLL)
})

test('workers end when their owner is killed', async () => {
  const { process: owner, pids, ended } = await startCrew()
  const [first, second] = [...pids().values()] as [number, number]
  owner.kill('SIGKILL')
  await ended
  await vi.waitFor(() => expect([lives(first), lives(second)]).toEqual([false, false]), POLL)
})

test('inline rulesets need a signature, and loops end, in each worker', async () => {
  const keys = generateKeys()
  const signed = ['--signature-enabled', '--signature-require', '--signature-trusted-keys', keys.publicKey]
  const { url } = await startCrew('--debug-mode', '--network-http-policy', 'open', ...signed)
  const signedBy = (document: object) =>
    sign(document as RulesetDocument, parsePrivateKey(keys.privateKey), '2026-11-21T00:00:00.000Z')
  const all = await connected(url)
  const inline = (ruleset: object) =>
    Promise.all(all.map((one) => one.request('POST', '/api/v1/debug/execute-inline', { ruleset, input: {} })))
  expect((await inline(answering('X'))).map(({ status }) => status)).toEqual(all.map(() => 403))
  expect((await inline(signedBy(answering('X')))).map(({ status }) => status)).toEqual(all.map(() => 200))
  const loop = {
    config: { name: 'rule', entry_step: 'ask' },
    steps: {
      ask: {
        id: 'ask',
        type: 'action',
        actions: [
          {
            action: 'external_call',
            service: 'network.http',
            method: 'post',
            params: [
              ['url', { Literal: `${url}${EXECUTE}` }],
              ['json_body', { Literal: { input: {} } }],
            ],
            result_variable: 'r',
          },
        ],
        next_step: 'end',
      },
      end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '', output: [['answer', '$r.payload']] } },
    },
  }
  expect((await all[0]?.request('POST', RULESETS, signedBy(loop)))?.status).toBe(201)
  const { text } = (await all[0]?.request('POST', EXECUTE, { input: {} })) ?? expect.unreachable()
  expect(text).toContain('LOOP_DETECTED')
})

test('a program with capabilities of its own has them in all workers', async () => {
  const host = runHost(join(import.meta.dirname, 'host-program.testing.ts'), [
    '--workers',
    '2',
    '--http-addr',
    '127.0.0.1:0',
    '--disable-grpc',
  ])
  const [, url = ''] = await host.says(/listens on (http:\S+?):? /)
  expect(pidsIn(host.stdout()).size).toBe(2)
  const all = await connected(url.replace(/:$/, ''))
  const call = { action: 'external_call', service: 'team.scores', method: 'lookup', result_variable: 'r' }
  const stored = await all[0]?.request('POST', RULESETS, {
    config: { name: 'rule', entry_step: 'ask' },
    steps: {
      ask: { id: 'ask', type: 'action', actions: [{ ...call, params: [] }], next_step: 'end' },
      end: {
        id: 'end',
        type: 'terminal',
        result: { code: 'OK', message: '', output: [['score', '$r.payload.score']] },
      },
    },
  })
  expect(stored?.status, stored?.text).toBe(201)
  for (const one of all) expect((await one.request('POST', EXECUTE, { input: {} })).body.output).toEqual({ score: 720 })
})

test('an address that is in use is one line and exit code 1, and leaves nothing behind', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  open.push(taken)
  const { port } = taken.address() as { port: number }
  const home = directory('tmp')
  mkdirSync(home)
  const one = run(['--workers', '2', '--http-addr', `127.0.0.1:${port}`, '--disable-grpc'], { TMPDIR: home })
  expect(await one.ended).toBe(1)
  expect(one.stderr()).toBe(`error: --http-addr: cannot use \`127.0.0.1:${port}\`: it is in use\n`)
  expect(readdirSync(home)).toEqual([])
})

/** A request that never becomes complete. */
function createHanging(port: number) {
  const socket = connect(port, '127.0.0.1')
  const begun = new Promise<void>((resolve) => {
    socket.write(
      `POST ${EXECUTE} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
      () => resolve(),
    )
  })
  socket.on('error', () => {})
  open.push({ close: () => void socket.destroy() })
  return { begun }
}
