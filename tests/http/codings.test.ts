import { once } from 'node:events'
import { type IncomingMessage, request as ask } from 'node:http'
import {
  brotliCompressSync,
  constants,
  createGzip,
  createZstdCompress,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adultCheck, JSON_TYPE, startServer, type TestServer } from './server.testing.ts'

/** Bodies and answers in gzip and zstd, within the limits that those without have. */

const LIMIT = 200_000
const EXECUTE = '/api/v1/execute/adult-check'
const FOLD = { gzip: gzipSync, zstd: zstdCompressSync } as const
const UNFOLD = { gzip: gunzipSync, zstd: zstdDecompressSync } as const
const CODINGS = ['gzip', 'zstd'] as const

let server: TestServer
beforeAll(async () => {
  server = await startServer('--max-request-body-bytes', String(LIMIT), '--metrics-enabled')
  await server.post('/api/v1/rulesets', adultCheck())
  await server.post('/api/v1/rulesets', adultCheck({ config: { name: 'long', description: 'x'.repeat(5000) } }))
})
afterAll(() => server.stop())

const send = (path: string, body: Uint8Array, coding: string) =>
  server.request('POST', path, { body, headers: { ...JSON_TYPE, 'content-encoding': coding } })
const GOOD = JSON.stringify({ input: { age: 20 } })

describe.each(CODINGS)('a body in %s', (coding) => {
  const fold = (text: string) => FOLD[coding](Buffer.from(text))

  test.each([EXECUTE, '/api/v1/execute/adult%2Dcheck'])('%s', async (path) => {
    for (const name of [coding, coding.toUpperCase(), `x-${coding}`])
      expect((await send(path, fold(GOOD), name)).body.code).toBe('ADULT')
  })

  test('a ruleset, and its faults with their places', async () => {
    const good = await send('/api/v1/rulesets', fold(JSON.stringify(adultCheck())), coding)
    expect([good.status, good.body.unchanged]).toEqual([200, true])
    const bad = await send('/api/v1/rulesets', fold('{"config":\n1}'), coding)
    expect(bad.body.details[0]).toMatchObject({ path: '/config', line: 1, column: 2 })
  })

  test('the limit is that of the body as it is', async () => {
    expect((await send(EXECUTE, fold(GOOD.padEnd(LIMIT)), coding)).body.code).toBe('ADULT')
    const reply = await send(EXECUTE, fold(GOOD.padEnd(LIMIT + 1)), coding)
    expect([reply.status, reply.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('a few bytes that would decompress to very many are refused, and cost no memory', async () => {
    const bomb = fold(' '.repeat(400_000_000))
    const before = process.memoryUsage.rss()
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(EXECUTE, bomb.subarray(0, LIMIT), coding)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([413]))
    // All of one bomb would be more.
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000)
  })

  test.each([
    ['nothing', new Uint8Array(0)],
    ['something else', Buffer.from(GOOD)],
    ['one that is cut', FOLD[coding](Buffer.from(GOOD)).subarray(0, 20)],
    ['one with a wrong byte', FOLD[coding](Buffer.from(GOOD.padEnd(5000, 'x'))).fill(0xff, 12, 16)],
  ])('%s is a 400', async (_what, body) => {
    const reply = await send(EXECUTE, body, coding)
    expect([reply.status, reply.body.code]).toEqual([400, 'BAD_REQUEST'])
    expect((await server.post(EXECUTE, GOOD)).body.code).toBe('ADULT')
  })

  describe('of a stream of lines', () => {
    const BATCH = `${EXECUTE}/batch`
    const HEADERS = { 'content-type': 'application/x-ndjson', 'content-encoding': coding }
    const LINE = '{"age": 20}\n'
    const results = async (body: Uint8Array) => {
      const { status, text } = await server.request('POST', BATCH, { body, headers: HEADERS })
      expect(status).toBe(200)
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    }

    test('each line is answered, whatever pieces it arrives in', async () => {
      const codes = (await results(fold(LINE.repeat(1000)))).map(({ code }) => code)
      expect(codes).toEqual(Array.from({ length: 1000 }, () => 'ADULT'))
      const several = Buffer.concat([fold(LINE), fold('{"age"'), fold(': 2}')])
      expect((await results(several)).map(({ code }) => code)).toEqual(['ADULT', 'MINOR'])
    })

    test('the limit of a line is that of the line as it is', async () => {
      const found = await results(fold(`${LINE}${' '.repeat(LIMIT + 1)}\n${LINE}`))
      expect(found.map(({ code, line }) => [code, line])).toEqual([
        ['ADULT', 1],
        ['error', 2],
        ['ADULT', 3],
      ])
    })

    test.each([
      ['a truncated body', () => fold(LINE.repeat(5000)).subarray(0, -20), /^the body cannot be read as/],
      ['a body in another coding', () => Buffer.from(LINE), /^the body cannot be read as/],
      [
        'a body that decompresses without end',
        () => fold('\n'.repeat(100_000_000)),
        /^the stream expands to more than 100 times/,
      ],
    ])('%s ends with a failed line', async (_what, body, error) => {
      const found = await results(body())
      expect(found.at(-1)).toMatchObject({
        code: 'error',
        error: expect.stringMatching(error),
        line: expect.any(Number),
      })
      expect(found.slice(0, -1).every(({ code }) => code === 'ADULT')).toBe(true)
      expect((await server.post(EXECUTE, GOOD)).body.code).toBe('ADULT')
    })

    test('a client that waits for an answer before it sends more gets it, and may go away', async () => {
      const encoder = coding === 'gzip' ? createGzip() : createZstdCompress()
      const flush = coding === 'gzip' ? constants.Z_SYNC_FLUSH : constants.ZSTD_e_flush
      const stream = ask(`${server.url}${BATCH}`, { method: 'POST', headers: HEADERS })
      encoder.pipe(stream)
      const write = (line: string) => {
        encoder.write(line)
        encoder.flush(flush)
      }
      write(LINE)
      const [answer] = (await once(stream, 'response')) as [IncomingMessage]
      answer.setEncoding('utf8').on('error', () => {})
      expect(await once(answer, 'data')).toEqual([expect.stringContaining('ADULT')])
      write('{"age": 2}\n')
      expect(await once(answer, 'data')).toEqual([expect.stringContaining('MINOR')])
      encoder.unpipe(stream)
      stream.on('error', () => {}).destroy()
      // The server continues, and logs nothing.
      expect((await server.post(EXECUTE, GOOD)).body.code).toBe('ADULT')
      expect(server.logged.filter((line) => line.startsWith('error'))).toEqual([])
    })
  })
})

test('a zstd frame that needs more memory than a receiver must have is refused', async () => {
  // A frame header (RFC 8878 section 3.1.1.1) with a window of 2^27 bytes, and one raw block.
  const block = Buffer.from(GOOD)
  const size = (block.length << 3) | 1
  const frame = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3, size & 255, size >> 8, 0]), block])
  expect((await send(EXECUTE, frame, 'zstd')).status).toBe(400)
  frame[5] = 10 << 3
  expect((await send(EXECUTE, frame, 'zstd')).body.code).toBe('ADULT')
})

