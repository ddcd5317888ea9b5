import { type ClientError, createClient } from '@engine/client'
import { parseReceiptKeys, verifyReceipt } from '@engine/receipts'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { receiptFolder } from './server.testing.ts'

/* Receipts over HTTP and gRPC, requested by `@engine/client`. */

const folder = receiptFolder('ask')
const keys = parseReceiptKeys(readFileSync(folder.publicFile, 'utf8'))
let server: TestServer
let silent: TestServer
const ruleset = {
  config: { name: 'adult', entry_step: 'start' },
  steps: {
    start: {
      id: 'start',
      type: 'decision',
      branches: [{ condition: 'age >= 18', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result: { code: 'ADULT', message: '', output: [['age', 'age']] } },
    no: { id: 'no', type: 'terminal', result: { code: 'MINOR', message: '' } },
  },
}

beforeAll(async () => {
  server = await startServer('--grpc-addr', '127.0.0.1:0', ...folder.options)
  silent = await startServer('--grpc-addr', '127.0.0.1:0')
  for (const one of [server, silent]) await one.post('/api/v1/rulesets', ruleset)
})
afterAll(() => Promise.all([server.stop(), silent.stop()]))

function entryOf(receipt: unknown) {
  const { faults, entry, receipt: read } = verifyReceipt(JSON.stringify(receipt), keys)
  expect(faults).toEqual([])
  return { ...entry, evidence: read?.evidence }
}

describe.each([
  ['HTTP', (one: TestServer) => one.url],
  ['gRPC', (one: TestServer) => `grpc://${one.grpc}`],
])('over %s', (_, urlOf) => {
  const withClient = async <T>(one: TestServer, run: (client: ReturnType<typeof createClient>) => Promise<T>) => {
    const client = createClient({ url: urlOf(one), batching: {}, fallback: { rulesets: ['adult'] } })
    try {
      await client.ready
      return await run(client)
    } finally {
      await client.close()
    }
  }

  test('a decision carries its receipt', async () => {
    const decided = await withClient(server, (client) =>
      client.execute('adult', { age: 20 }, { receipt: true, trace: true }),
    )
    expect(decided).toMatchObject({
      code: 'ADULT',
      output: { age: 20 },
      source: 'engine',
      trace: { path: 'start -> yes' },
    })
    expect(entryOf(decided.receipt)).toMatchObject({
      result: { code: 'ADULT' },
      evidence: { output: [expect.any(String), '{"age":20}'] },
    })
  })

  test('a constant decision as well', async () => {
    const decided = await withClient(server, (client) => client.execute('adult', { age: 2 }, { receipt: true }))
    expect(entryOf(decided.receipt)).toMatchObject({ result: { code: 'MINOR' } })
  })

  test('one that does not ask has none', async () => {
    const decided = await withClient(server, (client) => client.execute('adult', { age: 20 }))
    expect(decided.receipt).toBeUndefined()
  })

  test('a failed execution carries it in its error', async () => {
    const failed = await withClient(server, (client) =>
      client.execute('adult', { age: 'old' }, { receipt: true }).catch((error: ClientError) => error),
    )
    expect(failed).toMatchObject({ kind: 'execution' })
    expect(entryOf(failed.receipt)).toMatchObject({
      error: expect.any(String),
      evidence: { input: [expect.any(String), '{"age":"old"}'] },
    })
  })

  test('and without evidence where gRPC has no room for it', async () => {
    const age = 'old'.repeat(2000)
    const failed = await withClient(server, (client) =>
      client.execute('adult', { age }, { receipt: true }).catch((error: ClientError) => error),
    )
    expect(entryOf(failed.receipt).error).toBeDefined()
  })

  test('each result of a batch has its own', async () => {
    const { results } = await withClient(server, (client) =>
      client.executeBatch('adult', [{ age: 20 }, { age: 'old' }, { age: 3 }], { receipt: true }),
    )
    expect(results.map(({ receipt }) => entryOf(receipt).result?.code)).toEqual(['ADULT', undefined, 'MINOR'])
  })

  test('an engine without receipts refuses; the local fallback does not decide', async () => {
    const refused = await withClient(silent, (client) =>
      client.execute('adult', { age: 20 }, { receipt: true }).catch((error: ClientError) => error),
    )
    expect(refused).toMatchObject({ kind: 'invalid', message: 'this engine keeps no receipts (--receipts)' })
    const batch = await withClient(silent, (client) =>
      client.executeBatch('adult', [{ age: 20 }], { receipt: true }).catch((error: ClientError) => error),
    )
    expect(batch).toMatchObject({ kind: 'invalid' })
  })
})
