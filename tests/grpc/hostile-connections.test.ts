import { create, toBinary } from '@bufbuild/protobuf'
import { proto } from '@engine/api/proto'
import { status } from '@grpc/grpc-js'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { adultCheck, startServer, type TestServer } from '../http/server.testing.ts'
import { engineClient, type TestClient } from './client.testing.ts'
import { adult, connected } from './connected-client.testing.ts'
import { callFields, END_HEADERS, END_STREAM, FRAME, fields, frame, framed, openRaw } from './frames.testing.ts'
import { begin, rawCall, sessionOf } from './raw-call.testing.ts'

/** Malicious or broken clients end only their own connection: concurrent calls are answered. */

let server: TestServer
let probe: TestClient
beforeAll(async () => {
  server = await startServer('--grpc-addr', '127.0.0.1:0')
  await server.post('/api/v1/rulesets', adultCheck())
  probe = engineClient(server.grpc)
})
afterAll(async () => {
  probe.close()
  await server.stop()
})

/** Calls one after the other until something has ended; all of them are answered. */
async function beside<T>(work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const calls = (async () => {
    do expect(await probe.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
    while (!over.signal.aborted)
  })()
  try {
    return await work
  } finally {
    over.abort()
    await calls
    expect(server.logged.filter((line) => line.startsWith('error'))).toEqual([])
  }
}

const message = Buffer.from(
  toBinary(
    proto.ExecuteRequestSchema,
    create(proto.ExecuteRequestSchema, { name: 'adult-check', inputJson: '{"age":20}' }),
  ),
)
const EXECUTE = '/engine.EngineService/Execute'

/** Numbers that look random and are the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

test('frames of every kind in any order', async () => {
  const attack = async (seed: number) => {
    const random = numbers(seed)
    const raw = await openRaw(server.grpc)
    for (let count = 0; count < 60; count++) {
      const payload = Buffer.from(Array.from({ length: random(4) === 0 ? random(300) : random(12) }, () => random(256)))
      const stream = random(5) === 0 ? random(2 ** 24) : random(12)
      const bytes =
        random(3) === 0
          ? frame(FRAME.headers, END_HEADERS | random(2), 1 + 2 * count, callFields('Execute'))
          : frame(random(12), random(64), stream, payload)
      if (!(await raw.send(bytes))) break
    }
    raw.socket.end()
    await raw.closed
  }
  await beside(
    (async () => {
      for (let seed = 1; seed <= 120; seed++) await attack(seed)
    })(),
  )
})

/** Sends this many rounds, and waits until the connection is closed. */
async function flood(bytes: (round: number) => Buffer, rounds: number): Promise<void> {
  const raw = await openRaw(server.grpc)
  for (let round = 0; round < rounds; round++) if (!(await raw.send(bytes(round)))) break
  await raw.closed
}

const times = (count: number, bytes: Buffer) => Buffer.concat(Array.from({ length: count }, () => bytes))

const singleBytes = (count: number) => Array.from({ length: count }, () => new Uint8Array(1))

/** Payloads of frames that bring no message, again and again. */
const FRAGMENTS: readonly (readonly [what: string, method: string, pieces: readonly Uint8Array[]])[] = [
  ['frames of one byte to a call', 'Execute', [framed(Buffer.alloc(0), 1_000_000), ...singleBytes(100)]],
  ['frames of one byte to a stream', 'ExecuteStream', [framed(Buffer.alloc(0), 1_000_000), ...singleBytes(100)]],
  ['frames of one byte to a call that was refused', 'Steal', singleBytes(100)],
  ['empty messages in frames of one byte', 'ExecuteStream', singleBytes(100)],
  ['empty messages', 'ExecuteStream', [framed(Buffer.alloc(0))]],
  ['small messages to a call that has its answer', 'Execute', [framed(Buffer.alloc(1)), framed(Buffer.alloc(1))]],
]

test.each<[string, (round: number) => Buffer]>([
  [
    'calls that are reset immediately',
    (round) =>
      Buffer.concat([
        frame(FRAME.headers, END_HEADERS, 1 + 2 * round, callFields('Execute')),
        frame(FRAME.reset, 0, 1 + 2 * round, Buffer.from([0, 0, 0, 8])),
      ]),
  ],
  ['pings', () => times(100, frame(FRAME.ping, 0, 0, Buffer.alloc(8)))],
  ['settings', () => times(100, frame(FRAME.settings, 0, 0))],
  ...FRAGMENTS.map(([what, method, pieces]): [string, (round: number) => Buffer] => [
    what,
    (round) =>
      round === 0
        ? frame(FRAME.headers, END_HEADERS, 1, callFields(method))
        : Buffer.concat(pieces.map((piece) => frame(FRAME.data, 0, 1, piece))),
  ]),
  [
    'headers that never end',
    (round) =>
      round === 0
        ? frame(FRAME.headers, 0, 1, callFields('Execute'))
        : frame(FRAME.continuation, 0, 1, fields(['x', 'y'.repeat(1000)])),
  ],
])('a flood of %s ends its connection', async (_what, bytes) => {
  await beside(flood(bytes, 100_000))
})

test('headers that decompress to megabytes are refused', async () => {
  const raw = await openRaw(server.grpc)
  // One entry of 4,000 bytes enters the table, and each further byte is one more of it.
  const entry = Buffer.concat([Buffer.from([0x40]), fields(['x', 'y'.repeat(3900)]).subarray(1)])
  await beside(
    (async () => {
      for (let round = 0; round < 50; round++) {
        const block = Buffer.concat([
          callFields('Execute'),
          round === 0 ? entry : Buffer.alloc(0),
          Buffer.alloc(8000, 0xbe),
        ])
        if (!(await raw.send(frame(FRAME.headers, END_HEADERS | END_STREAM, 1 + 2 * round, block)))) break
      }
    })(),
  )
  await expect.poll(() => raw.received().length > 0 || raw.socket.destroyed).toBe(true)
})

test('a message cut at every byte is read', async () => {
  const session = sessionOf(server.grpc)
  const whole = framed(message)
  await beside(
    (async () => {
      for (let at = 1; at < whole.length; at++) {
        const { stream, ended } = begin(session, EXECUTE)
        await new Promise((resolve) => stream.write(whole.subarray(0, at), resolve))
        stream.end(whole.subarray(at))
        expect((await ended).code).toBe(status.OK)
      }
    })(),
  )
})

test('a message that arrives byte by byte is read', async () => {
  const whole = framed(message)
  const raw = await openRaw(server.grpc)
  for (let call = 0; call < 20; call++) {
    const stream = 1 + 2 * call
    const dripped = Array.from(whole, (byte) => frame(FRAME.data, 0, stream, Uint8Array.of(byte)))
    await raw.send(
      Buffer.concat([
        frame(FRAME.headers, END_HEADERS, stream, callFields('Execute')),
        ...dripped,
        frame(FRAME.data, END_STREAM, stream),
      ]),
    )
  }
  await expect.poll(() => raw.received().toString('latin1').split('ADULT').length - 1).toBe(20)
})

test('a call that ends at every byte of its message is refused', async () => {
  const session = sessionOf(server.grpc)
  const whole = framed(message)
  for (let at = 0; at < whole.length; at++) {
    const { stream, ended } = begin(session, EXECUTE)
    stream.end(whole.subarray(0, at))
    expect((await ended).code).toBe(at === 0 ? status.UNIMPLEMENTED : status.INTERNAL)
  }
})

test('metadata beyond 16 KiB refuses its call and no other one of the connection', async () => {
  const session = sessionOf(server.grpc)
  const open = begin(session, '/engine.EngineService/ExecuteStream')
  open.stream.write(framed(message))
  const ok = begin(session, EXECUTE, { 'x-much': 'a'.repeat(10_000) })
  ok.stream.end(framed(message))
  expect((await ok.ended).code).toBe(status.OK)
  const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`x-${index}`, 'a'.repeat(10_000)]))
  for (const metadata of [{ 'x-much': 'a'.repeat(50_000) }, many]) {
    const refused = begin(session, EXECUTE, metadata)
    refused.stream.end(framed(message))
    // Clients see RESOURCE_EXHAUSTED.
    await refused.ended
    expect(refused.stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }
  open.stream.end(framed(message))
  expect(await open.ended).toMatchObject({ code: status.OK })
  expect(session.closed).toBe(false)
})

