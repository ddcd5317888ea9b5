import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { killAll, type Run, spawned } from '../engine-server.testing.ts'
import { fillDataDirectory } from '../platform/databases.testing.ts'
import { lives } from '../workers.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-start-'))
const POLL = { timeout: 120_000, interval: 50 }
const ROOT = join(import.meta.dirname, '../..')
afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const ENV = { HOME: scratch, ENGINE_LOG_LEVEL: 'info', ENGINE_PLATFORM_HTTP_ADDR: '127.0.0.1:0' }
const ENGINE = ['--http-addr', '127.0.0.1:0', '--disable-grpc']
const dataDir = join(scratch, 'data')

/** Both programs with one data directory, behind npm or not. */
const startBoth = (command: string, args: readonly string[]) =>
  spawned(command, [...args, '--data-dir', dataDir, ...ENGINE], ENV)
const alone = () => startBoth(process.execPath, [join(ROOT, 'apps/engine-start/bin/engine-start.js')])

/** The request that a start prints, run unchanged by a shell. */
async function decided(one: Run): Promise<{ readonly shown: string; readonly answer: string }> {
  const [, shown = ''] = await one.says(/^ {2}(curl [^]*?\}')$/m)
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', shown])
  return { shown, answer: stdout.slice(0, stdout.indexOf(',"duration_us"')) }
}

/** The links for the first sign-in on both outputs. */
const linksIn = (one: Run) =>
  Array.from((one.stdout() + one.stderr()).matchAll(/\S+\/sign-in#token=\S+/g), ([link]) => link)
const pidsOf = (one: Run) => Array.from(one.stdout().matchAll(/"pid":(\d+),"url"/g), ([, pid]) => Number(pid))
const urlsOf = (one: Run) => Array.from(one.stdout().matchAll(/"pid":\d+,"url":"([^"]+)"/g), ([, url = '']) => url)
const GRANTED =
  '{"code":"GRANTED","message":"vip_grant","output":{"coupon_type":"vip","discount_rate":0.2,"original_amount":350}'

test('the printed commands get a decision, and the next start keeps everything', async () => {
  const first = alone()
  const one = await decided(first)
  expect(one.answer).toBe(GRANTED)
  const [link = '', ...others] = linksIn(first)
  expect(link).toContain('/sign-in#token=eng_otl_')
  expect(others).toEqual([])
  const shown = first
    .stdout()
    .split('\n')
    .filter((line) => /^[^{]/.test(line))
  expect(shown.map((line) => line.slice(0, 10))).toEqual(
    ['Engine    ', 'Platform  ', 'A decision', '  curl -s ', ...Array<string>(4).fill('    -')].map((begin) =>
      expect.stringMatching(`^${begin}`),
    ),
  )
  expect(statSync(join(dataDir, 'platform/demo.json')).mode & 0o777).toBe(0o600)
  const platform = link.slice(0, link.indexOf('/sign-in'))
  const signIn = (token: string) =>
    fetch(`${platform}/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password: 'a long phrase' }),
    })
  const session = await signIn(link.slice(link.indexOf('=') + 1))
  expect(session.status).toBe(200)
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { organizations } = (await (await fetch(`${platform}/api/v1/me`, { headers: { cookie } })).json()) as {
    organizations: { name: string }[]
  }
  expect(organizations.map(({ name }) => name)).toEqual(['Demo'])
  await expect.poll(() => pidsOf(first).length, POLL).toBe(3)
  first.process.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  for (const pid of pidsOf(first)) expect(lives(pid)).toBe(false)

  const second = alone()
  const two = await decided(second)
  expect(two.answer).toBe(GRANTED)
  const withoutPort = (text: string) => text.replace(/localhost:\d+/, '')
  expect(withoutPort(two.shown)).toBe(withoutPort(one.shown))
  expect(linksIn(second)).toEqual([])
  // A terminal sends the signal to all processes.
  second.process.kill('SIGINT')
  expect(await second.ended).toBe(0)
})

test('without the demonstration there is no organization, and the engine has no rulesets', async () => {
  const directory = join(scratch, 'empty')
  await fillDataDirectory(join(directory, 'platform'))
  const empty = spawned(
    process.execPath,
    [join(ROOT, 'apps/engine-start/bin/engine-start.js'), '--no-demo', '--data-dir', directory, ...ENGINE],
    ENV,
  )
  await empty.says(/^There is no organization yet\./m)
  const [link = '', ...others] = linksIn(empty)
  expect(others).toEqual([])
  const [platform = '', token = ''] = link.split('/sign-in#token=')
  const session = await fetch(`${platform}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: 'a long phrase' }),
  })
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const me = (await (await fetch(`${platform}/api/v1/me`, { headers: { cookie } })).json()) as {
    organizations: unknown
  }
  expect(me.organizations).toEqual([])
  expect(existsSync(join(directory, 'platform/demo.json'))).toBe(false)

  await expect.poll(() => urlsOf(empty).length, POLL).toBe(2)
  const engine = urlsOf(empty).find((url) => url !== platform && !platform.endsWith(new URL(url).port)) ?? ''
  expect(await (await fetch(`${engine}/api/v1/rulesets`)).json()).toEqual([])
  empty.process.kill('SIGTERM')
  expect(await empty.ended).toBe(0)
})

test('a program that ends ends the other', async () => {
  const both = alone()
  await decided(both)
  const [platform = 0, engine = 0] = pidsOf(both)
  process.kill(engine, 'SIGKILL')
  expect(await both.ended).toBe(1)
  expect(both.stderr()).toContain('error: engine-server ended (SIGKILL)')
  expect(lives(platform)).toBe(false)
})

test('a port in use ends the start with a message that names it', async () => {
  const taken: Server = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const both = spawned(
    process.execPath,
    [
      join(ROOT, 'apps/engine-start/bin/engine-start.js'),
      '--data-dir',
      dataDir,
      '--http-addr',
      `127.0.0.1:${port}`,
      '--disable-grpc',
    ],
    ENV,
  )
  expect(await both.ended).toBe(1)
  expect(both.stderr()).toContain(`127.0.0.1:${port}`)
  expect(both.stderr()).toContain('error: engine-server ended (exit code 1)')
  taken.close()
})

test('ending npm ends both, and killing what started them does', async () => {
  const npm = startBoth('npm', ['start', '--'])
  await decided(npm)
  await expect.poll(() => pidsOf(npm).length, POLL).toBe(3)
  const pids = pidsOf(npm)
  npm.process.kill('SIGTERM')
  await npm.ended
  await vi.waitFor(() => expect(pids.filter(lives)).toEqual([]), POLL)
  expect(existsSync(join(dataDir, 'rules'))).toBe(true)

  const both = alone()
  await decided(both)
  const children = pidsOf(both)
  both.process.kill('SIGKILL')
  await vi.waitFor(() => expect(children.filter(lives)).toEqual([]), POLL)
  expect(readFileSync(join(dataDir, 'platform/demo.json'), 'utf8')).toContain('eng_con_')
})
