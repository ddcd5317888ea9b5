import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { killAll, type Run, runHost } from '../engine-server.testing.ts'
import { answering, connection, type Connection, pidsIn } from '../workers.testing.ts'

const PROGRAM = join(import.meta.dirname, 'blocking.testing.ts')
const POLL = { timeout: 120_000, interval: 100 }
/** Far longer than any test waits. */
const FOR_EVER = 3600
/** Longer than a start is silent for on a busy machine: it is watched as well. */
const WATCHDOG = ['--watchdog-secs', '10']

const open: Connection[] = []
afterEach(async () => {
  for (const one of open.splice(0)) one.close()
  await killAll()
})

function connected(url: string): Connection {
  const made = connection(url)
  open.push(made)
  return made
}

/** A ruleset that blocks the event loop for the seconds in its input. */
const blocking = {
  config: { name: 'block', version: '1.0.0', entry_step: 'call', timeout_ms: 0 },
  steps: {
    call: {
      id: 'call',
      name: 'Call',
      type: 'action',
      actions: [
        {
          action: 'external_call',
          service: 'test.loop',
          method: 'block',
          params: [['seconds', 'seconds']],
          result_variable: 'r',
        },
      ],
      next_step: 'end',
    },
    end: { id: 'end', name: 'End', type: 'terminal', result: { code: 'DONE', message: 'done' } },
  },
}

async function startBlocking(...args: readonly string[]): Promise<{ program: Run; url: string }> {
  const program = runHost(PROGRAM, ['--http-addr', '127.0.0.1:0', '--disable-grpc', ...args])
  const [, url = ''] = await program.says(/listens on (http:\/\/\S+):/)
  const one = connected(url)
  expect((await one.request('POST', '/api/v1/rulesets', blocking)).status).toBe(201)
  expect((await one.request('POST', '/api/v1/rulesets', answering('OK'))).status).toBe(201)
  return { program, url }
}

/** Blocks the server; what becomes of the request. */
async function block(url: string, seconds: number): Promise<unknown> {
  const sent = connected(url).request('POST', '/api/v1/execute/block', { input: { seconds } })
  return sent.then(
    ({ status }) => status,
    (error: NodeJS.ErrnoException) => error.code,
  )
}

/** Waits until the server stops answering: its event loop is blocked. */
async function silent(url: string): Promise<void> {
  for (;;) {
    const live = connected(url).request('GET', '/healthz/live')
    live.catch(() => {})
    if ((await Promise.race([live, delay(2000)])) === undefined) return
  }
}

const fatal = (program: Run) =>
  program
    .stdout()
    .split('\n')
    .find((line) => line.includes('"level":"fatal"')) ?? ''

test('a process whose event loop is blocked is killed and logs why', async () => {
  const { program, url } = await startBlocking(...WATCHDOG)
  expect(await block(url, FOR_EVER)).toBe('ECONNRESET')
  expect(await program.ended).toBe(null)
  expect(program.process.signalCode).toBe('SIGKILL')
  expect(JSON.parse(fatal(program))).toMatchObject({
    level: 'fatal',
    service: 'engine-server',
    instance: expect.stringMatching(/./),
    silent_ms: expect.any(Number),
    msg: 'event loop blocked: killing the process (--watchdog-secs)',
  })
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'after %s a blocked process is killed within --shutdown-timeout-secs',
  async (signal) => {
    const { program, url } = await startBlocking('--shutdown-timeout-secs', '3', '--watchdog-secs', '600')
    const answer = block(url, FOR_EVER)
    await silent(url)
    program.process.kill(signal)
    expect(await program.ended).toBe(null)
    expect(program.process.signalCode).toBe('SIGKILL')
    expect(await answer).toBe('ECONNRESET')
  },
)

test('a process that is blocked during its shutdown is killed as well', async () => {
  const { program, url } = await startBlocking('--shutdown-timeout-secs', '60', ...WATCHDOG)
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  const body = JSON.stringify({ input: { seconds: FOR_EVER } })
  const head = ['POST /api/v1/execute/block HTTP/1.1', 'host: a', 'content-type: application/json']
  socket.write(`${[...head, `content-length: ${body.length}`, 'expect: 100-continue'].join('\r\n')}\r\n\r\n`)
  await once(socket, 'data')
  program.process.kill('SIGTERM')
  await program.says(/"msg":"stopping"/)
  socket.write(body)
  expect(await program.ended).toBe(null)
  expect(program.process.signalCode).toBe('SIGKILL')
})

test('a process that was stopped and continued does not count as silent', async () => {
  // The silence that is too long after the start.
  const { program, url } = await startBlocking('--shutdown-timeout-secs', '2')
  program.process.kill('SIGSTOP')
  await delay(5000)
  program.process.kill('SIGCONT')
  await delay(1000)
  expect((await connected(url).request('GET', '/healthz/live')).status).toBe(200)
  expect(fatal(program)).toBe('')
})

test('shorter silence is tolerated, and 0 disables the watchdog', async () => {
  const one = await startBlocking(...WATCHDOG)
  const other = await startBlocking('--watchdog-secs', '0', '--shutdown-timeout-secs', '1')
  expect(await Promise.all([block(one.url, 1.5), block(other.url, 4)])).toEqual([200, 200])
  for (const { program } of [one, other]) {
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  }
})

test('a blocked worker is replaced, its connections are closed, and the others continue', async () => {
  const { program, url } = await startBlocking('--workers', '2', ...WATCHDOG)
  const pids = () => pidsIn(program.stdout())
  const before = new Map(pids())
  expect(await block(url, FOR_EVER)).toBe('ECONNRESET')
  await vi.waitFor(() => expect([...pids()]).not.toEqual([...before]), POLL)
  expect(program.stdout()).toContain('the event loop of a worker is blocked: killing and replacing it')
  const replaced = [...before].filter(([number, pid]) => pids().get(number) !== pid)
  expect(replaced).toHaveLength(1)
  await vi.waitFor(async () => {
    const fresh = connected(url)
    expect((await fresh.request('GET', '/health')).body.workers).toEqual({ configured: 2, ready: 2 })
    expect((await fresh.request('POST', '/api/v1/execute/rule', { input: {} })).body.code).toBe('OK')
  }, POLL)
  program.process.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})
