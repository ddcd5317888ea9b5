import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { killAll, type Run, run, runHost, spawned } from '../engine-server.testing.ts'
import { lives } from '../workers.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-ends-'))
const POLL = { timeout: 120_000, interval: 50 }

afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Closes the output of the program before the program ends. */
function withoutReader(one: Run): Run {
  one.process.stdout?.destroy()
  one.process.stderr?.destroy()
  return one
}

const PLACE = ['--http-addr', '127.0.0.1:0', '--disable-grpc']

describe('a program whose output has no reader', () => {
  test.each([
    [['--api-tokens-file', '/nowhere'], 1],
    [['--http-tls-cert', '/nowhere.pem', '--http-tls-key', '/nowhere.pem'], 1],
    [['--uds-path', '/nowhere/e.sock'], 1],
    [['--rules-dir', '/dev/null/x', '--log-level', 'error'], 1],
    [['--workers', '2', '--api-tokens-file', '/nowhere'], 1],
    [['--prot', '1'], 2],
    [['--help'], 0],
  ] as const)('%j ends with %i', async (args, code) => {
    expect(await withoutReader(run([...PLACE, ...args])).ended).toBe(code)
  })

  test('continues to decide, and exits with 0', async () => {
    const path = join(scratch, 'unread.sock')
    const one = withoutReader(run([...PLACE, '--uds-path', path]))
    const ask = async () => {
      const [answer] = await once(request({ socketPath: path, path: '/healthz/live' }).end(), 'response')
      return (answer as { statusCode: number }).statusCode
    }
    await vi.waitFor(async () => expect(await ask()).toBe(200), POLL)
    one.process.kill('SIGTERM')
    expect(await one.ended).toBe(0)
  })

  test('whose reader stands still ends too', async () => {
    const path = join(scratch, 'full.sock')
    const pipe = join(scratch, 'full.pipe')
    execFileSync('mkfifo', [pipe])
    const [reading, writing] = [openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK), openSync(pipe, 'w')]
    const one = run([...PLACE, '--uds-path', path], {}, writing)
    const steps = {
      a: {
        id: 'a',
        name: 'A',
        type: 'action',
        actions: [{ action: 'log', level: 'info', message: 'x'.repeat(60_000) }],
        next_step: 'z',
      },
      z: { id: 'z', name: 'Z', type: 'terminal', result: { code: 'Z', message: 'done' } },
    }
    const post = async (target: string, body: unknown) => {
      const headers = { 'content-type': 'application/json' }
      const sent = request({ socketPath: path, path: `/api/v1/${target}`, method: 'POST', headers })
      const [answer] = await once(sent.end(JSON.stringify(body)), 'response')
      ;(answer as { resume(): void }).resume()
    }
    // The socket file exists before the server listens.
    const loud = { config: { name: 'loud', version: '1.0.0', entry_step: 'a' }, steps }
    await vi.waitFor(() => post('rulesets', loud), POLL)
    // More than pipes hold.
    for (let round = 0; round < 20; round++) await post('execute/loud', { input: {} })
    one.process.kill('SIGTERM')
    expect(await one.ended).toBe(0)
    for (const end of [reading, writing]) closeSync(end)
  })
})

test.each([
  ['a file that can be opened', '/dev/null', [3, null]],
  ['one that cannot', 'pipe', [null, 'SIGKILL']],
] as const)('an exit while the system opens %s is not held up', async (_, file, end) => {
  const path = file === 'pipe' ? join(scratch, 'never-written') : file
  if (file === 'pipe') execFileSync('mkfifo', [path])
  const one = runHost(join(import.meta.dirname, 'stuck-exit.testing.ts'), [path])
  await one.ended
  expect([one.process.exitCode, one.process.signalCode]).toEqual(end)
})

describe('a start', () => {
  test.skipIf(process.platform !== 'linux').each(['--rules-dir', '--audit-dir'])(
    'with `%s /proc/x`, where nothing can be made, ends with 1',
    async (option) => {
      const one = run([...PLACE, option, '/proc/x'])
      expect(await one.ended).toBe(1)
      expect(one.stderr()).toBe(`error: ${option}: cannot use \`/proc/x\`: no such file or directory\n`)
    },
  )

  test.each([
    ['SIGTERM', []],
    ['SIGINT', []],
    ['SIGTERM', ['--workers', '2']],
  ] as const)('blocked on a file exits on %s %j', async (signal, args) => {
    const pipe = join(scratch, `pipe-${signal}-${args.length}`)
    // No process writes to it, so reading it does not return.
    execFileSync('mkfifo', [pipe])
    const one = run([...PLACE, '--api-tokens-file', pipe, ...args])
    const written = await reader(pipe)
    one.process.kill(signal)
    expect(await one.ended).toBe(null)
    closeSync(written)
    expect(one.process.signalCode).toBe(signal)
    expect(one.stdout()).toContain('start aborted')
  })
})

/** Waits until a process reads from a named pipe; the end to write to, as long as which is open the reader waits. */
function reader(pipe: string): Promise<number> {
  return vi.waitFor(() => openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK), POLL)
}

describe('ending npm ends the server', () => {
  const args = [...PLACE, '--rules-dir', join(scratch, 'rules'), '--seed-dir', 'examples']
  const environment = { HOME: scratch }
  // The line of the owner, which listens: workers log their own.
  const pidOf = (one: Run) => Number(/"pid":(\d+),"url"/.exec(one.stdout())?.[1])

  // `npm start`, which starts the platform as well: start.test.ts.
  test.each([
    ['npx --no-install engine-server', ['exec', '--no', '--', 'engine-server', ...args]],
    ['npx --no-install engine-server --workers 2', ['exec', '--no', '--', 'engine-server', '--workers', '2', ...args]],
  ])('%s', async (_, command) => {
    const npm = spawned('npm', command, environment)
    const [, url = ''] = await npm.says(/listens on (http:\/\/\S+):/)
    const pid = pidOf(npm)
    expect(lives(pid)).toBe(true)
    npm.process.kill('SIGTERM')
    await vi.waitFor(() => expect(lives(pid)).toBe(false), POLL)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
    // The last lines may still be on their way through the pipe.
    await vi.waitFor(() => expect(npm.stdout()).toContain('"msg":"stopped"'), POLL)
    await npm.ended
    expect(existsSync(join(scratch, 'rules'))).toBe(true)
  })
})
