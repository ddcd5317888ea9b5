import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { killAll, runHost, type Run } from './engine-server.testing.ts'
import { systemProgram } from './programs.testing.ts'

const PROGRAM = join(import.meta.dirname, '../deploy/cluster.ts')

let temporary: string
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'engine-cluster-test-'))
})
afterEach(async () => {
  await killAll()
  rmSync(temporary, { recursive: true, force: true })
})

function startCluster(): Run {
  const broker = process.env['NATS_BIN'] ?? systemProgram('nats-server')
  return runHost(PROGRAM, [], { NATS_BIN: broker, TMPDIR: temporary })
}

/** Send the request of a line `curl -s …`. */
async function curl(line: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const [url = ''] = /http:\S+/.exec(line) ?? []
  const [, body] = /-d '(.*)'$/.exec(line) ?? []
  const [, method = body === undefined ? 'GET' : 'POST'] = /-X (\w+)/.exec(line) ?? []
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Process ids in its report. */
const processes = (run: Run) => Array.from(run.stdout().matchAll(/process (\d+)/g), ([, id]) => Number(id))

const isAlive = (id: number) => {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

test('the cluster works as announced, and leaves nothing behind', async () => {
  const run = startCluster()
  await run.says(/Ctrl-C/)
  const [store = '', decide = '', health = '', change = ''] = run.stdout().match(/curl .*/g) ?? []
  expect(await curl(store)).toMatchObject({ status: 201 })
  await expect.poll(() => curl(decide)).toMatchObject({ status: 200, body: { code: 'ADULT' } })
  await expect.poll(async () => (await curl(health)).body['storage']).toMatchObject({ rules_count: 1 })
  expect((await curl(health)).body['status']).toBe('healthy')
  expect(await curl(change)).toMatchObject({ status: 409, body: { error: 'read_only' } })
  const ids = processes(run)
  expect(ids).toHaveLength(4)
  expect(ids.filter(isAlive)).toHaveLength(4)
  run.process.kill('SIGINT')
  expect(await run.ended).toBe(0)
  expect(ids.filter(isAlive)).toEqual([])
  expect(readdirSync(temporary)).toEqual([])
  expect(run.stderr()).toBe('')
})

test('a member that ends takes the others with it', async () => {
  const run = startCluster()
  await run.says(/Ctrl-C/)
  const ids = processes(run)
  process.kill(ids.at(-1) ?? 0, 'SIGKILL')
  expect(await run.ended).toBe(1)
  expect(run.stderr()).toBe('reader-3 ended: SIGKILL\n')
  expect(ids.filter(isAlive)).toEqual([])
  expect(readdirSync(temporary)).toEqual([])
})

test('a signal during the start stops the processes started so far', async () => {
  const run = startCluster()
  await expect.poll(() => readdirSync(temporary).length).toBe(1)
  await delay(300)
  run.process.kill('SIGTERM')
  expect(await run.ended).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
})

test('without a broker it explains how to get one', async () => {
  const run = runHost(PROGRAM, [], { NATS_BIN: '/nowhere/nats-server', TMPDIR: temporary })
  expect(await run.ended).toBe(1)
  expect(run.stderr()).toMatch(/^`\/nowhere\/nats-server` cannot be started: install it .*NATS_BIN\n$/)
  expect(readdirSync(temporary)).toEqual([])
})