test.each(['br', 'deflate', 'gzip, gzip', 'compress'])(
  'a body in %s is 415 with what is understood',
  async (coding) => {
    const reply = await send(EXECUTE, brotliCompressSync(Buffer.from(GOOD)), coding)
    expect([reply.status, reply.headers.get('accept-encoding')]).toEqual([415, 'gzip, zstd, identity'])
  },
)

interface Raw {
  readonly status: number
  readonly coding: string | undefined
  readonly vary: string | undefined
  readonly etag: string | undefined
  readonly bytes: Buffer
}

/** An answer as it comes: `fetch` decodes it. */
function get(path: string, headers: Record<string, string> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = ask(`${server.url}${path}`, { headers: { connection: 'close', ...headers } }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('end', () => {
        const { 'content-encoding': coding, vary, etag } = answer.headers
        resolve({ status: answer.statusCode ?? 0, coding, vary, etag, bytes: Buffer.concat(pieces) })
      })
    })
    sent.on('error', reject).end()
  })
}

describe('an answer', () => {
  const LONG = '/api/v1/rulesets/long'
  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip, zstd', 'zstd'],
    ['zstd;q=0.5, gzip;q=0.8', 'gzip'],
    ['ZSTD', 'zstd'],
    ['*', 'zstd'],
    ['*, zstd;q=0', 'gzip'],
    ['br', undefined],
    ['gzip;q=0', undefined],
    ['', undefined],
    ['identity', undefined],
  ])('to `accept-encoding: %s` is in %s', async (accepted, coding) => {
    const plain = await get(LONG)
    const found = await get(LONG, { 'accept-encoding': accepted })
    expect([found.coding, found.vary, plain.coding, plain.vary]).toEqual([
      coding,
      'accept-encoding',
      undefined,
      'accept-encoding',
    ])
    const bytes = coding === undefined ? found.bytes : UNFOLD[coding as 'gzip'](found.bytes)
    expect(bytes.equals(plain.bytes)).toBe(true)
    if (coding !== undefined) expect(found.bytes.length).toBeLessThan(plain.bytes.length / 2)
  })

  test.each(CODINGS)('in %s has a tag of its own, which conditions accept as that of the ruleset', async (coding) => {
    const [plain, folded] = [await get(LONG), await get(LONG, { 'accept-encoding': coding })]
    expect(folded.etag).toBe(plain.etag?.replace(/"$/, `-${coding}"`))
    const known = await get(LONG, { 'accept-encoding': coding, 'if-none-match': folded.etag ?? '' })
    expect([known.status, known.bytes.length]).toEqual([304, 0])
    const trial = await server.post('/api/v1/rulesets?dry_run=true', adultCheck({ config: { name: 'long' } }), {
      'if-match': folded.etag ?? '',
    })
    expect(trial.status).toBe(200)
  })

  test('that is short, or an error, is unchanged', async () => {
    for (const path of ['/healthz/live', '/api/v1/rulesets/adult-check', `/${'x'.repeat(3000)}`])
      expect((await get(path, { 'accept-encoding': 'gzip' })).coding).toBeUndefined()
  })

  test('of the metrics is coded too', async () => {
    const { coding, bytes } = await get('/metrics', { 'accept-encoding': 'gzip' })
    expect([coding, gunzipSync(bytes).toString()]).toEqual(['gzip', expect.stringContaining('engine_info')])
  })
})
