import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { killAll, spawned } from '../engine-server.testing.ts'
import { freePort } from '../postgres.testing.ts'
import { lives } from '../workers.testing.ts'

const ROOT = join(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'engine-dev-'))
afterEach(killAll)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const POLL = { timeout: 120_000, interval: 100 }
/** A file that is watched, and part of no program: touching it makes no bundle stale. */
const WATCHED = join(ROOT, 'apps/engine-server/package.json')

test('the platform, both engines and the studio run; a change restarts the server that it belongs to; Ctrl-C ends all', async () => {
  const [platformPort, studioPort, enginePort] = [await freePort(), await freePort(), await freePort()]
  const ports = ['--platform-port', `${platformPort}`, '--studio-port', `${studioPort}`]
  const engineOptions = ['--http-addr', `127.0.0.1:${enginePort}`, '--disable-grpc']
  const dev = spawned('npm', ['run', 'dev', '--', '--data-dir', join(scratch, 'data'), ...ports, ...engineOptions], {
    HOME: scratch,
    ENGINE_LOG_LEVEL: 'info',
    ENGINE_PLATFORM_LOG_LEVEL: 'info',
  })
  await dev.says(/^Studio {4}http:\/\/localhost:\d+/m)
  const pids = () => Array.from(dev.stdout().matchAll(/"pid":(\d+),"url"/g), ([, pid]) => Number(pid))
  await vi.waitFor(() => expect(pids()).toHaveLength(3), POLL)
  const [platform = 0, ...engines] = pids()

  const studio = `http://localhost:${studioPort}`
  const page = await fetch(studio)
  expect(await page.text()).toContain('/@vite/client')
  const [, link = '', token = ''] = /^Studio {4}(\S+#token=(\S+)) \(with hot reload\)$/m.exec(dev.stdout()) ?? []
  expect(link).toBe(`${studio}/sign-in#token=${token}`)
  const signIn = await fetch(`${studio}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: studio },
    body: JSON.stringify({ token, password: 'a long phrase' }),
  })
  expect(signIn.status).toBe(200)

  const now = new Date()
  utimesSync(WATCHED, now, now)
  await vi.waitFor(() => expect(pids()).toHaveLength(5), POLL)
  expect(engines.filter(lives)).toEqual([])
  expect(lives(platform)).toBe(true)
  expect(dev.stdout()).toContain('apps/engine-server/package.json changed: restarting')

  dev.process.kill('SIGINT')
  await dev.ended
  await vi.waitFor(() => expect(pids().filter(lives)).toEqual([]), POLL)
  await expect(fetch(studio)).rejects.toThrow('fetch failed')
})
