import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientOptions, createClient, type EngineClient } from './client.ts'

/* Which requests a client sends for a decision, and when it decides itself. */

const DECIDED = { code: 'ENGINE', message: '', output: {}, duration_us: 1 }
const BATCH = { results: [DECIDED], summary: { total: 1, success: 1, failed: 0 } }
const RULESET = {
  config: { name: 'loan', entry_step: 'end' },
  steps: { end: { id: 'end', type: 'terminal', result: { code: 'LOCAL', message: '' } } },
}
const AWAY = { error: 'the engine shuts down', code: 'UNAVAILABLE' }

let requests: string[] = []
/** The response to decisions; none where it is undefined. */
let answer: { status: number; body: object } | undefined
const server = createServer((request, response) => {
  void text(request).then(() => {
    requests.push(`${request.method} ${request.url}`)
    if (request.method === 'GET') response.end(JSON.stringify(RULESET))
    else if (answer !== undefined) response.writeHead(answer.status).end(JSON.stringify(answer.body))
  })
})
let url: string

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())
beforeEach(() => {
  requests = []
})

async function withClient<T>(options: Partial<ClientOptions>, use: (client: EngineClient) => Promise<T>): Promise<T> {
  const client = createClient({ url, retry: { attempts: 1 }, ...options })
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

const ALONE = 'POST /api/v1/execute/loan'

test.each<[title: string, options: Parameters<EngineClient['execute']>[2], request: string]>([
  ['goes into a batch', {}, `${ALONE}/batch`],
  ['goes into a batch without its trace and receipt', { trace: false, receipt: false }, `${ALONE}/batch`],
  ['with its trace goes alone', { trace: true }, ALONE],
  ['with the values of its trace goes alone', { trace: 'values' }, ALONE],
  ['with a receipt goes alone', { receipt: true }, ALONE],
  ['with a time limit of its own goes alone', { timeoutMs: 10_000 }, ALONE],
  ['that can be cancelled goes alone', { signal: new AbortController().signal }, ALONE],
])('a decision %s', async (_title, options, request) => {
  answer = { status: 200, body: request === ALONE ? DECIDED : BATCH }
  const decided = await withClient({ batching: {} }, (client) => client.execute('loan', {}, options))
  expect(decided).toMatchObject({ code: 'ENGINE', source: 'engine' })
  expect(requests).toEqual([request])
})

describe('an engine that is away', () => {
  const decideAway = (options: Parameters<EngineClient['execute']>[2]) =>
    withClient({ fallback: { rulesets: ['loan'] } }, async (client) => {
      await client.ready
      answer = { status: 503, body: AWAY }
      return client.execute('loan', {}, options)
    })

  test('has its decisions made by the client', async () => {
    expect(await decideAway({})).toMatchObject({ code: 'LOCAL', source: 'local' })
    expect(requests).toEqual(['GET /api/v1/rulesets/loan', ALONE])
  })

  test('has none made that needs a receipt', async () => {
    await expect(decideAway({ receipt: true })).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

test.each<[title: string, client: Partial<ClientOptions>, call: number | undefined]>([
  ['of the call', { timeoutMs: 1000 }, 1],
  ['of the client', { timeoutMs: 1 }, undefined],
])('the time limit %s ends a call', async (_title, options, timeoutMs) => {
  answer = undefined
  const call = withClient(options, (client) => client.execute('loan', {}, timeoutMs === undefined ? {} : { timeoutMs }))
  await expect(call).rejects.toMatchObject({ kind: 'timeout', message: 'no answer within 1 ms' })
})

test('a closed client sends nothing', async () => {
  const client = createClient({ url })
  await client.close()
  await expect(client.execute('loan', {})).rejects.toMatchObject({ kind: 'closed', message: 'the client is closed' })
  expect(requests).toEqual([])
})
