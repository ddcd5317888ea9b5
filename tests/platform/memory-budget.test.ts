import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Route } from '../../apps/platform-server/src/http/route.ts'
import { createRoutes } from '../../apps/platform-server/src/http/router.ts'
import { MemoryBudget, requestMemory } from '../../apps/platform-server/src/memory/memory-budget.ts'
import { SharedBytes } from '../../apps/platform-server/src/memory/shared-bytes.ts'

const MIB = 1024 * 1024
/**
 * A body of which one fits into the half of an organization, and two do not. The handler answers immediately, or when the test
 * lets it.
 */
const [LARGE, LARGE_HELD] = ['quick', 'held'].map((text) => JSON.stringify(text.padEnd(120 * 1024))) as [string, string]

interface Handling {
  finish(): void
  /** Resolves when its connection has ended. */
  readonly closed: Promise<void>
}
let onBegun = (_handling: Handling) => {}
const route: Route = {
  method: 'POST',
  path: '/:org',
  summary: 'Hold a body until the test lets go of it',
  group: 'Projects',
  right: 'none',
  body: Type.String(),
  answers: { 200: Type.Null() },
  async run({ params, body, response }) {
    requestMemory()?.belongTo(params['org'] ?? '')
    const text = await body(Type.String())
    if (text.startsWith('held')) {
      const closed = new Promise<void>((resolve) => void response.once('close', resolve))
      await new Promise<void>((finish) => onBegun({ finish, closed }))
    }
    return { status: 200, body: 'null' }
  },
}

let server: Server
let url: string
beforeAll(async () => {
  const router = await createRoutes({
    routes: [route],
    identification: () => Promise.resolve(undefined),
    idempotency: { answer: (one, arrived) => one.run(arrived) },
    basePath: '',
    state: { draining: false },
    deadline: () => undefined,
    addressOf: () => '127.0.0.1',
    found: () => {},
    readLarge: () => Promise.reject(new Error('no body has a draft')),
    failed: () => {},
    studio: undefined,
    maxBytes: MIB,
    arrivingBodies: new SharedBytes(16 * MIB),
    memory: new MemoryBudget(2 * MIB),
  })
  server = createServer((request, response) => router.routing(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const ask = (org: string, body: string, signal?: AbortSignal) =>
  fetch(`${url}/${org}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    ...(signal && { signal }),
  })

/** A request whose handler has begun. */
async function held(org: string, signal?: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<Handling>()
  onBegun = resolve
  const answer = ask(org, LARGE_HELD, signal)
  answer.catch(() => {})
  return { answer, ...(await promise) }
}

test('an organization that holds its half gets 503, others are served, and what has ended is free again', async () => {
  const first = await held('a')
  const refused = await ask('a', LARGE)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ code: 'UNAVAILABLE' })
  expect((await ask('a', '"small"')).status).toBe(200)
  const other = await held('b')
  expect((await ask('c', '"small"')).status).toBe(200)
  for (const { finish, answer } of [first, other]) {
    finish()
    await (await answer).text()
  }
  await expect.poll(async () => (await ask('a', LARGE)).status).toBe(200)
})

test('the work of a caller that went away holds its memory until it has ended', async () => {
  const aborted = new AbortController()
  const { answer, closed, finish } = await held('a', aborted.signal)
  aborted.abort()
  await expect(answer).rejects.toThrow(/abort/)
  await closed
  expect((await ask('a', LARGE)).status).toBe(503)
  finish()
  await expect.poll(async () => (await ask('a', LARGE)).status).toBe(200)
})
