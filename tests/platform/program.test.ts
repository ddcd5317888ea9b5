import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../docs/page.testing.ts'
import { migratedDataDirectory } from './databases.testing.ts'

const PROGRAM = join(ROOT, 'apps/platform-server/bin/engine-platform.js')

/** The program with an embedded database, started without further options. */
async function startProgram(directory: string) {
  const args = ['--http-addr', '127.0.0.1:0', '--data-dir', directory, '--log-level', 'debug']
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [log, complaints] = ['', '']
  child.stdout.on('data', (bytes: Buffer) => (log += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()))
  const closed = once(child, 'close')
  await expect.poll(() => log).toContain('"msg":"listening"')
  return {
    child,
    url: /"url":"([^"]+)"/.exec(log)?.[1] ?? '',
    log: () => log,
    complaints: () => complaints,
    ended: async () => {
      const [code, signal] = (await closed) as [number | null, string | null]
      return { code, signal }
    },
  }
}

/** A request whose body is sent by `send` after the server has requested it; `send` resolves with the status. */
function begin(url: string) {
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked', expect: '100-continue' }
  const sent = request(url, { method: 'POST', headers })
  const begun = once(sent, 'continue')
  sent.flushHeaders()
  return {
    begun,
    async send(body: string) {
      sent.end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    },
  }
}

test('starts, completes requests in flight when it is stopped, ends with 0, and keeps everything', async () => {
  const directory = await migratedDataDirectory()
  const first = await startProgram(directory)
  await expect
    .poll(first.complaints)
    .toMatch(/^Sign in once: http:\/\/localhost:\d+\/sign-in#token=eng_otl_[\w-]{43}\n$/)
  const token = first.complaints().split('#token=')[1]?.trim()
  const send = (url: string, path: string, body: object) =>
    fetch(`${url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await send(first.url, 'token', { token, password: 'a long phrase' })).status).toBe(200)

  const sign = { email: 'owner@localhost', password: 'a long phrase' }
  // The server requests a body once the route is found.
  const underWay = begin(`${first.url}/api/v1/auth/login`)
  await underWay.begun
  first.child.kill('SIGTERM')
  await expect.poll(first.log).toContain('"msg":"stopping"')
  expect(await underWay.send(JSON.stringify(sign))).toBe(200)
  expect(await first.ended()).toEqual({ code: 0, signal: null })
  expect(first.log()).toContain('"msg":"stopped"')
  expect(first.log()).not.toMatch(/"level":"(?:error|fatal)"/)
  expect(first.log()).not.toContain('eng_')

  const second = await startProgram(directory)
  expect(second.complaints()).toBe('')
  expect((await send(second.url, 'login', sign)).status).toBe(200)
  second.child.kill('SIGTERM')
  expect(await second.ended()).toEqual({ code: 0, signal: null })
})

test.each([
  ['migrte', 'error: there is no command `migrte`: did you mean migrate?'],
  ['zzzzzz', 'error: there is no command `zzzzzz`: the commands are serve, backup, restore, migrate, create-admin'],
])('the unknown command %s is refused before anything starts', async (word, message) => {
  const child = spawn(process.execPath, [PROGRAM, word], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()))
  expect(await once(child, 'close')).toEqual([2, null])
  expect(complaints).toBe(`${message}\nSee \`engine-platform --help\`.\n`)
})