test('an answer that is not read ends its call in time, and others of the connection are answered', async () => {
  const { server: own } = await connected('--request-timeout-secs', '1')
  const result = { code: 'LONG', message: '', output: { text: 'x'.repeat(400_000) } }
  await own.post('/api/v1/rulesets', adultCheck({ steps: { yes: { id: 'yes', type: 'terminal', result } } }))
  const session = sessionOf(own.grpc)
  const { stream, ended } = begin(session, EXECUTE)
  stream.end(framed(message))
  stream.pause()
  stream.on('close', () => stream.resume())
  await ended
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
  const next = begin(session, '/engine.EngineService/Health')
  next.stream.end(framed(Buffer.alloc(0)))
  expect((await next.ended).code).toBe(status.OK)
})

test('100 streams that send nothing end in time, and take nothing from another connection', async () => {
  const { server: own, client } = await connected('--request-timeout-secs', '1')
  await own.post('/api/v1/rulesets', adultCheck())
  const session = sessionOf(own.grpc)
  const silent = Array.from({ length: 100 }, () => begin(session, EXECUTE))
  expect(await client.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
  const codes = await Promise.all(silent.map(async ({ ended }) => (await ended).code))
  expect(new Set(codes)).toEqual(new Set([status.DEADLINE_EXCEEDED]))
})

test('the metadata `authorization` twice is refused, with whatever values', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'engine-grpc-'))
  onTestFinished(() => rmSync(scratch, { recursive: true }))
  const tokens = join(scratch, 'tokens')
  writeFileSync(tokens, `root:admin:${createHash('sha256').update('root').digest('hex')}`)
  const { server: own } = await connected('--api-tokens-file', tokens)
  const ask = async (...values: readonly string[]) => {
    const raw = await openRaw(own.grpc)
    const metadata = values.map((token) => ['authorization', `Bearer ${token}`] as const)
    await raw.send(frame(FRAME.headers, END_HEADERS, 1, callFields('ListRuleSets', ...metadata)))
    await raw.send(frame(FRAME.data, END_STREAM, 1, framed(Buffer.alloc(0))))
  }
  /** How often calls ended with each status. */
  const counts = async () => {
    const { text } = await own.request('GET', '/metrics', { headers: { authorization: 'Bearer root' } })
    const found = text.matchAll(
      /engine_grpc_calls_total\{method="engine.EngineService\/ListRuleSets",status="(\w+)"\} (\d+)/g,
    )
    return Object.fromEntries(Array.from(found, ([, name = '', count]) => [name, Number(count)]))
  }
  await ask('root')
  await expect.poll(counts).toEqual({ OK: 1 })
  await ask('root', 'root')
  await ask('root', 'other')
  await ask('other', 'root')
  await expect.poll(counts).toEqual({ OK: 1, INVALID_ARGUMENT: 3 })
})

test('a body that is not gRPC is 415, and a method other than POST is 405', async () => {
  const other = await rawCall(server.grpc, EXECUTE, Buffer.from('{}'), { 'content-type': 'application/json' })
  expect(other.headers[':status']).toBe(415)
  const { stream, ended } = begin(sessionOf(server.grpc), EXECUTE, { ':method': 'PUT' })
  stream.end()
  expect((await ended).headers[':status']).toBe(405)
})
