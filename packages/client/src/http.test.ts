import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClientError } from './errors.ts'
import { createHttpTransport } from './http.ts'
import type { Sending, Transport } from './transport.ts'

/* Receipts over HTTP: how they are requested, and which members of an answer are one. */

const RECEIPT = { format: 'engine-receipt/1', entry: '{}' }
const DECIDED = { code: 'ADULT', message: '', output: {}, duration_us: 1 }
const SUMMARY = { total: 2, success: 1, failed: 1 }

const answer = { status: 200, body: {} as object, headers: {} as Record<string, string> }
let asked: { path: string | undefined; body: unknown }
const server = createServer((request, response) => {
  void text(request).then((body) => {
    asked = { path: request.url, body: JSON.parse(body) }
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body))
  })
})
let transport: Transport
const sending: Sending = { signal: new AbortController().signal, timeoutMs: 10_000 }

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  transport = createHttpTransport({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, headers: {} })
})
afterAll(() => void server.close())

function answering(body: object, status = 200, headers: Record<string, string> = {}): Transport {
  Object.assign(answer, { status, body, headers })
  return transport
}

test.each([
  [{ tracing: false, receipt: true }, { receipt: true }],
  [{ tracing: false, receipt: false }, {}],
  [
    { tracing: 'values', receipt: true },
    { trace: true, trace_values: true, receipt: true },
  ],
] as const)('a decision with %j is requested by %j', async (wanted, members) => {
  await answering(DECIDED).execute('a/b', { age: 1 }, wanted, sending)
  expect(asked).toEqual({ path: '/api/v1/execute/a%2Fb', body: { input: { age: 1 }, ...members } })
})

test.each([
  [true, { options: { receipt: true } }],
  [false, {}],
])('a batch with receipts (%s) is requested by %j', async (receipt, members) => {
  await answering({ results: [], summary: SUMMARY }).batch('a', [{ age: 1 }], { receipt }, sending)
  expect(asked).toEqual({ path: '/api/v1/execute/a/batch', body: { inputs: [{ age: 1 }], ...members } })
})

test('a failed result of a batch has its error and its receipt alone', async () => {
  const failed = { code: 'error', message: 'no', output: null, duration_us: 1, error: 'no' }
  const results = [{ ...DECIDED, receipt: RECEIPT }, { ...failed, receipt: RECEIPT }, failed]
  const { results: read } = await answering({ results, summary: SUMMARY }).batch('a', [], { receipt: true }, sending)
  expect(read).toEqual([{ ...DECIDED, receipt: RECEIPT }, { error: 'no', receipt: RECEIPT }, { error: 'no' }])
})

async function failure(body: object, status: number, headers: Record<string, string> = {}): Promise<ClientError> {
  const wanted = { tracing: false, receipt: true } as const
  const thrown: unknown = await answering(body, status, headers)
    .execute('a', {}, wanted, sending)
    .catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(ClientError)
  return thrown as ClientError
}

describe('a failed execution', () => {
  const failed = { error: 'no branch fits', code: 'INTERNAL_ERROR' }
  test.each<[title: string, receipt: unknown, expected: unknown]>([
    ['has its receipt', RECEIPT, RECEIPT],
    ['has none of an engine that does not answer with one', undefined, undefined],
    ['has none of another format', { ...RECEIPT, format: 'engine-receipt/2' }, undefined],
    ['has none that is a text', 'engine-receipt/1', undefined],
    ['has none that is null', null, undefined],
  ])('%s', async (_, receipt, expected) => {
    const error = await failure({ ...failed, receipt }, 500)
    expect(error).toMatchObject({ kind: 'execution', message: 'no branch fits', repeatable: 'never' })
    expect(error.receipt).toEqual(expected)
  })

  test('may have run where its receipt could not be written', async () => {
    const unavailable = { error: 'receipts cannot be written: the disk is full', code: 'RECEIPTS_UNAVAILABLE' }
    expect(await failure(unavailable, 503, { 'retry-after': '1' })).toMatchObject({
      kind: 'unavailable',
      repeatable: 'ambiguous',
      retryAfterMs: 1000,
      receipt: undefined,
    })
  })

  test('is refused by an engine that keeps no receipts', async () => {
    const off = { error: 'this engine keeps no receipts (--receipts)', code: 'RECEIPTS_OFF' }
    expect(await failure(off, 400)).toMatchObject({ kind: 'invalid', message: off.error, repeatable: 'never' })
  })
})
